#pragma once
#include "analysis/account.h"

namespace pagoda {

/// A small made-up account whose figures add up: one device, 1 ms, half of it idle.
inline Analysis sample_analysis() {
  Analysis analysis;
  FileSummary& file = analysis.files.emplace_back();
  file.path = "folder/trace.json";
  file.format = "kineto";
  file.events = 42;
  file.other_categories["ac2g"] = 7;
  DeviceAccount& device = analysis.devices.emplace_back();
  device.name = "NVIDIA H200";
  device.file = file.path;
  device.window_label = "all";
  device.window_ns = 1'000'000;
  device.busy_ns = 500'000;
  device.idle_ns = 500'000;
  device.compute_ns = 450'000;
  device.communication_ns = 100'000;
  device.exposed_communication_ns = 50'000;
  device.overlapped_communication_ns = 50'000;
  device.counts = {10, 1, 0, 0};
  device.kernel_sum_ns = {460'000, 100'000, 0, 0};
  device.buckets_ns[static_cast<std::size_t>(Bucket::unclassified)] = 450'000;
  device.buckets_ns[static_cast<std::size_t>(Bucket::exposed_communication)] = 50'000;
  device.buckets_ns[static_cast<std::size_t>(Bucket::idle_launch)] = 500'000;
  device.streams.push_back({7, 11, 500'000, 1, 10'000});
  OperatorRow mm;
  mm.name = "aten::mm";
  mm.shapes = "[1,4096] [4096,4096]";
  mm.phase = Phase::forward;
  mm.how = Attributed::correlation;
  mm.time_ns = 460'000;
  mm.calls = 10;
  mm.gpu_events = 10;
  analysis.operators.push_back(mm);
  OperatorRow reduce;
  reduce.name = "ncclDevKernel_AllReduce";
  reduce.how = Attributed::launch_only;
  reduce.time_ns = 100'000;
  reduce.calls = 1;
  reduce.gpu_events = 1;
  analysis.operators.push_back(reduce);
  analysis.idle_causes.push_back({Bucket::idle_launch, "cudaLaunchKernel of aten::mm", 500'000, 9});
  CollectiveRow collective;
  collective.name = "allreduce";
  collective.calls = 1;
  collective.time_ns = collective.median_ns = collective.p99_ns = 100'000;
  analysis.collectives.push_back(collective);
  analysis.diagnostics.add("negative_duration", 1'234, "kernel", 2);
  analysis.warnings.push_back("1 of 2 ranks given");
  analysis.steps = 4;
  return analysis;
}

}  // namespace pagoda
