#include "advice/toml_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include <toml++/toml.h>

#include "core/error.h"

namespace pagoda {

struct TomlReader::Node {
  std::shared_ptr<const toml::table> owner;  // keeps the document alive
  const toml::table* table;
  std::string path;
  std::string name;  // "efficiency.attention"

  std::string full_name(std::string_view key) const {
    return name.empty() ? std::string(key) : name + '.' + std::string(key);
  }
};

TomlDocument::TomlDocument(std::string_view text, const std::string& path) {
  try {
    auto table = std::make_shared<const toml::table>(toml::parse(text, path));
    root_ = std::make_shared<const TomlReader::Node>(TomlReader::Node{table, table.get(), path, {}});
  } catch (const toml::parse_error& error) {
    throw Error("line " + std::to_string(error.source().begin.line) + ": " + std::string(error.description()),
                {path, {}});
  }
}

void TomlReader::fail(std::string_view key, std::string_view why) const {
  const toml::node* node = node_->table->get(key);
  const auto line = node ? node->source().begin.line : node_->table->source().begin.line;
  throw Error("line " + std::to_string(line) + ": " + node_->full_name(key) + " " + std::string(why),
              {node_->path, {}});
}

void TomlReader::only(const std::vector<std::string_view>& known) const {
  for (const auto& [key, unused] : *node_->table) {
    if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
    std::string list;
    for (std::string_view name : known) list += (list.empty() ? "" : ", ") + std::string(name);
    fail(key.str(), "is not known; there are: " + list);
  }
}

bool TomlReader::has(std::string_view key) const { return node_->table->contains(key); }

TomlReader TomlReader::table(std::string_view key) const {
  const toml::node* node = node_->table->get(key);
  if (!node) fail(key, "is missing");
  if (!node->is_table()) fail(key, "must be a table");
  return TomlReader(
      std::make_shared<const Node>(Node{node_->owner, node->as_table(), node_->path, node_->full_name(key)}));
}

std::vector<TomlReader> TomlReader::tables(std::string_view key) const {
  std::vector<TomlReader> rows;
  const toml::node* node = node_->table->get(key);
  if (!node) return rows;
  if (!node->is_array()) fail(key, "must be an array of tables");
  for (const toml::node& each : *node->as_array()) {
    if (!each.is_table()) fail(key, "must be an array of tables");
    rows.push_back(TomlReader(std::make_shared<const Node>(
        Node{node_->owner, each.as_table(), node_->path, node_->full_name(key)})));
  }
  return rows;
}

std::vector<std::string> TomlReader::keys() const {
  std::vector<std::string> names;
  for (const auto& [key, unused] : *node_->table) names.emplace_back(key.str());
  std::sort(names.begin(), names.end());
  return names;
}

std::string TomlReader::text(std::string_view key) const {
  const toml::node* node = node_->table->get(key);
  if (!node) fail(key, "is missing");
  const auto value = node->value<std::string>();
  if (!value || !node->is_string()) fail(key, "must be text");
  return *value;
}

std::string TomlReader::text_or(std::string_view key, std::string_view otherwise) const {
  return has(key) ? text(key) : std::string(otherwise);
}

std::vector<std::string> TomlReader::texts(std::string_view key) const {
  std::vector<std::string> all;
  const toml::node* node = node_->table->get(key);
  if (!node) return all;
  if (!node->is_array()) fail(key, "must be a list of texts");
  for (const toml::node& each : *node->as_array()) {
    if (!each.is_string()) fail(key, "must be a list of texts");
    all.push_back(*each.value<std::string>());
  }
  return all;
}

double TomlReader::number(std::string_view key) const {
  const toml::node* node = node_->table->get(key);
  if (!node) fail(key, "is missing");
  const auto value = node->value<double>();
  if (!value || !node->is_number()) fail(key, "must be a number");
  if (!(*value >= 0 && *value <= 1e15)) fail(key, "must be a number from 0 on");
  return *value;
}

double TomlReader::fraction(std::string_view key) const {
  const double value = number(key);
  if (value > 1) fail(key, "must be from 0 to 1");
  return value;
}

bool TomlReader::flag(std::string_view key) const {
  const toml::node* node = node_->table->get(key);
  if (!node) fail(key, "is missing");
  if (!node->is_boolean()) fail(key, "must be true or false");
  return *node->value<bool>();
}

std::vector<double> TomlReader::numbers(std::string_view key, std::size_t count) const {
  const toml::node* node = node_->table->get(key);
  if (!node) fail(key, "is missing");
  const std::string wanted = "must be a list of " + std::to_string(count) + " numbers from 0 on";
  if (!node->is_array() || node->as_array()->size() != count) fail(key, wanted);
  std::vector<double> all;
  for (const toml::node& each : *node->as_array()) {
    const auto value = each.value<double>();
    if (!value || !each.is_number() || !(*value >= 0)) fail(key, wanted);
    all.push_back(*value);
  }
  return all;
}

std::string read_text_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(std::string("cannot be opened: ") + std::strerror(errno), {path, {}});
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace pagoda
