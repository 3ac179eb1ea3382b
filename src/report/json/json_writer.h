#pragma once
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pagoda {

/// Writes strict JSON (RFC 8259) in the order of the calls: keys keep their order, so equal calls give equal
/// bytes. Text that is no UTF-8 becomes U+FFFD; control and direction marks are escaped, so that a document
/// is safe to show; NaN and infinities are null.
class JsonWriter {
 public:
  enum class Layout : std::uint8_t { lines, one_line };

  explicit JsonWriter(std::string& out) : out_(out) {}

  void open_object(Layout layout = Layout::lines) { open('{', '}', layout); }
  void open_array(Layout layout = Layout::lines) { open('[', ']', layout); }
  void open_object(std::string_view name, Layout layout = Layout::lines);
  void open_array(std::string_view name, Layout layout = Layout::lines);
  void close();
  void key(std::string_view name);

  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  void value(bool truth);
  void value(double number);
  void null();
  template <std::integral T>
  void value(T number) {
    separate();
    out_ += std::to_string(number);
  }
  template <typename T>
  void field(std::string_view name, const T& content) {
    key(name);
    value(content);
  }
  /// null where the number is negative: how the model says "unknown".
  template <typename T>
  void field_or_null(std::string_view name, T number) {
    key(name);
    number < 0 ? null() : value(number);
  }

 private:
  struct Level {
    char closing;
    bool one_line;
    bool empty = true;
  };

  void open(char opening, char closing, Layout layout);
  void separate();
  void new_line(std::size_t depth);
  void quote(std::string_view text);

  std::string& out_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

}  // namespace pagoda
