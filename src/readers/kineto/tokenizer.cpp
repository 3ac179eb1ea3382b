#include "readers/kineto/tokenizer.h"

#include <algorithm>

namespace pagoda::kineto {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
/// Small enough for the events made of it to be in cache when they are used.
constexpr std::size_t kWindowBytes = std::size_t{1} << 20;

}  // namespace

Tokenizer::Tokenizer(Content& content) : content_(content), window_(content, kWindowBytes) {}

void Tokenizer::run(const std::function<bool(Batch)>& give) {
  give_ = give;
  read_root();
  hand_over();
  if (content_.damaged()) end_truncated("the compressed stream is damaged");
}

void Tokenizer::hand_over() {
  if (batch_.events.empty()) return;
  batch_.text = window_.detach();
  batch_.disk_position = content_.disk_position();
  const std::size_t events = batch_.events.size();
  const std::size_t args = batch_.args.size();
  if (!give_(std::move(batch_))) stopped_ = true;
  batch_ = {};
  batch_.events.reserve(events + events / 8);
  batch_.args.reserve(args + args / 8);
}

bool Tokenizer::more() {
  hand_over();  // its events point into the window's buffer
  return !stopped_ && window_.more();
}

/// First character that is no white space; 0 at the end of the content.
char Tokenizer::peek() {
  while (true) {
    Scanner scan = scanner();
    const char c = scan.peek();
    window_.advance_to(scan.at());
    if (!scan.at_end()) return c;
    if (!more()) return '\0';
  }
}

bool Tokenizer::take(char c) {
  if (peek() != c || window_.size() == 0) return false;
  window_.advance_to(window_.at() + 1);
  return true;
}

/// Runs `step` on a scanner; when the text in memory ends too early, reads on and starts over.
template <typename Step>
ScanStatus Tokenizer::with_enough_text(const Step& step) {
  while (true) {
    Scanner scan = scanner();
    if (step(scan)) {
      window_.advance_to(scan.at());
      return ScanStatus::whole;
    }
    if (scan.status() == ScanStatus::damaged) return ScanStatus::damaged;
    if (!more()) return window_.last() || stopped_ ? ScanStatus::incomplete : ScanStatus::damaged;
  }
}

void Tokenizer::end_truncated(std::string_view why) {
  if (truncated_ || stopped_) return;
  truncated_ = true;
  diagnostics_.add("truncated", window_.offset(), why);
}

void Tokenizer::read_root() {
  window_.more();
  if (std::string_view(window_.at(), window_.size()).starts_with(kByteOrderMark)) {
    window_.advance_to(window_.at() + kByteOrderMark.size());
  }
  if (take('[')) return read_events();
  if (!take('{')) return;
  while (!take('}')) {
    if (!read_root_key()) return;
    if (!take(',') && peek() != '}') return root_ends(ScanStatus::damaged);
  }
}

void Tokenizer::root_ends(ScanStatus status) {
  if (status == ScanStatus::incomplete || window_.size() == 0)
    return end_truncated("the end of the file is missing");
  diagnostics_.add("unreadable_header", window_.offset());
  skip_to_events();
}

bool Tokenizer::read_root_key() {
  std::string key;
  const ScanStatus status = with_enough_text([&](Scanner& scan) {
    std::string_view text;
    if (!scan.key(text)) return false;
    key = text;
    return true;
  });
  if (status != ScanStatus::whole) return root_ends(status), false;
  if (key == "traceEvents" && peek() == '[') {
    take('[');
    read_events();
    return !truncated_ && !stopped_;
  }
  const ScanStatus value_status = with_enough_text([&](Scanner& scan) {
    Value value;
    if (!scan.value(value)) return false;
    const std::string text(value.text);
    header_.add(key, value.is_string() ? '"' + text + '"' : text);
    return true;
  });
  if (value_status != ScanStatus::whole) return root_ends(value_status), false;
  return true;
}

/// After damage at the root: the events are what matters.
void Tokenizer::skip_to_events() {
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
    if (!more()) return;
  }
}

/// Up to the ']' that ends the list, or the end of the content.
void Tokenizer::read_events() {
  while (!stopped_) {
    const char next = peek();
    if (next == ']') return static_cast<void>(take(']'));
    if (next == '\0' && window_.size() == 0) return end_truncated("the end of the list of events is missing");
    if (next == ',') {
      take(',');
      continue;
    }
    const std::uint64_t offset = window_.offset();
    ScanStatus status = ScanStatus::damaged;
    if (next == '{') {
      status = with_enough_text([&](Scanner& scan) {
        const std::size_t args = batch_.args.size();
        Event& event = batch_.events.emplace_back();
        event.offset = offset;
        if (read_event(scan, event, batch_.args)) {
          // What follows proves that the event ended where it seems to.
          const char after = scan.peek();
          if (scan.at_end() ? window_.last() : after == ',' || after == ']') return true;
          scan.unexpected();
        }
        batch_.events.pop_back();
        batch_.args.resize(args);
        return false;
      });
    }
    if (status == ScanStatus::incomplete) return end_truncated("the last event is cut");
    if (status == ScanStatus::damaged && !skip_damage(offset)) return;
  }
}

/// Counts the damage and goes to where an event begins; false when none follows.
bool Tokenizer::skip_damage(std::uint64_t offset) {
  ++unreadable_events_;
  diagnostics_.add("unreadable_event", offset, {window_.at(), std::min<std::size_t>(window_.size(), 60)});
  while (true) {
    if (const char* next = next_event(window_.at(), window_.end())) {
      window_.advance_to(next);
      return true;
    }
    constexpr std::size_t kBoundaryBytes = 256;  // longer than `}, {"name"` with its white space
    if (window_.size() > kBoundaryBytes) window_.advance_to(window_.end() - kBoundaryBytes);
    if (more()) continue;
    const bool closed = std::string_view(window_.at(), window_.size()).find(']') != std::string_view::npos;
    window_.advance_to(window_.end());
    if (!closed) end_truncated("the end of the list of events is missing");
    return false;
  }
}

}  // namespace pagoda::kineto
