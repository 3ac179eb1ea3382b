#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pagoda::kineto {

/// JSON as exporters really write it: raw control characters, quotes and backslashes in names, NaN, and files
/// that end anywhere. One reader takes both sound and damaged text, so that there is no second, rarely used
/// path (docs/decisions/0004). Text must be followed by kScanPadding readable bytes.
inline constexpr std::size_t kScanPadding = 64;

enum class ValueKind : std::uint8_t { none, string, number, literal, array, object };

/// What was odd about a string: kept with its value, counted by whoever uses it.
struct Oddities {
  bool control_character = false;
  bool raw_quote = false;
  bool bad_escape = false;
  void operator|=(const Oddities& other) {
    control_character |= other.control_character;
    raw_quote |= other.raw_quote;
    bad_escape |= other.bad_escape;
  }
};

/// A JSON value as text: strings without their quotes, arrays and objects with their brackets.
struct Value {
  std::string_view text;
  ValueKind kind = ValueKind::none;
  bool escaped = false;  ///< a string with backslashes in it: unescape() before use

  bool is_string() const { return kind == ValueKind::string; }
  explicit operator bool() const { return kind != ValueKind::none; }
};

enum class ScanStatus : std::uint8_t {
  whole,
  incomplete,  ///< ran into the end of the text
  damaged      ///< not JSON, not even damaged JSON that can be understood
};

/// Walks text forward. At the end of the file (`last`) a closing quote needs no proof by what follows it.
class Scanner {
 public:
  Scanner(const char* at, const char* end, bool last) : at_(at), end_(end), last_(last) {}

  const char* at() const { return at_; }
  bool at_end() const { return at_ >= end_; }
  ScanStatus status() const { return status_; }
  const Oddities& oddities() const { return oddities_; }

  void skip_space();
  /// Takes `c` after white space; false when something else stands there.
  bool take(char c);
  /// The next character after white space, 0 at the end.
  char peek();

  /// What stands here can't be: incomplete at the end of the text, else damaged. Returns false.
  bool unexpected();

  /// A quoted key and its colon.
  bool key(std::string_view& text);
  /// A value of an object.
  bool value(Value& value);

 private:
  enum class Context : std::uint8_t { key, object_value, array_value };

  bool string(Context context, Value& value);
  bool balanced(Value& value);
  bool bare_word(Value& value);
  bool closes(const char* after_quote, Context context);
  bool key_follows(const char* comma);
  bool fail(ScanStatus status) {
    status_ = status;
    return false;
  }

  const char* at_;
  const char* end_;
  bool last_;
  bool ran_out_ = false;  // of text, while looking at what follows a quote
  ScanStatus status_ = ScanStatus::whole;
  Oddities oddities_;
};

/// Where the next event begins after damage: the '{' of `}, {"ph"` (any known key). nullptr: none in sight.
const char* next_event(const char* at, const char* end);

}  // namespace pagoda::kineto
