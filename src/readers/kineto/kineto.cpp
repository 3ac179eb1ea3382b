#include "readers/kineto/kineto.h"

#include <array>

#include "core/handover.h"
#include "readers/kineto/builder.h"
#include "readers/kineto/tokenizer.h"

namespace pagoda {
namespace kineto {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

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

/// Room for what a plain file of this size can hold. Pages that stay empty cost nothing, growing tables
/// would.
void reserve_tables(Trace& trace, std::uint64_t bytes) {
  trace.scopes.reserve(bytes / 256);
  trace.launches.reserve(bytes / 1024);
  trace.gpu_events.reserve(bytes / 1024);
}

/// One thread cuts the text into events while this one makes rows of them.
Trace read(Content& content, const ReadOptions& options) {
  constexpr std::size_t kBatchesAhead = 3;
  Trace trace;
  trace.path = content.name();
  trace.format = "kineto";
  reserve_tables(trace, content.plain_bytes());
  Builder builder(trace);
  Tokenizer tokenizer(content);
  {
    Handover<Batch> batches(kBatchesAhead, [&](const auto& give) { tokenizer.run(give); });
    while (auto batch = batches.take()) {
      for (std::size_t i = 0; i < batch->events.size(); ++i) builder.add(batch->event(i));
      if (options.progress) options.progress(batch->disk_position, content.disk_bytes());
    }
  }
  trace.content_bytes = tokenizer.content_bytes();
  trace.event_count += tokenizer.unreadable_events();
  trace.truncated = tokenizer.truncated();
  trace.diagnostics.merge(tokenizer.diagnostics());
  builder.finish();
  tokenizer.header().apply(trace);
  link(trace);
  return trace;
}

}  // namespace
}  // namespace kineto

const Format kKinetoFormat = {"kineto", kineto::sniff, kineto::read};

}  // namespace pagoda
