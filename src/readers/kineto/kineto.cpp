#include "readers/kineto/kineto.h"

#include <array>

#include "core/error.h"
#include "readers/kineto/builder.h"
#include "readers/kineto/header.h"
#include "readers/kineto/window.h"

namespace pagoda {
namespace kineto {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kWindowBytes = std::size_t{4} << 20;
constexpr std::uint64_t kProgressStepBytes = std::uint64_t{16} << 20;

std::string_view without_space(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool sniff(std::string_view head) {
  const std::string_view text = without_space(head);
  if (text.empty()) return false;
  if (text[0] == '{') {
    constexpr std::array<std::string_view, 5> kRootKeys = {"\"traceEvents\"", "\"deviceProperties\"",
                                                           "\"distributedInfo\"", "\"schemaVersion\"",
                                                           "\"displayTimeUnit\""};
    for (std::string_view key : kRootKeys) {
      if (contains(text, key)) return true;
    }
    return false;
  }
  if (text[0] != '[') return false;
  const std::string_view first = without_space(text.substr(1));
  return !first.empty() && first[0] == '{' && contains(first, "\"ph\"");
}

/// Reads one trace: the root's keys into a Header, the events into a Builder.
class Reader {
 public:
  Reader(Content& content, const ReadOptions& options)
      : content_(content), options_(options), window_(content, kWindowBytes), builder_(trace_) {}

  Trace read() {
    trace_.path = content_.name();
    trace_.format = "kineto";
    read_root();
    trace_.content_bytes = window_.offset() + window_.size();
    if (content_.damaged()) truncated("the compressed stream is damaged");
    builder_.finish();
    header_.apply(trace_);
    link(trace_);
    if (options_.progress) options_.progress(trace_.content_bytes, trace_.content_bytes);
    return std::move(trace_);
  }

 private:
  Scanner scanner() const { return {window_.at(), window_.end(), window_.last()}; }

  /// First character that is no white space; 0 at the end of the content.
  char peek() {
    while (true) {
      Scanner scan = scanner();
      const char c = scan.peek();
      window_.advance_to(scan.at());
      if (!scan.at_end()) return c;
      if (!window_.more()) return '\0';
    }
  }
  bool take(char c) {
    if (peek() != c || window_.size() == 0) return false;
    window_.advance_to(window_.at() + 1);
    return true;
  }
  /// Runs `step` on a scanner; when the text in memory ends too early, reads on and starts over.
  template <typename Step>
  ScanStatus with_enough_text(const Step& step) {
    while (true) {
      Scanner scan = scanner();
      if (step(scan)) {
        window_.advance_to(scan.at());
        return ScanStatus::whole;
      }
      if (scan.status() == ScanStatus::damaged) return ScanStatus::damaged;
      if (!window_.more()) return window_.last() ? ScanStatus::incomplete : ScanStatus::damaged;
    }
  }

  void truncated(std::string_view why) {
    if (trace_.truncated) return;
    trace_.truncated = true;
    trace_.diagnostics.add("truncated", window_.offset(), why);
  }

  void read_root() {
    window_.more();
    if (std::string_view(window_.at(), window_.size()).starts_with(kByteOrderMark))
      window_.advance_to(window_.at() + kByteOrderMark.size());
    if (take('[')) return read_events();
    if (!take('{')) return;
    while (!take('}')) {
      if (!read_root_key()) return;
      if (!take(',') && peek() != '}') return root_ends();
    }
  }

  void root_ends() {
    if (window_.size() == 0) return truncated("the end of the file is missing");
    trace_.diagnostics.add("unreadable_header", window_.offset());
    skip_to_events();
  }

  bool read_root_key() {
    std::string key;
    const ScanStatus status = with_enough_text([&](Scanner& scan) {
      std::string_view text;
      if (!scan.key(text)) return false;
      key = text;
      return true;
    });
    if (status != ScanStatus::whole) return root_ends(), false;
    if (key == "traceEvents" && peek() == '[') {
      take('[');
      read_events();
      return !trace_.truncated;
    }
    const ScanStatus value_status = with_enough_text([&](Scanner& scan) {
      Value value;
      if (!scan.value(value)) return false;
      header_.add(key, value.is_string() ? '"' + std::string(value.text) + '"' : std::string(value.text));
      return true;
    });
    if (value_status != ScanStatus::whole) return root_ends(), false;
    return true;
  }

  /// After damage at the root: the events are what matters.
  void skip_to_events() {
    constexpr std::string_view kKey = "\"traceEvents\"";
    while (true) {
      const std::string_view text(window_.at(), window_.size());
      const std::size_t found = text.find(kKey);
      if (found != std::string_view::npos) {
        window_.advance_to(window_.at() + found + kKey.size());
        if (take(':') && take('[')) return read_events();
        continue;
      }
      if (text.size() > kKey.size()) window_.advance_to(window_.end() - kKey.size());
      if (!window_.more()) return;
    }
  }

  /// Up to the ']' that ends the list, or the end of the content.
  void read_events() {
    Event event;
    while (true) {
      const char next = peek();
      if (next == ']') return static_cast<void>(take(']'));
      if (next == '\0' && window_.size() == 0) return truncated("the end of the list of events is missing");
      if (next == ',') {
        take(',');
        continue;
      }
      const std::uint64_t offset = window_.offset();
      const ScanStatus status = next == '{' ? with_enough_text([&](Scanner& scan) {
        if (!read_event(scan, event)) return false;
        // What follows proves that the event ended where it seems to.
        const char after = scan.peek();
        const bool ended = scan.at_end() ? window_.last() : after == ',' || after == ']';
        return ended || scan.unexpected();
      })
                                            : ScanStatus::damaged;
      if (status == ScanStatus::incomplete) return truncated("the last event is cut");
      if (status == ScanStatus::damaged) {
        if (!skip_damage(offset)) return;
        continue;
      }
      builder_.add(event, offset);
      report_progress();
    }
  }

  /// Counts the damage and goes to where an event begins; false when none follows.
  bool skip_damage(std::uint64_t offset) {
    ++trace_.event_count;
    const std::string_view sample(window_.at(), std::min<std::size_t>(window_.size(), 60));
    trace_.diagnostics.add("unreadable_event", offset, sample);
    const char* from = window_.at();
    while (true) {
      if (const char* next = next_event(from, window_.end())) {
        window_.advance_to(next);
        return true;
      }
      constexpr std::size_t kBoundaryBytes = 256;  // longer than `}, {"name"` with its white space
      if (window_.size() > kBoundaryBytes) window_.advance_to(window_.end() - kBoundaryBytes);
      const std::size_t left = window_.size();
      if (!window_.more()) {
        window_.advance_to(window_.end());
        if (std::string_view(window_.end() - left, left).find(']') == std::string_view::npos)
          truncated("the end of the list of events is missing");
        return false;
      }
      from = window_.at();
    }
  }

  void report_progress() {
    if (!options_.progress || window_.offset() < next_progress_) return;
    next_progress_ = window_.offset() + kProgressStepBytes;
    options_.progress(content_.disk_position(), content_.disk_bytes());
  }

  Content& content_;
  const ReadOptions& options_;
  Trace trace_;
  Window window_;
  Builder builder_;
  Header header_;
  std::uint64_t next_progress_ = 0;
};

Trace read(Content& content, const ReadOptions& options) { return Reader(content, options).read(); }

}  // namespace
}  // namespace kineto

const Format kKinetoFormat = {"kineto", kineto::sniff, kineto::read};

}  // namespace pagoda
