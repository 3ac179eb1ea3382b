#include <algorithm>
#include <filesystem>
#include <mutex>
#include <optional>

#include "core/error.h"
#include "readers/content.h"
#include "readers/reader.h"
#include "readers/tar.h"

namespace pagoda {
namespace {

namespace fs = std::filesystem;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// rank2.json before rank10.json.
bool natural_less(std::string_view a, std::string_view b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const auto number = [](std::string_view text, std::size_t& at) {
        while (at + 1 < text.size() && text[at] == '0' && is_digit(text[at + 1])) ++at;
        const std::size_t from = at;
        while (at < text.size() && is_digit(text[at])) ++at;
        return text.substr(from, at - from);
      };
      const std::string_view x = number(a, i);
      const std::string_view y = number(b, j);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
    } else if (a[i] != b[j]) {
      return a[i] < b[j];
    } else {
      ++i, ++j;
    }
  }
  if (a.size() - i != b.size() - j) return a.size() - i < b.size() - j;
  return a < b;
}

bool is_profile(std::string_view head) {
  const auto all = formats();
  return std::any_of(all.begin(), all.end(), [&](const Format& format) { return format.sniff(head); });
}

/// An archive whose members are read one after the other: a reader that is done with one member goes on to a
/// later one without inflating the archive from its beginning again.
class Archive : public std::enable_shared_from_this<Archive> {
 public:
  explicit Archive(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  std::unique_ptr<TarReader> at_member(std::size_t index) {
    std::unique_ptr<TarReader> reader;
    {
      const std::lock_guard lock(mutex_);
      reader = std::move(idle_);
    }
    if (!reader || reader->next_index() > index)
      reader = std::make_unique<TarReader>(inflated(open_file(path_)));
    while (const auto member = reader->next()) {
      if (member->index == index) return reader;
    }
    throw Error("the archive ended before this member", {path_, {}}, "was it changed while it was read?");
  }
  void give_back(std::unique_ptr<TarReader> reader) {
    const std::lock_guard lock(mutex_);
    idle_ = std::move(reader);
  }

 private:
  std::string path_;
  std::mutex mutex_;
  std::unique_ptr<TarReader> idle_;
};

class MemberSource final : public ByteSource {
 public:
  MemberSource(std::shared_ptr<Archive> archive, std::size_t index)
      : archive_(std::move(archive)), reader_(archive_->at_member(index)) {}
  ~MemberSource() override { archive_->give_back(std::move(reader_)); }
  MemberSource(const MemberSource&) = delete;
  MemberSource& operator=(const MemberSource&) = delete;
  std::size_t read(std::span<char> buffer) override { return reader_->read(buffer); }
  bool damaged() const override { return reader_->damaged(); }
  std::uint64_t position() const override { return reader_->position(); }

 private:
  std::shared_ptr<Archive> archive_;
  std::unique_ptr<TarReader> reader_;
};

/// The member that a TarReader stands at, for looking at its first bytes.
class CurrentMember final : public ByteSource {
 public:
  explicit CurrentMember(TarReader& reader) : reader_(reader) {}
  std::size_t read(std::span<char> buffer) override { return reader_.read(buffer); }
  std::uint64_t position() const override { return reader_.position(); }

 private:
  TarReader& reader_;
};

std::string head_of(ByteSource& bytes) {
  std::string head(kHeadBytes, '\0');
  std::size_t have = 0;
  while (have < head.size()) {
    const std::size_t count = bytes.read(std::span(head).subspan(have));
    if (count == 0) break;
    have += count;
  }
  head.resize(have);
  return head;
}

void add_archive(const std::string& path, std::vector<Input>& inputs) {
  auto archive = std::make_shared<Archive>(path);
  std::error_code failed;
  const std::uint64_t disk_bytes = fs::file_size(path, failed);
  TarReader reader(inflated(open_file(path)));
  bool any = false;
  while (const auto member = reader.next()) {
    const std::string base = fs::path(member->name).filename().string();
    if (base.starts_with(".")) continue;  // macOS packs "._name" beside each file
    if (!is_profile(head_of(*inflated(std::make_unique<CurrentMember>(reader))))) continue;
    any = true;
    const std::string name = path + ":" + member->name;
    inputs.push_back({name, member->bytes, [archive, name, index = member->index, disk_bytes] {
                        auto bytes = inflated(std::make_unique<MemberSource>(archive, index));
                        return make_content(std::move(bytes), {name, disk_bytes, {}, true});
                      }});
  }
  if (!any) {
    throw Error(
        "this archive holds no profile", {path, {}},
        "expected traces of the PyTorch profiler, Nsight Systems exports or Nsight Compute CSV in it");
  }
}

void add_file(const std::string& path, std::vector<Input>& inputs) {
  std::error_code failed;
  inputs.push_back({path, fs::file_size(path, failed), [path] { return open_content(path); }});
}

std::string head_of_file(const std::string& path) { return head_of(*inflated(open_file(path))); }

void add_folder(const std::string& path, std::vector<Input>& inputs) {
  std::vector<std::string> files;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(path, fs::directory_options::skip_permission_denied, failed), end;
       !failed && at != end; at.increment(failed)) {
    const std::string base = at->path().filename().string();
    if (base.starts_with(".")) {
      if (at->is_directory(failed)) at.disable_recursion_pending();
    } else if (at->is_regular_file(failed)) {
      files.push_back(at->path().string());
    }
  }
  if (failed) throw Error("cannot be listed: " + failed.message(), {path, {}});
  std::sort(files.begin(), files.end(), natural_less);
  const std::size_t before = inputs.size();
  for (const std::string& file : files) {
    const std::string head = head_of_file(file);
    if (is_tar(head))
      add_archive(file, inputs);
    else if (is_profile(head))
      add_file(file, inputs);
  }
  if (inputs.size() == before) {
    const std::string what = files.empty()
                                 ? "this folder holds no files"
                                 : "none of the " + std::to_string(files.size()) + " files here is a profile";
    throw Error(
        what, {path, {}},
        "expected traces of the PyTorch profiler, Nsight Systems exports or Nsight Compute CSV in it");
  }
}

}  // namespace

std::vector<Input> find_inputs(const std::vector<std::string>& paths) {
  std::vector<Input> inputs;
  for (const std::string& path : paths) {
    std::error_code failed;
    if (path == "-") {
      inputs.push_back({"<stdin>", 0, [] { return open_content("-"); }});
      continue;
    }
    const fs::file_status status = fs::status(path, failed);
    if (!fs::exists(status)) {
      throw Error(
          failed && failed != std::errc::no_such_file_or_directory ? failed.message() : "no such file",
          {path, {}});
    }
    if (fs::is_directory(status)) {
      add_folder(path, inputs);
    } else if (fs::is_regular_file(status) && is_tar(head_of_file(path))) {
      add_archive(path, inputs);
    } else {
      inputs.push_back({path, fs::is_regular_file(status) ? fs::file_size(path, failed) : 0,
                        [path] { return open_content(path); }});
    }
  }
  return inputs;
}

}  // namespace pagoda
