// Whatever bytes come, they are a program of tensors, and tensors do what a naive model of them does.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "ops/random_program.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    lectern::test::run_random_program(std::as_bytes(std::span(data, size)));
  } catch (const std::exception& error) {  // what the program did, too
    std::fprintf(stderr, "%s\n", error.what());
    std::abort();
  }
  return 0;
}
