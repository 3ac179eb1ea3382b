#pragma once
#include <cstdint>

namespace pagoda {

/// What mpi_module.cpp offers to the program that opens it: the few MPI calls needed, free of MPI's types.
struct MpiFunctions {
  void (*start)(int* rank, int* size);
  /// Sends to the first process.
  void (*send)(const char* bytes, std::uint64_t size);
  std::uint64_t (*receive_size)(int from);
  void (*receive)(int from, char* bytes, std::uint64_t size);
  /// The first process's number, on every process.
  int (*broadcast)(int number);
  void (*finish)();
};

/// Name of the function in the module that returns a `const MpiFunctions*`.
inline constexpr const char* kMpiEntry = "pagoda_mpi_functions";

}  // namespace pagoda
