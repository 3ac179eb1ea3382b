# One rule for every folder of src/: its .cpp files are the library, *_test.cpp beside them its tests,
# *_fuzz.cpp its libFuzzer targets, *_bench.cpp its host benchmarks. Adding a file needs no edit here.
include_guard()
find_package(Threads REQUIRED)

add_library(pagoda_options INTERFACE)
target_include_directories(pagoda_options INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_compile_options(pagoda_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Werror -Wshadow -Wnon-virtual-dtor>
  # g++ 12 sees overlapping copies in `"text" + std::string` that are none (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  # libstdc++ 12's own stable_sort calls a function it deprecates; only clang tells.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>
  # g++ 12 sees overlap in `"text" + std::string` (GCC bug 105651).
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-restrict>)
if(PAGODA_SANITIZE)
  target_compile_options(pagoda_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined
                         -fno-omit-frame-pointer -O1
                         # g++ 12 sees uninitialised reads in std::function and std::optional once they are
                         # instrumented; the release build keeps the warning.
                         $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(pagoda_options INTERFACE -fsanitize=address,undefined)
endif()
if(PAGODA_FUZZ)
  target_compile_options(pagoda_options INTERFACE -fsanitize=fuzzer-no-link,address,undefined
                         -fno-sanitize-recover=undefined)
  target_link_options(pagoda_options INTERFACE -fsanitize=address,undefined)
endif()

if(PAGODA_TESTS)
  enable_testing()
  find_package(GTest REQUIRED)
  find_package(ZLIB REQUIRED)
  include(GoogleTest)
endif()
find_package(benchmark QUIET)

# pagoda_module(NAME [DEPENDS target...]): library pagoda_NAME from this folder and its subfolders, without main.cpp
# and *_module.cpp, which a folder builds by itself.
function(pagoda_module name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  file(GLOB_RECURSE all CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  set(sources ${all})
  list(FILTER sources EXCLUDE REGEX "(_(test|fuzz|bench|module)|/main)\\.cpp$")
  add_library(pagoda_${name} STATIC ${sources})
  target_link_libraries(pagoda_${name} PUBLIC pagoda_options ${ARG_DEPENDS})

  set(tests ${all})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  if(PAGODA_TESTS AND tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE pagoda_${name} GTest::gtest GTest::gtest_main ZLIB::ZLIB)
    target_compile_definitions(${name}_test PRIVATE PAGODA_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    gtest_discover_tests(${name}_test TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60)
  endif()

  foreach(kind fuzz bench)
    set(programs ${all})
    list(FILTER programs INCLUDE REGEX "_${kind}\\.cpp$")
    foreach(source ${programs})
      get_filename_component(program ${source} NAME_WE)
      if(kind STREQUAL fuzz AND PAGODA_FUZZ)
        add_executable(${program} ${source})
        target_link_libraries(${program} PRIVATE pagoda_${name} -fsanitize=fuzzer)
        if(NOT TARGET fuzzers)
          add_custom_target(fuzzers COMMENT "All fuzz targets and what they need, nothing else")
        endif()
        add_dependencies(fuzzers ${program})
      elseif(kind STREQUAL bench AND benchmark_FOUND AND NOT PAGODA_FUZZ)
        add_executable(${program} EXCLUDE_FROM_ALL ${source})
        target_link_libraries(${program} PRIVATE pagoda_${name} benchmark::benchmark_main)
        set_property(GLOBAL APPEND PROPERTY PAGODA_HOST_BENCHMARKS ${program})
      endif()
    endforeach()
  endforeach()
endfunction()
