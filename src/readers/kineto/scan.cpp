#include "readers/kineto/scan.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace pagoda::kineto {
namespace {

/// First quote or backslash at or after `at`; notes control characters on the way. Reads up to 15 bytes past
/// `end`, which the padding allows.
const char* quote_or_backslash(const char* at, const char* end, bool& control_character) {
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i last_control = _mm_set1_epi8(0x1f);
  for (; at < end; at += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i stop = _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash));
    const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, last_control), bytes);
    const auto stops = static_cast<unsigned>(_mm_movemask_epi8(stop));
    const auto controls = static_cast<unsigned>(_mm_movemask_epi8(control));
    if (stops == 0 && controls == 0) continue;
    const unsigned first = stops ? static_cast<unsigned>(__builtin_ctz(stops)) : 16;
    if (controls != 0 && static_cast<unsigned>(__builtin_ctz(controls)) < first &&
        at + __builtin_ctz(controls) < end) {
      control_character = true;
    }
    if (stops != 0) return at + first < end ? at + first : end;
  }
  return end;
#else
  for (; at < end && *at != '"' && *at != '\\'; ++at)
    control_character |= static_cast<unsigned char>(*at) < 0x20;
  return at;
#endif
}

constexpr std::array<std::int8_t, 256> bracket_steps() {
  std::array<std::int8_t, 256> steps{};
  steps['['] = steps['{'] = 1;
  steps[']'] = steps['}'] = -1;
  return steps;
}

/// First white space, comma or closing bracket. Reads up to 15 bytes past `end`.
const char* word_end(const char* at, const char* end) {
#if defined(__SSE2__)
  for (; at < end; at += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i space = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(' ')), bytes);
    const __m128i comma = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(','));
    const __m128i brackets =
        _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('}')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8(']')));
    const auto ends =
        static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(space, comma), brackets)));
    if (ends != 0) return std::min(at + __builtin_ctz(ends), end);
  }
  return end;
#else
  while (at < end && static_cast<unsigned char>(*at) > ' ' && *at != ',' && *at != '}' && *at != ']') ++at;
  return at;
#endif
}

constexpr bool is_escape(char c) {
  return c == '"' || c == '\\' || c == '/' || c == 'b' || c == 'f' || c == 'n' || c == 'r' || c == 't' ||
         c == 'u';
}

}  // namespace

bool Scanner::any_key(std::string_view& text) {
  Value value;
  if (peek() != '"') return unexpected();
  if (!string(Context::key, value)) return false;
  text = value.text;
  return take(':') || unexpected();
}

bool Scanner::value(Value& value) {
  const char c = peek();
  if (at_end()) return fail(ScanStatus::incomplete);
  if (c == '"') return string(Context::object_value, value);
  if (c == '[' || c == '{') return balanced(value);
  return bare_word(value);
}

/// `"`, a key, `"` and `:` after a comma: what follows a value of an object.
bool Scanner::key_follows(const char* comma) {
  const char* at = comma + 1;
  while (at < end_ && is_space(*at)) ++at;
  if (at >= end_) return ran_out_ = true, last_;
  if (*at != '"') return false;
  if (const char* const end = short_string_end(at + 1); end && end + 1 < end_ && end[1] == ':') return true;
  const auto* quote =
      static_cast<const char*>(std::memchr(at + 1, '"', static_cast<std::size_t>(end_ - at - 1)));
  if (!quote) return ran_out_ = true, last_;
  at = quote + 1;
  while (at < end_ && is_space(*at)) ++at;
  if (at >= end_) return ran_out_ = true, last_;
  return *at == ':';
}

/// A quote ends a string only where JSON can go on after it: else it is a raw quote inside a name.
bool Scanner::closes(const char* after_quote, Context context) {
  while (after_quote < end_ && is_space(*after_quote)) ++after_quote;
  if (after_quote >= end_) return ran_out_ = true, last_;
  switch (context) {
    case Context::key: return *after_quote == ':';
    case Context::array_value:  // or of an object in an array
      return *after_quote == ',' || *after_quote == ']' || *after_quote == ':' || *after_quote == '}';
    case Context::object_value:
      return *after_quote == '}' || (*after_quote == ',' && key_follows(after_quote));
  }
  return false;
}

bool Scanner::string(Context context, Value& value) {
  const char* const begin = ++at_;
  value.kind = ValueKind::string;
  value.escaped = false;
  for (const char* at = begin;; ++at) {
    at = quote_or_backslash(at, end_, oddities_.control_character);
    if (at >= end_) return fail(ScanStatus::incomplete);
    ran_out_ = false;
    bool ends = false;
    if (*at == '"') {
      ends = closes(at + 1, context);
      if (!ends && !ran_out_) oddities_.raw_quote = true;
    } else {
      if (at + 1 >= end_) return fail(ScanStatus::incomplete);
      value.escaped = true;
      if (!is_escape(at[1])) {
        oddities_.bad_escape = true;
        continue;
      }
      ++at;
      // A Windows path that ends in a raw backslash: `"C:\dir\", "pid":`.
      if (*at == '"' && context == Context::object_value && at + 1 < end_ && at[1] == ',') {
        ends = key_follows(at + 1);
        oddities_.bad_escape |= ends;
      }
    }
    if (ran_out_ && !last_) return fail(ScanStatus::incomplete);
    if (!ends) continue;
    value.text = {begin, static_cast<std::size_t>(at - begin)};
    at_ = at + 1;
    return true;
  }
}

bool Scanner::balanced(Value& value) {
  static constexpr auto kSteps = bracket_steps();
  const char* const begin = at_;
  value.kind = *at_ == '[' ? ValueKind::array : ValueKind::object;
  value.escaped = false;
  const bool array = value.kind == ValueKind::array;
  int depth = 0;
  while (at_ < end_) {
    const char c = *at_;
    if (c == '"') {
      Value inner;
      // Strings in nested objects end like strings in arrays, or before a colon.
      if (array ? !string(Context::array_value, inner) : false) return false;
      if (!array) {
        bool control = false;
        const char* quote = at_ + 1;
        while ((quote = quote_or_backslash(quote, end_, control)) < end_ && *quote == '\\') quote += 2;
        if (quote >= end_) return fail(ScanStatus::incomplete);
        at_ = quote + 1;
      }
      continue;
    }
    depth += kSteps[static_cast<unsigned char>(c)];
    ++at_;
    if (depth == 0) {
      value.text = {begin, static_cast<std::size_t>(at_ - begin)};
      return true;
    }
  }
  return fail(ScanStatus::incomplete);
}

bool Scanner::bare_word(Value& value) {
  const char* const begin = at_;
  at_ = word_end(at_, end_);
  if (at_ >= end_ && !last_) return fail(ScanStatus::incomplete);
  value.text = {begin, static_cast<std::size_t>(at_ - begin)};
  value.escaped = false;
  const char c = value.text.empty() ? '\0' : value.text.front();
  const bool digit = (c >= '0' && c <= '9');
  const bool sign = (c == '-' && value.text.size() > 1 && value.text[1] >= '0' && value.text[1] <= '9');
  value.kind = digit || sign ? ValueKind::number : ValueKind::literal;
  if (value.text.empty()) return unexpected();
  // null, true, false, NaN, Infinity, -Infinity, nan, inf: letters and a sign; anything else is damage.
  if (value.kind == ValueKind::literal &&
      !(c == '-' || c == '+' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')))
    return fail(ScanStatus::damaged);
  return true;
}

const char* next_event(const char* at, const char* end) {
  static constexpr std::array<std::string_view, 11> kKeys = {"ph", "cat", "name", "args", "pid", "tid",
                                                             "ts", "dur", "id",   "bp",   "s"};
  const auto skip = [&](const char* from) {
    while (from < end && (*from == ' ' || *from == '\n' || *from == '\r' || *from == '\t')) ++from;
    return from;
  };
  while (at < end) {
    at = static_cast<const char*>(std::memchr(at, '}', static_cast<std::size_t>(end - at)));
    if (!at) return nullptr;
    const char* comma = skip(++at);
    if (comma >= end || *comma != ',') continue;
    const char* brace = skip(comma + 1);
    if (brace >= end || *brace != '{') continue;
    const char* quote = skip(brace + 1);
    if (quote >= end || *quote != '"') continue;
    for (std::string_view key : kKeys) {
      if (static_cast<std::size_t>(end - quote) > key.size() + 1 && quote[key.size() + 1] == '"' &&
          std::string_view(quote + 1, key.size()) == key) {
        return brace;
      }
    }
  }
  return nullptr;
}

}  // namespace pagoda::kineto
