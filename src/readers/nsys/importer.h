#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "readers/nsys/database.h"
#include "readers/reader.h"

namespace pagoda::nsys {

/// Turns the tables of one export into a Trace, a row at a time: memory is that of the rows kept.
/// Each table is read on its own, so damage in one costs only the rest of that one.
class Importer {
 public:
  Importer(const Database& database, Trace& trace, const ReadOptions& options, std::uint64_t total_bytes);

  void run();

 private:
  enum class TimeRule {
    host,  ///< may be empty
    mark,  ///< the start alone
    gpu    ///< work takes time
  };
  struct Time {
    Nanos start_ns = 0;
    Nanos duration_ns = 0;
  };

  // targets.cpp
  void read_export_metadata();
  void read_gpus();
  void read_cuda_ordinals();
  void name_processes_and_threads();
  void sort_devices();

  // host_tables.cpp
  void read_api_calls(std::string_view table);
  void read_nvtx_domains();
  void read_nvtx();
  void add_scope(const Rows& rows, Time time, std::string_view text);
  void count_only(std::string_view table, std::string_view category);

  // gpu_tables.cpp
  void read_kernels();
  void read_memcpy();
  void read_memset();
  void read_whole_graphs();
  std::optional<GpuEvent> gpu_event(const Rows& rows, std::string_view table);
  std::uint32_t details_row(const KernelDetails& details);

  // importer.cpp: what all of them use
  void finish(const Rows& rows, std::string_view table);
  void seen();
  std::optional<Time> time_of(const Rows& rows, std::string_view table, TimeRule rule);
  StringId string(std::optional<std::int64_t> id);
  void load_all_strings();
  std::uint32_t process_of(std::optional<std::int64_t> global_id);
  std::uint32_t thread_of(std::optional<std::int64_t> global_id);
  std::uint32_t device_of(std::int64_t device_id, std::uint32_t process);
  std::uint32_t device_row(std::int64_t physical_id);

  struct HashDetails {
    std::size_t operator()(const KernelDetails& details) const;
  };

  const Database& database_;
  Trace& trace_;
  const ReadOptions& options_;
  std::uint64_t total_bytes_;

  Rows string_lookup_;
  bool strings_loaded_ = false;
  std::unordered_map<std::int64_t, StringId> string_ids_;
  std::unordered_map<std::int64_t, std::uint32_t> process_rows_;                // by globalPid
  std::vector<std::int64_t> pids_;                                              // by process row
  std::unordered_map<std::int64_t, std::uint32_t> thread_rows_;                 // by globalTid
  std::unordered_map<std::int64_t, std::uint32_t> device_rows_;                 // by physical id
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> physical_ids_;  // by pid and CUDA ordinal
  std::map<std::pair<std::uint32_t, std::int64_t>, std::string> domains_;       // by process row and domainId
  std::unordered_map<KernelDetails, std::uint32_t, HashDetails> details_rows_;
  std::unordered_map<StringId, std::uint32_t> dims_rows_;
};

}  // namespace pagoda::nsys
