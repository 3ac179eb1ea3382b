#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pagoda {

/// A table of a TOML file, read with messages that name file, line and key. Throws Error (bad_input) for what
/// is missing, of the wrong type or out of range.
class TomlReader {
 public:
  TomlReader table(std::string_view key) const;
  std::vector<TomlReader> tables(std::string_view key) const;  ///< [[key]]; empty when there is none
  std::vector<std::string> keys() const;                       ///< in alphabetical order
  bool has(std::string_view key) const;
  /// Throws for a key that is none of `known`: a misspelt one would otherwise be passed over in silence.
  void only(const std::vector<std::string_view>& known) const;

  std::string text(std::string_view key) const;
  std::string text_or(std::string_view key, std::string_view otherwise) const;
  std::vector<std::string> texts(std::string_view key) const;  ///< empty when there is none
  double number(std::string_view key) const;
  double fraction(std::string_view key) const;  ///< 0 to 1
  bool flag(std::string_view key) const;
  std::vector<double> numbers(std::string_view key, std::size_t count) const;

  [[noreturn]] void fail(std::string_view key, std::string_view why) const;

 private:
  friend class TomlDocument;
  struct Node;
  explicit TomlReader(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  std::shared_ptr<const Node> node_;
};

class TomlDocument {
 public:
  TomlDocument(std::string_view text, const std::string& path);
  TomlReader root() const { return TomlReader(root_); }

 private:
  std::shared_ptr<const TomlReader::Node> root_;
};

/// Throws Error when the file can't be read.
std::string read_text_file(const std::string& path);

}  // namespace pagoda
