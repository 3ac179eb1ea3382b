#pragma once
#include <string>
#include <vector>

namespace pagoda {

struct MpiFunctions;

/// The processes that work on one command: one, or as many as mpirun started. Only the first prints.
class Team {
 public:
  Team() = default;
  /// Joins the others when mpirun (or srun) started this process; costs nothing otherwise. Throws Error when
  /// it did and MPI cannot be had: each process would do and print everything.
  static Team form();

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool leads() const { return rank_ == 0; }

  /// At the first process the text of every process, by rank; nothing elsewhere. All must call it.
  std::vector<std::string> gather(const std::string& mine);
  /// The first process's number, on all of them. All must call it.
  int share(int number);
  /// Shares the exit code and ends the team. All must call it, last.
  int agree(int exit_code);

 private:
  const MpiFunctions* mpi_ = nullptr;  // null: alone
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace pagoda
