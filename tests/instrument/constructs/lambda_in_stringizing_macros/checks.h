#pragma once

#include <cstdio>

#include "more.def"

#define check_that(x) std::printf("%s: %d\n", #x, (x))
#define show check_that

struct Log {
  void write(const char* text, int value) { std::printf("%s: %d\n", text, value); }
};
#define note(x) write(#x, (x))

template <typename F>
int twice(F f) {
  return f() + f();
}
#define run_twice(f) twice(f)
