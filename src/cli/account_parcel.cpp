#include "cli/account_parcel.h"

#include <cstdint>
#include <cstring>

namespace pagoda {
namespace {

void put(std::uint64_t number, std::string& out) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  out.append(bytes, sizeof bytes);
}

void put(std::string_view text, std::string& out) {
  put(std::uint64_t{text.size()}, out);
  out += text;
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t number() {
    std::uint64_t number = 0;
    const std::string_view bytes = take(sizeof number);
    std::memcpy(&number, bytes.data(), sizeof number);
    return number;
  }
  std::string_view text() { return take(number()); }
  bool at_end() const { return bytes_.empty(); }

 private:
  std::string_view take(std::uint64_t size) {
    if (size > bytes_.size())
      throw Error("a message between processes is damaged", {}, {}, ExitCode::our_bug);
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }

  std::string_view bytes_;
};

}  // namespace

std::string pack(const Parcel& parcel) {
  std::string out;
  for (const ParcelItem& item : parcel.items) {
    put(item.index, out);
    put(std::uint64_t{item.error.has_value()}, out);
    if (!item.error) {
      put(serialize(*item.account), out);
      continue;
    }
    put(static_cast<std::uint64_t>(item.error->exit_code()), out);
    put(item.error->what(), out);
    put(item.error->hint(), out);
  }
  return out;
}

Parcel unpack_parcel(std::string_view bytes) {
  Parcel parcel;
  for (Reader reader(bytes); !reader.at_end();) {
    ParcelItem& item = parcel.items.emplace_back();
    item.index = reader.number();
    if (reader.number() == 0) {
      item.account = deserialize(reader.text());
      continue;
    }
    const auto code = static_cast<ExitCode>(reader.number());
    const std::string what(reader.text());  // has the place in it
    const std::string hint(reader.text());
    item.error.emplace(what, Error::Where{}, hint, code);
  }
  return parcel;
}

}  // namespace pagoda
