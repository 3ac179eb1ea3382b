#include "cli/read_promises.h"

#include <simdjson.h>

#include "core/error.h"

namespace pagoda {
namespace {

NanosRange range_of(const simdjson::dom::element& action, const char* key) {
  NanosRange range;
  range.low = action[key]["low"].get_int64();
  range.likely = action[key]["likely"].get_int64();
  range.high = action[key]["high"].get_int64();
  return range;
}

}  // namespace

std::vector<Promise> read_promises(const std::string& path) {
  try {
    simdjson::dom::parser parser;
    const simdjson::dom::element plan = parser.load(path);
    const std::string_view schema = plan["schema"].get_string();
    if (schema != "pagoda.plan/1") throw simdjson::simdjson_error(simdjson::INCORRECT_TYPE);
    std::vector<Promise> promises;
    for (const simdjson::dom::element action : plan["actions"].get_array()) {
      const std::string_view id = action["id"].get_string();
      const std::string_view operator_name = action["operator"].get_string();
      promises.push_back({std::string(id), std::string(operator_name),
                          range_of(action, "step_after_alone_ns"),
                          range_of(action, "step_after_cumulative_ns")});
    }
    return promises;
  } catch (const simdjson::simdjson_error& error) {
    throw Error(std::string("this is no plan: ") + error.what(), {path, {}},
                "make one with `pagoda plan TRACE --format json`");
  }
}

}  // namespace pagoda
