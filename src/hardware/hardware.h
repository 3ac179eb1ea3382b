#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace pagoda {

/// Formats that a GPU multiplies in, each with its own peak. `int8` counts integer operations.
enum class MathType : std::uint8_t { fp64, fp32, tf32, fp16, bf16, fp8, fp6, fp4, int8 };
inline constexpr std::size_t kMathTypeCount = 9;
/// "fp64", "bf16", ...: the names in gpus.toml, JSON and --peak-tflops.
std::string_view math_type_name(MathType type);
std::optional<MathType> math_type_of(std::string_view name);

/// What is known of one GPU model. Peaks are dense (never the figures with structured sparsity) and, where a
/// vendor gives both, those of the matrix units. 0 means that the hardware does not have it or the vendor
/// does not say.
struct GpuSpec {
  std::string id;                                           ///< "h200"
  std::string name;                                         ///< "NVIDIA H200 SXM"
  std::string arch;                                         ///< "sm_90", "gfx942"
  std::array<double, kMathTypeCount> matrix_flops_per_s{};  ///< tensor cores or matrix cores
  std::array<double, kMathTypeCount> vector_flops_per_s{};  ///< plain FMA units (fp64, fp32, fp16, bf16)
  double dram_bytes_per_s = 0;
  std::uint64_t dram_bytes = 0;         ///< capacity as marketed: 80 GB is 80e9
  std::uint64_t l2_bytes = 0;           ///< last cache shared by the whole GPU (MI300X: Infinity Cache)
  int sm_count = 0;                     ///< SMs or compute units
  std::string interconnect;             ///< "NVLink 4"
  double interconnect_bytes_per_s = 0;  ///< both directions together, one GPU to all others
  double pcie_bytes_per_s = 0;          ///< one direction
  std::string source;                   ///< the document each figure comes from

  /// Ceilings that a plain kernel was measured to reach on this model; nullopt where nobody measured.
  std::optional<double> measured_copy_bytes_per_s;  ///< read + write of a device-to-device copy
  std::optional<double> measured_read_bytes_per_s;
  std::optional<double> measured_write_bytes_per_s;
  std::array<double, kMathTypeCount> measured_matmul_flops_per_s{};  ///< 0: not measured
  std::string measured_source;

  /// The user's own figures (--peak-tflops, --peak-gbs) replaced some of the above.
  bool overridden = false;

  /// What bytes and FLOP are held against. Roofs are the vendor's peaks, so that sol_fraction can't exceed
  /// one for lack of a good benchmark; `attainable_*` are the measured ceilings (or the roof where none):
  /// what a floor uses.
  double roof_bytes_per_s() const { return dram_bytes_per_s; }
  double roof_flops_per_s(MathType type, bool matrix) const;
  double attainable_bytes_per_s(double bytes_read, double bytes_written) const;
  double attainable_flops_per_s(MathType type, bool matrix) const;
};

/// Peaks that the user states on the command line. They win over the catalogue and stand alone for unknown
/// GPUs.
struct PeakOverride {
  std::optional<double> flops_per_s;  ///< of the dominant matrix dtype: applied to fp16 and bf16
  std::optional<double> bytes_per_s;
};

/// The catalogue: built in (gpus.toml), or read from a user's file of the same form.
class GpuCatalogue {
 public:
  static const GpuCatalogue& built_in();
  /// Throws Error (bad_input) with the path and line of what is wrong.
  static GpuCatalogue from_toml(std::string_view text, const std::string& path);
  static GpuCatalogue from_file(const std::string& path);

  const std::vector<GpuSpec>& gpus() const { return gpus_; }
  /// The model whose name patterns and properties (memory, SM count, compute capability) fit best. nullopt:
  /// unknown, and the caller says so. An empty device name (ROCm) is matched by properties alone, only where
  /// one model fits.
  std::optional<GpuSpec> find(std::string_view device_name, const Device& properties) const;

 private:
  struct Match {
    std::vector<std::string> names;  ///< lower case; any of them contained in the device's name
    std::vector<std::string> not_names;
    double memory_gb_min = 0, memory_gb_max = 0;  ///< of total_memory_bytes / 1e9; 0: any
    int sm_count = 0;
    int compute_major = 0, compute_minor = 0;
  };
  static bool fits(const Match& match, std::string_view lower_name, const Device& properties);

  std::vector<GpuSpec> gpus_;
  std::vector<Match> matches_;
};

/// built_in().find, with the user's peaks applied. With an override an unknown GPU becomes a known one named
/// after the device and holding only what the user stated and what the profile says of it (SM count, L2).
std::optional<GpuSpec> find_gpu(std::string_view device_name, const Device& properties,
                                const PeakOverride& override_with = {});

/// The GPU of a profile: that of the device with the most GPU time. A device that the profile numbers but
/// does not describe (ROCm with hidden devices) is taken for what the described ones are, if they are all one
/// model.
std::optional<GpuSpec> find_gpu_of(const Trace& trace, const PeakOverride& override_with = {});

}  // namespace pagoda
