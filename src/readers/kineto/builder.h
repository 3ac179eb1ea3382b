#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "readers/kineto/categories.h"
#include "readers/kineto/event.h"
#include "trace/trace.h"

namespace pagoda::kineto {

/// Turns events into rows of a Trace.
class Builder {
 public:
  explicit Builder(Trace& trace);

  void add(const Event& event);
  /// After the last event: what needs all of them.
  void finish();

 private:
  struct Time {
    Nanos start_ns;
    Nanos duration_ns;
  };

  void complete(const Event& event, Category category, std::uint64_t offset);
  void gpu_event(const Event& event, GpuEventKind kind, Time time, std::uint64_t offset);
  void gpu_annotation(const Event& event, Time time, std::uint64_t offset);
  void runtime_call(const Event& event, Time time);
  void scope(const Event& event, ScopeKind kind, Time time);
  void memory(const Event& event);
  void flow(const Event& event, char phase, std::uint64_t offset);
  void metadata(const Event& event);

  std::optional<Time> time_of(const Event& event, std::uint64_t offset);
  void note_oddities(const Event& event, std::uint64_t offset);
  void drop_zero_timestamps();

  StringId text(const Value& value);
  StringId json(const Value& value);
  std::uint32_t thread(const Value& pid, const Value& tid);
  std::uint32_t device(const Event& event);
  std::uint32_t device_row(std::int64_t id);
  std::uint32_t details(const Event& event);
  std::uint32_t op_args(const Event& event);
  std::uint32_t collective(const Event& event);
  StringId kernel_metadata(const Event& event);

  /// Row of `row`, added when new; kNone for a row that says nothing.
  template <typename Row, typename Hash>
  static std::uint32_t share(std::unordered_map<Row, std::uint32_t, Hash>& known, std::vector<Row>& rows,
                             const Row& row);

  struct DetailsHash {
    std::size_t operator()(const KernelDetails& row) const;
  };
  struct OpArgsHash {
    std::size_t operator()(const OpArgs& row) const;
  };
  struct CollectiveHash {
    std::size_t operator()(const Collective& row) const;
  };
  struct FlowEnd {
    Nanos at_ns;
    std::uint32_t thread;
    bool forward;
  };
  /// The last pids and tids seen, as spelled: an event's thread is nearly always one of a few.
  struct ThreadMemo {
    std::string pid, tid;
    std::uint32_t thread = kNone;
  };

  Trace& trace_;
  CategoryTable categories_;
  std::unordered_map<KernelDetails, std::uint32_t, DetailsHash> known_details_;
  std::unordered_map<OpArgs, std::uint32_t, OpArgsHash> known_args_;
  std::unordered_map<Collective, std::uint32_t, CollectiveHash> known_collectives_;
  StringPool raw_json_;  // JSON as spelled
  std::vector<StringId>
      compact_json_;  // by id of raw_json_: the same without white space, in the trace's pool
  std::unordered_map<std::uint64_t, FlowEnd> flows_;
  std::map<std::string, std::uint32_t> processes_;
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> threads_;
  std::vector<ThreadMemo> memo_;
  std::size_t next_memo_ = 0;
  std::map<std::int64_t, std::uint32_t> devices_;
  std::int64_t last_device_id_ = -1;
  std::uint32_t last_device_ = kNone;
  std::string scratch_;
  std::map<std::string, StringId> process_names_;
  std::map<std::pair<std::string, std::string>, StringId> thread_names_;
  std::uint64_t zero_timestamps_ = 0;
  std::uint64_t first_zero_timestamp_ = 0;
};

}  // namespace pagoda::kineto
