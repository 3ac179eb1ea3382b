#include "readers/ncu/csv.h"

#include <algorithm>

namespace pagoda::ncu {
namespace {

bool quote_is_open(std::string_view text) { return std::count(text.begin(), text.end(), '"') % 2 != 0; }

bool starts_anew(std::string_view rest) { return rest.starts_with('"') || rest.starts_with("=="); }

void split(Record& record) {
  const std::string_view text = record.text;
  std::size_t at = 0;
  while (true) {
    std::string& field = record.fields.emplace_back();
    if (at < text.size() && text[at] == '"') {
      for (++at; at < text.size(); ++at) {
        if (text[at] != '"') {
          field += text[at];
        } else if (at + 1 < text.size() && text[at + 1] == '"') {
          field += text[at++];
        } else {
          break;
        }
      }
      if (at < text.size()) {
        ++at;
      } else {
        record.whole = false;
      }
      if (at < text.size() && text[at] != ',') record.whole = false;
    }
    const std::size_t comma = std::min(text.find(',', at), text.size());
    field += text.substr(at, comma - at);
    if (comma == text.size()) return;
    at = comma + 1;
  }
}

}  // namespace

std::size_t RecordReader::line_end(std::size_t from) const {
  return std::min(text_.find('\n', from), text_.size());
}

std::optional<Record> RecordReader::next() {
  if (at_ >= text_.size()) return std::nullopt;
  Record record;
  record.byte_offset = at_;
  std::size_t end = line_end(at_);
  bool open = text_[at_] == '"' && quote_is_open(text_.substr(at_, end - at_));
  while (open && end + 1 < text_.size() && !starts_anew(text_.substr(end + 1))) {
    const std::size_t next_end = line_end(end + 1);
    open = quote_is_open(text_.substr(end, next_end - end)) ? !open : open;
    end = next_end;
  }
  record.text = text_.substr(at_, end - at_);
  if (record.text.ends_with('\r')) record.text.remove_suffix(1);
  at_ = end + 1;
  split(record);
  return record;
}

}  // namespace pagoda::ncu
