#pragma once
#include <string>
#include <string_view>

namespace pagoda {

/// Text for an HTML page: printable(), with & < > " ' as references.
std::string html_text(std::string_view text);
/// JSON to stand in a <script> element: nothing in it can close the element.
std::string json_in_html(std::string json);

}  // namespace pagoda
