# pagoda_embed(TARGET FILE NAME): compiles the text of FILE into TARGET as
#   namespace pagoda::embedded { extern const std::string_view NAME; }
# Editing the file rebuilds it. The text must not contain the delimiter )~~~".
include_guard()
function(pagoda_embed target file name)
  cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/embedded_${name}.cpp CONTENT [[
#include <string_view>
namespace pagoda::embedded {
extern const std::string_view @name@;
const std::string_view @name@ = R"~~~(@text@)~~~";
}  // namespace pagoda::embedded
]] @ONLY)
  target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/embedded_${name}.cpp)
endfunction()
