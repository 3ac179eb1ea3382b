#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace pagoda {

/// The decompressed bytes of one profile, read forward once. Decompression runs on its own thread.
class Content {
 public:
  virtual ~Content() = default;

  /// What messages call it: the path, "archive.tar.gz:rank0.json" or "<stdin>".
  virtual const std::string& name() const = 0;
  /// The first bytes (up to 64 KiB), without consuming them: what `sniff` sees.
  virtual std::string_view head() = 0;
  /// Fills `buffer` as far as the content goes; 0 at the end. Throws Error on a damaged stream only if
  /// nothing was readable; otherwise ends early and `damaged()` is true.
  virtual std::size_t read(std::span<char> buffer) = 0;
  virtual bool damaged() const = 0;
  /// A path that random-access formats (SQLite) can open: the file itself when it is plain, else a temporary
  /// copy that lives as long as this object.
  virtual const std::string& file_path() = 0;
  /// Bytes consumed of the file on disk and its size, for progress; 0: unknown.
  virtual std::uint64_t disk_position() const { return 0; }
  virtual std::uint64_t disk_bytes() const { return 0; }
  /// Size of the content where it is known before it is read; 0: compressed, or a pipe.
  virtual std::uint64_t plain_bytes() const { return 0; }
};

struct ReadOptions {
  /// Called now and then from the reading thread with bytes consumed of the file on disk and its size (0:
  /// unknown).
  std::function<void(std::uint64_t done_bytes, std::uint64_t total_bytes)> progress;
};

/// One row per format: adding a format is a folder with a `Format` in it plus its line in registry.cpp.
struct Format {
  std::string_view name;
  /// Decides from content alone, never from the file name.
  bool (*sniff)(std::string_view head);
  /// Returns a linked trace (`link()` called). Throws Error when the content is unreadable as this format.
  Trace (*read)(Content& content, const ReadOptions& options);
};

/// All formats, in the order in which they are tried.
std::span<const Format> formats();

/// One profile to read: a file, a member of a tar archive, or standard input.
struct Input {
  std::string name;
  std::uint64_t disk_bytes = 0;  ///< 0: unknown
  std::function<std::unique_ptr<Content>()> open;
};

/// Files, directories (searched recursively), tar archives (plain or compressed) and "-" for standard input,
/// expanded to the profiles in them, in a deterministic order: by name with digits compared as numbers in a
/// directory, as packed in an archive. Files of a directory or archive that no format takes are left out.
/// Throws Error (exit 2) for a path that does not exist, cannot be read, or holds no profile.
std::vector<Input> find_inputs(const std::vector<std::string>& paths);

/// Sniffs and reads. Throws Error that says what the content looks like when no format takes it
/// (a PNG, a pickle, an empty file, a torch memory snapshot...).
Trace read_trace(const Input& input, const ReadOptions& options = {});

}  // namespace pagoda
