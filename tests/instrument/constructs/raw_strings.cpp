#include <cstdio>

int main() {
  // The directives below are text.
  const char* code = R"(
    x = 1;  // @inspect x
    if (x) { /* @clear y */ }
  )";
  const char* other = R"end(")" @stepover)end";
  std::printf("%s|%s|%s\n", code, other, "@inspect nothing // @hide");
}
