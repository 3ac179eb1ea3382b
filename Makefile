# Short names for what developers do daily; everything is CMake presets underneath.
PREFIX ?= /usr/local

.PHONY: help build test sanitize fuzz tidy format bench-host install demo clean gpu carry test-gpu bench
help:  ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'
build:  ## build/pagoda (release) and the unit tests
	cmake --preset release >/dev/null && cmake --build --preset release
test: build  ## unit tests of the release build; ./bootstrap test runs everything
	ctest --preset release
sanitize:  ## unit tests under AddressSanitizer and UndefinedBehaviorSanitizer
	cmake --preset sanitize >/dev/null && cmake --build --preset sanitize && ctest --preset sanitize
fuzz:  ## every fuzz target, RUNS=1000000 SECONDS=600
	cmake --preset fuzz >/dev/null && cmake --build --preset fuzz --target fuzzers && tools/fuzz $(or $(RUNS),1000000) $(or $(SECONDS),600)
tidy: build  ## clang-tidy 19 over src/
	run-clang-tidy-19 -quiet -p build 'src/.*(?<!_test)\.cpp$$'
format:  ## clang-format 19 in place
	git ls-files 'src/*.h' 'src/*.cpp' 'tests/*.h' 'tests/*.cpp' | xargs clang-format-19 -i
gpu:  ## the operators and build-gpu/bench/pagoda-gpu (needs nvcc 13 and, in .venv, triton 3.6)
	cmake --preset gpu >/dev/null && cmake --build --preset gpu
carry: gpu  ## .carry/: what goes to a GPU machine; run there: sh .carry/on-gpu-machine OUT device test bench peers sanitize
	mkdir -p .carry && cp build-gpu/bench/pagoda-gpu bench/torch_peers.py bench/on-gpu-machine .carry/ && strip .carry/pagoda-gpu
test-gpu:  ## on a GPU machine: every operator and tier against fp64
	sh .carry/on-gpu-machine . test
bench:  ## on a GPU machine: ceilings, our tiers, PyTorch beside them
	sh .carry/on-gpu-machine . device bench peers
bench-host: build  ## throughput and memory of analyze on a 500 MB trace
	tools/bench-host
install:  ## the program, its man page and shell completion under PREFIX
	./bootstrap build && cmake --install build --prefix $(PREFIX)
demo:  ## the main job on a bundled sample
	./bootstrap demo
clean:  ## remove the build folders
	rm -rf build build-sanitize build-fuzz build-gpu
