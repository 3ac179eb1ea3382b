#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "readers/kineto/event.h"
#include "readers/kineto/header.h"
#include "readers/kineto/window.h"
#include "trace/diagnostics.h"

namespace pagoda::kineto {

/// Events of one stretch of the content, with the text that they point into.
struct Batch {
  std::unique_ptr<char[]> text;
  std::vector<Event> events;
  std::vector<ArgValue> args;
  std::uint64_t disk_position = 0;

  const Event& event(std::size_t i) {
    events[i].args = args.data() + events[i].first_arg;
    return events[i];
  }
};

/// Cuts a trace into batches of events; everything else at the root goes into a Header. Damage is counted and
/// passed over.
class Tokenizer {
 public:
  explicit Tokenizer(Content& content);

  /// `give` returns false to stop. Members below are complete when this returns.
  void run(const std::function<bool(Batch)>& give);

  const Header& header() const { return header_; }
  const Diagnostics& diagnostics() const { return diagnostics_; }
  bool truncated() const { return truncated_; }
  std::uint64_t content_bytes() const { return window_.offset() + window_.size(); }
  std::uint64_t unreadable_events() const { return unreadable_events_; }

 private:
  Scanner scanner() const { return {window_.at(), window_.end(), window_.last()}; }
  bool more();
  char peek();
  bool take(char c);
  template <typename Step>
  ScanStatus with_enough_text(const Step& step);

  void read_root();
  bool read_root_key();
  void root_ends(ScanStatus status);
  void skip_to_events();
  void read_events();
  bool skip_damage(std::uint64_t offset);
  void end_truncated(std::string_view why);
  void hand_over();

  Content& content_;
  Window window_;
  Batch batch_;
  std::function<bool(Batch)> give_;
  Header header_;
  Diagnostics diagnostics_;
  std::uint64_t unreadable_events_ = 0;
  bool truncated_ = false;
  bool stopped_ = false;
};

}  // namespace pagoda::kineto
