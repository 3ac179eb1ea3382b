#include <algorithm>

#include <mpi.h>

#include "cli/mpi_functions.h"

namespace {

// MPI counts in int: longer messages go in pieces.
constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 30;
constexpr int kTag = 1;

void start(int* rank, int* size) {
  MPI_Init(nullptr, nullptr);
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, size);
}

void send(const char* bytes, std::uint64_t size) {
  MPI_Send(&size, 1, MPI_UINT64_T, 0, kTag, MPI_COMM_WORLD);
  for (std::uint64_t at = 0; at < size; at += kPieceBytes) {
    const int piece = static_cast<int>(std::min(kPieceBytes, size - at));
    MPI_Send(bytes + at, piece, MPI_BYTE, 0, kTag, MPI_COMM_WORLD);
  }
}

std::uint64_t receive_size(int from) {
  std::uint64_t size = 0;
  MPI_Recv(&size, 1, MPI_UINT64_T, from, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return size;
}

void receive(int from, char* bytes, std::uint64_t size) {
  for (std::uint64_t at = 0; at < size; at += kPieceBytes) {
    const int piece = static_cast<int>(std::min(kPieceBytes, size - at));
    MPI_Recv(bytes + at, piece, MPI_BYTE, from, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

int broadcast(int number) {
  MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return number;
}

void finish() { MPI_Finalize(); }

constexpr pagoda::MpiFunctions kFunctions = {start, send, receive_size, receive, broadcast, finish};

}  // namespace

extern "C" const pagoda::MpiFunctions* pagoda_mpi_functions() { return &kFunctions; }
