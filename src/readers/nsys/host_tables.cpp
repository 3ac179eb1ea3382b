// What the host did: CUDA calls and NVTX ranges.
#include "readers/nsys/importer.h"
#include "readers/nsys/nvtx_text.h"

namespace pagoda::nsys {
namespace {

// ENUM_NSYS_EVENT_TYPE, the same numbers in every schema.
constexpr std::int64_t kMark = 34;
constexpr std::int64_t kPushPopRange = 59;
constexpr std::int64_t kStartEndRange = 60;
constexpr std::int64_t kDomainCreate = 75;

}  // namespace

void Importer::read_api_calls(std::string_view table) {
  Rows rows(database_, table, {"start", "end", "globalTid", "correlationId", "nameId"});
  while (rows.next()) {
    seen();
    const auto time = time_of(rows, table, TimeRule::host);
    if (!time) continue;
    Launch call;
    call.start_ns = time->start_ns;
    call.duration_ns = time->duration_ns;
    call.thread = thread_of(rows.integer(2));
    call.process = process_of(rows.integer(2));
    call.correlation = static_cast<std::uint64_t>(rows.integer(3).value_or(0));
    call.name = string(rows.integer(4));
    call.kind = classify_runtime_call(trace_.text(call.name));
    trace_.launches.push_back(call);
  }
  finish(rows, table);
}

void Importer::read_nvtx_domains() {
  Rows rows(database_, "NVTX_EVENTS", {"text", "textId", "domainId", "globalTid"}, "eventType");
  if (!database_.has_column("NVTX_EVENTS", "eventType")) return;
  rows.bind(kDomainCreate);
  while (rows.next()) {
    const auto domain = rows.integer(2);
    if (!domain || *domain == 0 || !rows.integer(3)) continue;
    const std::string_view name = rows.text(0) ? *rows.text(0) : trace_.text(string(rows.integer(1)));
    domains_[{process_of(rows.integer(3)), *domain}] = name;
  }
}

void Importer::read_nvtx() {
  Rows rows(database_, "NVTX_EVENTS",
            {"start", "end", "eventType", "text", "textId", "globalTid", "domainId"});
  while (rows.next()) {
    const auto type = rows.integer(2);
    const bool range = type == kPushPopRange || type == kStartEndRange || !type;
    if (!range && type != kMark) continue;  // names of domains, categories and threads are not events
    seen();
    // A mark, or a range still open when the capture stopped: its start is all that is known.
    const bool open = rows.is_null(1);
    const auto time = time_of(rows, "NVTX_EVENTS", open ? TimeRule::mark : TimeRule::host);
    if (!time) continue;
    if (open && range && type) trace_.diagnostics.add("open_range", {}, "NVTX range without an end");
    add_scope(rows, *time, rows.text(3) ? *rows.text(3) : trace_.text(string(rows.integer(4))));
  }
  finish(rows, "NVTX_EVENTS");
}

void Importer::add_scope(const Rows& rows, Time time, std::string_view text) {
  const NvtxText parsed = parse_nvtx_text(text);
  HostScope scope;
  scope.start_ns = time.start_ns;
  scope.duration_ns = time.duration_ns;
  scope.thread = thread_of(rows.integer(5));
  scope.kind = parsed.is_op ? ScopeKind::op : ScopeKind::annotation;
  const auto domain =
      scope.thread == kNone
          ? domains_.end()
          : domains_.find({trace_.threads[scope.thread].process, rows.integer(6).value_or(0)});
  scope.name = domain == domains_.end() || domain->second.empty()
                   ? trace_.strings.intern(parsed.name)
                   : trace_.strings.intern(domain->second + ":" + std::string(parsed.name));
  if (!parsed.dims.empty()) {
    const StringId dims = trace_.strings.intern(parsed.dims);
    const auto [found, fresh] =
        dims_rows_.try_emplace(dims, static_cast<std::uint32_t>(trace_.op_args.size()));
    if (fresh) trace_.op_args.push_back({.dims = dims});
    scope.args = found->second;
  }
  if (parsed.sequence_number) {
    scope.autograd = static_cast<std::uint32_t>(trace_.autograd.size());
    trace_.autograd.push_back({*parsed.sequence_number, 0});
  }
  trace_.scopes.push_back(scope);
}

/// Records that are no work of a device (a wait is not work) and say nothing the host calls do not say
/// already.
void Importer::count_only(std::string_view table, std::string_view category) {
  Rows rows(database_, table, {"start", "deviceId"});
  std::uint64_t count = 0;
  for (; rows.next(); ++count) seen();
  if (count > 0) trace_.other_categories[std::string(category)] += count;
  finish(rows, table);
}

}  // namespace pagoda::nsys
