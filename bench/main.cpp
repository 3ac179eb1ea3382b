// pagoda-gpu: the operators on the GPU of this machine. Links statically, so the file alone can be carried.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "commands.h"
#include "core/error.h"

using pagoda::bench::Options;

static const char* const kUsage =
    "usage: pagoda-gpu device [--save FILE.jsonl]\n"
    "       pagoda-gpu bench [OP...] [--tiers cuda,triton] [--dtype bf16] [--save FILE.jsonl] [--replays N]\n"
    "       pagoda-gpu test [OP...] [--tiers cuda,triton] [--quick]\n"
    "       also: --commit TEXT --date TEXT (written into saved rows)\n";

static std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

static Options parse(int argc, char** argv) {
  Options options;
  for (int i = 2; i < argc; ++i) {
    const std::string arg = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 >= argc) throw pagoda::Error("needs a value", {arg, {}});
      return argv[++i];
    };
    if (arg == "--tiers") {
      options.tiers = split(value());
    } else if (arg == "--dtype") {
      options.dtype = value();
    } else if (arg == "--save") {
      options.save = value();
    } else if (arg == "--commit") {
      options.commit = value();
    } else if (arg == "--date") {
      options.date = value();
    } else if (arg == "--replays") {
      options.replays = std::max(1, std::atoi(value().c_str()));
    } else if (arg == "--quick") {
      options.quick = true;
    } else if (arg.rfind("--", 0) == 0) {
      throw pagoda::Error("is no option of pagoda-gpu", {arg, {}}, kUsage);
    } else {
      options.ops.push_back(arg);
    }
  }
  return options;
}

int main(int argc, char** argv) {
  try {
    const std::string command = argc > 1 ? argv[1] : "";
    const Options options = parse(argc, argv);
    if (command == "device") return pagoda::bench::run_device(options);
    if (command == "bench") return pagoda::bench::run_bench(options);
    if (command == "test") return pagoda::bench::run_test(options);
    std::fputs(kUsage, stderr);
    return 2;
  } catch (const pagoda::Error& e) {
    std::fprintf(stderr, "pagoda-gpu: %s\n%s\n", e.what(), e.hint().c_str());
    return static_cast<int>(e.exit_code());
  }
}
