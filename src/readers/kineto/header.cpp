#include "readers/kineto/header.h"

#include <algorithm>
#include <array>

#include <simdjson.h>

namespace pagoda::kineto {
namespace {

namespace dom = simdjson::dom;

std::optional<std::int64_t> integer(const dom::element& object, const char* key) {
  std::int64_t value = 0;
  if (object[key].get_int64().get(value) == simdjson::SUCCESS) return value;
  return std::nullopt;
}

std::uint64_t positive(const dom::element& object, const char* key) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(integer(object, key).value_or(0), 0));
}

Device& device_of(Trace& trace, std::int64_t id) {
  for (Device& device : trace.devices) {
    if (device.id == id) return device;
  }
  trace.devices.emplace_back();
  trace.devices.back().id = id;
  return trace.devices.back();
}

void apply_device(const dom::element& properties, Trace& trace) {
  const auto id = integer(properties, "id");
  if (!id) return;
  Device& device = device_of(trace, *id);
  std::string_view name;
  if (properties["name"].get_string().get(name) == simdjson::SUCCESS) device.name = name;
  device.compute_major = static_cast<int>(integer(properties, "computeMajor").value_or(0));
  device.compute_minor = static_cast<int>(integer(properties, "computeMinor").value_or(0));
  device.sm_count = static_cast<int>(integer(properties, "numSms").value_or(0));
  device.warp_size = static_cast<int>(integer(properties, "warpSize").value_or(0));
  device.total_memory_bytes = positive(properties, "totalGlobalMem");
  device.shared_memory_per_sm_bytes = std::max(positive(properties, "sharedMemPerMultiprocessor"),
                                               positive(properties, "maxSharedMemoryPerMultiProcessor"));
}

/// Versions and flags tell how to read a profile; everything else at the root is about a person or a machine.
bool is_metadata(std::string_view key) {
  constexpr std::array<std::string_view, 6> kFlags = {"record_shapes", "with_stack",     "with_flops",
                                                      "with_modules",  "profile_memory", "schemaVersion"};
  return key.ends_with("_version") || std::find(kFlags.begin(), kFlags.end(), key) != kFlags.end();
}

void apply_distributed(const dom::element& info, Trace& trace) {
  if (const auto rank = integer(info, "rank"); rank && *rank >= 0) trace.rank = rank;
  if (const auto world = integer(info, "world_size"); world && *world > 0) trace.world_size = world;
  std::string_view nccl;
  if (info["nccl_version"].get_string().get(nccl) == simdjson::SUCCESS) trace.metadata["nccl_version"] = nccl;
}

}  // namespace

void Header::add(std::string_view key, std::string_view json) {
  if (document_.size() > 1) document_ += ',';
  document_ += '"';
  document_ += key;
  document_ += "\":";
  document_ += json;
}

void Header::apply(Trace& trace) const {
  dom::parser parser;
  dom::element root;
  const std::string document = document_ + "}";
  if (parser.parse(document).get(root) != simdjson::SUCCESS) {
    trace.diagnostics.add("unreadable_header", {}, "device properties and rank are unknown");
    return;
  }
  dom::array devices;
  if (root["deviceProperties"].get_array().get(devices) == simdjson::SUCCESS) {
    for (const dom::element properties : devices) apply_device(properties, trace);
  }
  dom::element distributed;
  if (root["distributedInfo"].get(distributed) == simdjson::SUCCESS) apply_distributed(distributed, trace);
  dom::object all;
  if (root.get_object().get(all) != simdjson::SUCCESS) return;
  for (const auto field : all) {
    if (!is_metadata(field.key)) continue;
    std::string_view text;
    trace.metadata[std::string(field.key)] = field.value.get_string().get(text) == simdjson::SUCCESS
                                                 ? std::string(text)
                                                 : simdjson::minify(field.value);
  }
}

}  // namespace pagoda::kineto
