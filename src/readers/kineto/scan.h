#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

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

  void skip_space() {
    while (at_ < end_ && is_space(*at_)) ++at_;
  }
  /// Takes `c` after white space; false when something else stands there.
  bool take(char c) {
    if (peek() != c || at_ >= end_) return false;
    ++at_;
    return true;
  }
  /// The next character after white space, 0 at the end.
  char peek() {
    skip_space();
    return at_ < end_ ? *at_ : '\0';
  }

  /// What stands here can't be: incomplete at the end of the text, else damaged. Returns false.
  bool unexpected() { return fail(at_end() ? ScanStatus::incomplete : ScanStatus::damaged); }

  /// A quoted key and its colon.
  bool key(std::string_view& text) {
    if (peek() == '"') {
      const char* const quote = short_string_end(at_ + 1);
      if (quote && quote[1] == ':' && quote + 1 < end_) {
        text = {at_ + 1, static_cast<std::size_t>(quote - at_ - 1)};
        at_ = quote + 2;
        return true;
      }
    }
    return any_key(text);
  }
  /// A value of an object.
  bool value(Value& value);

 private:
  static constexpr bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

  /// The quote that ends a string of at most 32 characters without anything odd in it; nullptr: look closer.
  static const char* short_string_end(const char* at) {
#if defined(__SSE2__)
    for (int half = 0; half < 2; ++half, at += 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
      const auto quotes = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'))));
      const __m128i backslashes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
      const __m128i controls = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
      const auto odd = static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(backslashes, controls)));
      if (quotes != 0) return ((quotes - 1) & ~quotes & odd) == 0 ? at + __builtin_ctz(quotes) : nullptr;
      if (odd != 0) return nullptr;
    }
#endif
    return nullptr;
  }

  enum class Context : std::uint8_t { key, object_value, array_value };

  bool any_key(std::string_view& text);
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
