#include <algorithm>
#include <array>

#include "core/error.h"
#include "readers/kineto/kineto.h"
#include "readers/ncu/ncu.h"
#include "readers/nsys/nsys.h"
#include "readers/reader.h"
#include "readers/tar.h"

namespace pagoda {
namespace {

constexpr std::string_view kReadable =
    "Pagoda reads PyTorch profiler JSON (plain, .gz, .zst, tar), Nsight Systems sqlite exports and Nsight "
    "Compute CSV";

struct Lookalike {
  std::string_view magic;
  std::string_view what;
  std::string_view hint;
};

/// What people hand in by mistake.
constexpr std::array<Lookalike, 12> kLookalikes = {{
    {"\x89PNG", "this is a PNG picture", {}},
    {"\xFF\xD8\xFF", "this is a JPEG picture", {}},
    {"%PDF", "this is a PDF", {}},
    {"\x7F"
     "ELF",
     "this is a program",
     {}},
    {"PK\x03\x04", "this is a zip archive (torch.save writes one)",
     "unpack it, or export with export_chrome_trace()"},
    {"\x80\x02", "this is a Python pickle", "export with prof.export_chrome_trace(\"trace.json\")"},
    {"\x80\x03", "this is a Python pickle", "export with prof.export_chrome_trace(\"trace.json\")"},
    {"\x80\x04", "this is a Python pickle", "export with prof.export_chrome_trace(\"trace.json\")"},
    {"\x80\x05", "this is a Python pickle", "export with prof.export_chrome_trace(\"trace.json\")"},
    {"NVR\x01", "this is an Nsight Compute report (.ncu-rep)",
     "run `ncu --csv --page raw --import REPORT.ncu-rep`"},
    {"<!DOCTYPE", "this is an HTML page", {}},
    {"<html", "this is an HTML page", {}},
}};

Error unreadable(std::string_view head, const std::string& name) {
  const std::string readable(kReadable);
  if (head.empty()) return Error("the file is empty", {name, {}}, readable);
  for (const Lookalike& known : kLookalikes) {
    if (head.starts_with(known.magic))
      return Error(std::string(known.what) + ", not a profile", {name, {}},
                   known.hint.empty() ? readable : std::string(known.hint));
  }
  if (is_tar(head)) return Error("a tar archive can't be read from a pipe", {name, {}}, "give its path");
  const std::size_t first = head.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  const char c = first == std::string_view::npos ? '\0' : head[first];
  if (c == '[' && head.substr(first + 1).find_first_of("[{") != std::string_view::npos &&
      head[head.find_first_of("[{", first + 1)] == '[') {
    return Error("this is a list of numbers (a torch memory timeline?), not a trace", {name, {}},
                 "use prof.export_chrome_trace(\"trace.json\")");
  }
  if (c == '{' || c == '[') {
    return Error("this is JSON without traceEvents, not a profile", {name, {}},
                 "use prof.export_chrome_trace(\"trace.json\")");
  }
  if (head.find('\0') != std::string_view::npos &&
      head.substr(0, 4096).find("QDSTRM") != std::string_view::npos)
    return Error("this is an Nsight Systems stream", {name, {}},
                 "run `nsys export --type sqlite REPORT.nsys-rep`");
  return Error("no known kind of profile", {name, {}}, readable);
}

}  // namespace

std::span<const Format> formats() {
  static const std::array<Format, 3> kFormats = {kNsysFormat, kKinetoFormat, kNcuFormat};
  return kFormats;
}

Trace read_trace(const Input& input, const ReadOptions& options) {
  const std::unique_ptr<Content> content = input.open();
  const std::string_view head = content->head();
  for (const Format& format : formats()) {
    if (format.sniff(head)) return format.read(*content, options);
  }
  throw unreadable(head, content->name());
}

}  // namespace pagoda
