#include "checks.h"

#define TEXT(x) #x
#define SHOW(x) std::printf("%s: %d\n", TEXT(x), (x))
#define SHOW_AGAIN(x) SHOW(x)
#define SHOW_AFTER_A_COMMENT(x) std::printf(/* the text, */ "%s: %d\n", /* then the value */ #x, (x))

int main() {
  SHOW([] { int n = 1; return n; }());
  SHOW_AGAIN([] { int n = 2; return n; }());
  SHOW_AFTER_A_COMMENT([] { int n = 3; return n; }());
  check_that([] { int n = 4; return n; }());
  show([] { int n = 5; return n; }());
  explain([] { int n = 6; return n; }());
  Log log;
  log.note([] { int n = 7; return n; }());
  const int sum = run_twice([] {
    int n = 8;
    return n;
  });
  std::printf("%d\n", sum);
}
