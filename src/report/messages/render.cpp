#include "report/messages/render.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "advice/messages.h"
#include "report/text/quantities.h"
#include "report/text/utf8.h"

namespace pagoda {
namespace {

std::string flops_text(double flops) {
  constexpr std::array<std::pair<double, const char*>, 5> kUnits = {
      {{1e15, " PFLOP"}, {1e12, " TFLOP"}, {1e9, " GFLOP"}, {1e6, " MFLOP"}, {1, " FLOP"}}};
  if (flops < 0) return "unknown";
  for (const auto& [size, unit] : kUnits) {
    if (flops < size && size > 1) continue;
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3g%s", flops / size, unit);
    return text.data();
  }
  return "0 FLOP";
}

std::string value_text(std::string_view name, const std::string& value, Language language) {
  if (value.starts_with('@')) return message_text(std::string_view(value).substr(1), language);
  if (name.ends_with("_ns")) return duration_text(std::strtoll(value.c_str(), nullptr, 10));
  if (name.ends_with("fraction")) return percent_text(std::strtod(value.c_str(), nullptr), 1);
  if (name == "bytes" || name.ends_with("_bytes")) return bytes_text(std::strtod(value.c_str(), nullptr));
  if (name == "flops") return flops_text(std::strtod(value.c_str(), nullptr));
  if (name == "launches" || name == "events" || name == "count")
    return count_text(std::strtoll(value.c_str(), nullptr, 10));
  return printable(value);
}

std::string fill(std::string_view text, const Message& message, Language language, int depth) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t close = text[at] == '{' ? text.find('}', at) : std::string_view::npos;
    if (close == std::string_view::npos) {
      out += text[at];
      continue;
    }
    const std::string_view name = text.substr(at + 1, close - at - 1);
    for (const auto& [key, value] : message.args) {
      if (key != name) continue;
      // A sentence inside a sentence shares its arguments: "First: {title}" with {operator}.
      const MessageText* inner =
          value.starts_with('@') ? find_message_text(std::string_view(value).substr(1)) : nullptr;
      out += inner && depth < 3
                 ? fill(language == Language::chinese ? inner->zh : inner->en, message, language, depth + 1)
                 : value_text(name, value, language);
      break;
    }
    at = close;
  }
  return out;
}

}  // namespace

Language language_of(std::string_view chosen, std::string_view locale) {
  if (chosen == "zh") return Language::chinese;
  if (chosen == "en") return Language::english;
  return locale.starts_with("zh") ? Language::chinese : Language::english;
}

std::string message_text(const Message& message, Language language) {
  const MessageText* text = find_message_text(message.id);
  if (!text) return printable(message.id);
  return fill(language == Language::chinese ? text->zh : text->en, message, language, 0);
}

std::string message_text(std::string_view id, Language language) {
  return message_text(Message{std::string(id), {}}, language);
}

std::string operator_text(std::string_view operator_name, Language language) {
  return message_text("operator." + std::string(operator_name), language);
}
std::string tier_text(Tier tier, Language language) {
  return message_text("tier." + std::string(tier_name(tier)), language);
}
std::string bucket_text(Bucket bucket, Language language) {
  return message_text("bucket." + std::string(bucket_name(bucket)), language);
}
std::string bound_text(Bound bound, Language language) {
  return message_text("bound." + std::string(bound_name(bound)), language);
}

std::string range_text(const NanosRange& range) {
  return duration_text(range.likely) + " (" + duration_text(range.low) + " .. " + duration_text(range.high) +
         ")";
}

std::string days_text(double low, double high) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.3g-%.3g d", low, high);
  return text.data();
}

}  // namespace pagoda
