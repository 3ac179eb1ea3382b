#include "hardware/hardware.h"

#include <set>

#include <gtest/gtest.h>

#include "core/error.h"

namespace pagoda {
namespace {

Device device(double memory_gb, int sm_count, int major, int minor) {
  Device result;
  result.total_memory_bytes = static_cast<std::uint64_t>(memory_gb * 1e9);
  result.sm_count = sm_count;
  result.compute_major = major;
  result.compute_minor = minor;
  return result;
}

std::string id_of(std::string_view name, const Device& properties = {}) {
  const auto gpu = find_gpu(name, properties);
  return gpu ? gpu->id : "unknown";
}

TEST(Hardware, EveryModelHasASourceAndSaneFigures) {
  std::set<std::string> ids;
  for (const GpuSpec& gpu : GpuCatalogue::built_in().gpus()) {
    EXPECT_TRUE(ids.insert(gpu.id).second) << gpu.id;
    EXPECT_FALSE(gpu.source.empty()) << gpu.id;
    EXPECT_GT(gpu.dram_bytes_per_s, 0.2e12) << gpu.id;
    EXPECT_LT(gpu.dram_bytes_per_s, 10e12) << gpu.id;
    EXPECT_GT(gpu.l2_bytes, 3u << 20) << gpu.id;
    EXPECT_GT(gpu.sm_count, 30) << gpu.id;
    const double half = gpu.roof_flops_per_s(MathType::fp16, true);
    EXPECT_GT(half, gpu.roof_flops_per_s(MathType::fp32, false)) << gpu.id;
    EXPECT_GT(half / gpu.dram_bytes_per_s, 50) << gpu.id << ": ridge point";
    EXPECT_LT(half / gpu.dram_bytes_per_s, 500) << gpu.id << ": sparse figure by mistake?";
  }
  for (const char* id :
       {"v100_sxm", "a100_40gb", "a100_80gb", "h100_sxm", "h100_pcie", "h100_nvl", "h200",
        "b200",     "gb200",     "l4",        "l40s",     "a10",       "t4",       "rtx3090",
        "rtx4090",  "rtx5090",   "mi210",     "mi250x",   "mi300x",    "mi325x",   "mi355x"}) {
    EXPECT_EQ(ids.count(id), 1u) << id;
  }
}

TEST(Hardware, MatchesByNameAndProperties) {
  EXPECT_EQ(id_of("NVIDIA H200", device(150.1, 132, 9, 0)), "h200");
  EXPECT_EQ(id_of("NVIDIA H200"), "h200");
  EXPECT_EQ(id_of("NVIDIA H200 NVL", device(150.1, 132, 9, 0)), "h200_nvl");
  EXPECT_EQ(id_of("NVIDIA H100 80GB HBM3", device(85.0, 132, 9, 0)), "h100_sxm");
  EXPECT_EQ(id_of("NVIDIA H100 PCIe", device(85.0, 114, 9, 0)), "h100_pcie");
  EXPECT_EQ(id_of("NVIDIA H100", device(85.0, 114, 9, 0)), "h100_pcie");
  EXPECT_EQ(id_of("NVIDIA H100 NVL", device(100.0, 132, 9, 0)), "h100_nvl");
  EXPECT_EQ(id_of("NVIDIA A100-PG509-200", device(42.5, 108, 8, 0)), "a100_40gb");
  EXPECT_EQ(id_of("NVIDIA A100-SXM4-80GB", device(85.0, 108, 8, 0)), "a100_80gb");
  EXPECT_EQ(id_of("NVIDIA A100 80GB PCIe", device(85.0, 108, 8, 0)), "a100_80gb_pcie");
  EXPECT_EQ(id_of("Tesla V100-SXM2-16GB", device(16.9, 80, 7, 0)), "v100_sxm");
  EXPECT_EQ(id_of("Tesla V100-DGXS-32GB", device(34.1, 80, 7, 0)), "v100_sxm");
  EXPECT_EQ(id_of("Tesla V100-PCIE-16GB", device(16.9, 80, 7, 0)), "v100_pcie");
  EXPECT_EQ(id_of("NVIDIA A10", device(24, 72, 8, 6)), "a10");
  EXPECT_EQ(id_of("NVIDIA L40S", device(47, 142, 8, 9)), "l40s");
  EXPECT_EQ(id_of("NVIDIA L4", device(23.6, 58, 8, 9)), "l4");
  EXPECT_EQ(id_of("NVIDIA B200", device(191, 148, 10, 0)), "b200");
  EXPECT_EQ(id_of("NVIDIA GB200", device(198, 152, 10, 0)), "gb200");
  EXPECT_EQ(id_of("AMD Instinct MI300X", device(206.1, 304, 9, 4)), "mi300x");
}

TEST(Hardware, NamelessDeviceByPropertiesOnlyWhereOneModelFits) {
  EXPECT_EQ(id_of("", device(206.141, 304, 9, 4)), "mi300x");
  EXPECT_EQ(id_of("", device(85.0, 108, 8, 0)), "unknown");
  EXPECT_EQ(id_of(""), "unknown");
}

TEST(Hardware, GpuOfAProfileIsTheOneThatWorked) {
  Trace trace;
  Device small = device(24, 58, 8, 9);
  small.name = "NVIDIA L4";
  Device large = device(206.1, 304, 9, 4);
  large.name = "AMD Instinct MI300X";
  trace.devices = {small, large};
  GpuEvent event;
  event.device = 1;
  event.duration_ns = 10;
  trace.gpu_events = {event};
  EXPECT_EQ(find_gpu_of(trace)->id, "mi300x");
  trace.devices = {Device{}, large};  // the device at work is not described, the others agree
  trace.gpu_events[0].device = 0;
  EXPECT_EQ(find_gpu_of(trace)->id, "mi300x");
  trace.devices = {Device{}, large, small};  // they disagree
  EXPECT_FALSE(find_gpu_of(trace));
  trace.devices.clear();
  EXPECT_FALSE(find_gpu_of(trace));
}

TEST(Hardware, UnknownIsUnknown) {
  EXPECT_EQ(id_of("NVIDIA GeForce RTX 5060 Ti", device(16, 36, 12, 0)), "unknown");
  EXPECT_EQ(id_of("NVIDIA A10G", device(24, 80, 8, 6)), "unknown");
  EXPECT_EQ(id_of("NVIDIA H100 80GB HBM3 MIG 1g.10gb", device(10, 16, 9, 0)), "unknown");
  EXPECT_EQ(id_of("NVIDIA RTX A1000", device(8, 16, 8, 6)), "unknown");
}

TEST(Hardware, UserPeaksWinAndStandAlone) {
  PeakOverride peaks;
  peaks.flops_per_s = 100e12;
  peaks.bytes_per_s = 1e12;
  const auto known = find_gpu("NVIDIA H200", {}, peaks);
  ASSERT_TRUE(known);
  EXPECT_TRUE(known->overridden);
  EXPECT_EQ(known->roof_flops_per_s(MathType::bf16, true), 100e12);
  EXPECT_EQ(known->attainable_flops_per_s(MathType::fp16, true), 100e12);
  EXPECT_EQ(known->attainable_bytes_per_s(1, 0), 1e12);
  const auto unknown = find_gpu("Something new", device(10, 55, 11, 0), peaks);
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->name, "Something new");
  EXPECT_EQ(unknown->sm_count, 55);
  EXPECT_EQ(unknown->roof_bytes_per_s(), 1e12);
  EXPECT_EQ(unknown->l2_bytes, 0u);
}

TEST(Hardware, MeasuredCeilingsOfTheH200) {
  const auto gpu = find_gpu("NVIDIA H200", {});
  ASSERT_TRUE(gpu);
  EXPECT_DOUBLE_EQ(gpu->roof_bytes_per_s(), 4.8e12);
  EXPECT_DOUBLE_EQ(gpu->attainable_bytes_per_s(1, 1), 4.25e12);
  EXPECT_DOUBLE_EQ(gpu->attainable_bytes_per_s(1, 0), 4.38e12);
  EXPECT_DOUBLE_EQ(gpu->attainable_bytes_per_s(0, 1), 4.68e12);
  EXPECT_DOUBLE_EQ(gpu->attainable_flops_per_s(MathType::bf16, true), 730e12);
  EXPECT_DOUBLE_EQ(gpu->attainable_flops_per_s(MathType::fp16, true), 730e12);
  EXPECT_DOUBLE_EQ(gpu->roof_flops_per_s(MathType::bf16, true), 989.4e12);
  EXPECT_DOUBLE_EQ(gpu->roof_flops_per_s(MathType::fp32, true), 66.9e12);
}

TEST(Hardware, FormatsThatAGpuLacksRunInFp32) {
  const auto gpu = find_gpu("Tesla V100-SXM2-16GB", {});
  ASSERT_TRUE(gpu);
  EXPECT_DOUBLE_EQ(gpu->roof_flops_per_s(MathType::bf16, true), 15.7e12);
  EXPECT_DOUBLE_EQ(gpu->roof_flops_per_s(MathType::tf32, true), 15.7e12);
}

TEST(Hardware, ComplaintsNameFileAndLine) {
  const auto message = [](std::string_view text) {
    try {
      GpuCatalogue::from_toml(text, "mine.toml");
    } catch (const Error& error) {
      return std::string(error.what()) + "|" + error.where().path;
    }
    return std::string("no error");
  };
  EXPECT_NE(message("[[gpu]\n").find("mine.toml"), std::string::npos);
  EXPECT_NE(message("\n[[gpu]]\nid = 3\n").find("line 3"), std::string::npos);
  EXPECT_NE(message("[[gpu]]\nid='a'\nname='a'\nsource='s'\ndram_tb_per_s=1\nmatrix={fp17=1}\n").find("fp17"),
            std::string::npos);
  EXPECT_NE(message("").find("[[gpu]]"), std::string::npos);
}

}  // namespace
}  // namespace pagoda
