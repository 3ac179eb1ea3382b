#include "readers/tar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace pagoda {
namespace {

constexpr std::size_t kRecordBytes = 512;
constexpr std::uint64_t kLongestNameBytes = 1 << 20;

std::uint64_t number(std::string_view field) {
  // GNU writes sizes over 8 GB in base 256, marked by the highest bit.
  if (!field.empty() && (static_cast<unsigned char>(field[0]) & 0x80) != 0) {
    std::uint64_t value = static_cast<unsigned char>(field[0]) & 0x7F;
    for (char c : field.substr(1)) value = value << 8 | static_cast<unsigned char>(c);
    return value;
  }
  while (!field.empty() && field[0] == ' ') field.remove_prefix(1);
  std::uint64_t value = 0;
  std::from_chars(field.data(), field.data() + field.size(), value, 8);
  return value;
}

std::string_view text(std::string_view field) { return field.substr(0, field.find('\0')); }

/// "27 path=some/name\n" records of a pax header.
std::string_view pax_value(std::string_view records, std::string_view key) {
  std::string_view found;
  while (!records.empty()) {
    std::size_t length = 0;
    const auto [after, error] = std::from_chars(records.data(), records.data() + records.size(), length);
    const auto digits = static_cast<std::size_t>(after - records.data());
    if (error != std::errc() || length <= digits + 1 || length > records.size()) break;
    const std::string_view record = records.substr(digits + 1, length - digits - 2);
    const std::size_t equals = record.find('=');
    if (equals != std::string_view::npos && record.substr(0, equals) == key)
      found = record.substr(equals + 1);
    records.remove_prefix(length);
  }
  return found;
}

}  // namespace

bool is_tar(std::string_view head) {
  if (head.size() < kRecordBytes || head[0] == '\0') return false;
  constexpr std::size_t kChecksum = 148;
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at < kRecordBytes; ++at) {
    const bool in_checksum = at >= kChecksum && at < kChecksum + 8;
    sum += in_checksum ? ' ' : static_cast<unsigned char>(head[at]);
  }
  return sum == number(head.substr(kChecksum, 8));
}

bool TarReader::read_exactly(std::span<char> buffer) {
  while (!buffer.empty()) {
    const std::size_t count = archive_->read(buffer);
    if (count == 0) return false;
    buffer = buffer.subspan(count);
  }
  return true;
}

bool TarReader::skip(std::uint64_t bytes) {
  std::vector<char> scratch(std::min<std::uint64_t>(bytes, 256 * 1024));
  while (bytes > 0) {
    const std::size_t count =
        archive_->read(std::span(scratch).first(std::min<std::uint64_t>(bytes, scratch.size())));
    if (count == 0) return false;
    bytes -= count;
  }
  return true;
}

std::string TarReader::read_text(std::uint64_t bytes) {
  std::string content(std::min(bytes, kLongestNameBytes), '\0');
  const std::uint64_t rest = (bytes + kRecordBytes - 1) / kRecordBytes * kRecordBytes - content.size();
  if (!read_exactly(content) || !skip(rest)) damaged_ = true;
  return content;
}

std::optional<TarReader::Member> TarReader::next() {
  if (!skip(left_ + padding_)) damaged_ = true;
  left_ = padding_ = 0;
  std::string long_name;
  std::uint64_t long_size = 0;
  while (!damaged_) {
    std::array<char, kRecordBytes> record{};
    if (!read_exactly(record)) break;
    const std::string_view header(record.data(), record.size());
    if (!is_tar(header)) {
      damaged_ = std::any_of(header.begin(), header.end(), [](char c) { return c != '\0'; });
      return std::nullopt;  // two records of zeros end an archive; one will do
    }
    const char type = header[156];
    const std::uint64_t bytes = number(header.substr(124, 12));
    if (type == 'L') {
      long_name = std::string(text(read_text(bytes)));
    } else if (type == 'x') {
      const std::string records = read_text(bytes);
      if (const auto path = pax_value(records, "path"); !path.empty()) long_name = path;
      if (const auto size = pax_value(records, "size"); !size.empty())
        std::from_chars(size.data(), size.data() + size.size(), long_size);
    } else if (type == '0' || type == '\0' || type == '7') {
      Member member;
      member.bytes = long_size ? long_size : bytes;
      const std::string_view prefix = header.substr(257, 5) == "ustar" ? text(header.substr(345, 155)) : "";
      member.name = !long_name.empty() ? long_name
                                       : (prefix.empty() ? "" : std::string(prefix) + '/') +
                                             std::string(text(header.substr(0, 100)));
      member.index = next_index_++;
      left_ = member.bytes;
      padding_ = (kRecordBytes - left_ % kRecordBytes) % kRecordBytes;
      return member;
    } else {
      const bool has_content = type == 'g' || type == 'K' || type == 'S' || type == 'D';
      if (has_content && !skip((bytes + kRecordBytes - 1) / kRecordBytes * kRecordBytes)) damaged_ = true;
      long_name.clear();
      long_size = 0;
    }
  }
  damaged_ |= archive_->damaged();
  return std::nullopt;
}

std::size_t TarReader::read(std::span<char> buffer) {
  if (left_ == 0) return 0;
  const std::size_t count = archive_->read(buffer.first(std::min<std::uint64_t>(buffer.size(), left_)));
  if (count == 0) damaged_ = true, left_ = padding_ = 0;
  left_ -= count;
  return count;
}

}  // namespace pagoda
