#pragma once
#include <string>
#include <string_view>

#include "trace/trace.h"

namespace pagoda::kineto {

/// The trace's root keys other than traceEvents, gathered as they pass by: some exporters write them before
/// the events, some after.
class Header {
 public:
  void add(std::string_view key, std::string_view json);
  /// deviceProperties, distributedInfo, versions and profiler flags into the trace. Host and user names,
  /// environment and job ids are not kept.
  void apply(Trace& trace) const;

 private:
  std::string document_ = "{";
};

}  // namespace pagoda::kineto
