#include "cli/mpi_share.h"

#include <cstdlib>
#include <filesystem>

#include <dlfcn.h>

#include "cli/mpi_functions.h"
#include "core/error.h"

namespace pagoda {
namespace {

namespace fs = std::filesystem;

// How many processes the launcher started: Open MPI's mpirun, or any launcher that speaks PMI (MPICH, Slurm).
int started_processes() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    if (const char* text = std::getenv(name)) return std::atoi(text);
  }
  return 1;
}

// Beside the program where it was built, in ../lib/pagoda where it was installed.
std::vector<std::string> module_paths() {
  std::error_code ignored;
  const fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  return {(folder / "libpagoda_mpi.so").string(), (folder / "../lib/pagoda/libpagoda_mpi.so").string()};
}

const MpiFunctions* open_module() {
  for (const std::string& path : module_paths()) {
    // Open MPI opens modules of its own, which look for its symbols among the global ones.
    void* module = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (module == nullptr) continue;
    using Entry = const MpiFunctions* (*)();
    if (const auto entry = reinterpret_cast<Entry>(::dlsym(module, kMpiEntry))) return entry();
  }
  return nullptr;
}

}  // namespace

Team Team::form() {
  Team team;
  const int started = started_processes();
  if (started <= 1) return team;
  team.mpi_ = open_module();
  if (team.mpi_ == nullptr)
    throw Error("started by mpirun, but this pagoda was built without MPI", {},
                "start it without mpirun, or install libopenmpi-dev and build again");
  team.mpi_->start(&team.rank_, &team.size_);
  if (team.size_ != started)
    throw Error("mpirun and the MPI that pagoda was built with are of different kinds", {},
                "use the mpirun of that MPI");
  return team;
}

std::vector<std::string> Team::gather(const std::string& mine) {
  if (!leads()) {
    mpi_->send(mine.data(), mine.size());
    return {};
  }
  std::vector<std::string> all = {mine};
  for (int from = 1; from < size_; ++from) {
    std::string& bytes = all.emplace_back(mpi_->receive_size(from), '\0');
    mpi_->receive(from, bytes.data(), bytes.size());
  }
  return all;
}

int Team::share(int number) { return mpi_ == nullptr ? number : mpi_->broadcast(number); }

int Team::agree(int exit_code) {
  if (mpi_ == nullptr) return exit_code;
  exit_code = share(exit_code);
  mpi_->finish();
  mpi_ = nullptr;
  return exit_code;
}

}  // namespace pagoda
