#include <lectern/lecture.h>

#include "first/helper.h"

namespace {
struct Point {
  int x = 2;
};
}  // namespace

struct Circle {
  Point center;
};

int main() {
  lectern::lecture({.title = "The first lecture", .date = "2026-01-01"});
  lectern::text("Two files, one lecture.");
  lectern::text("As in"), lectern::cite("knuth1984"), lectern::text(".");
  const int four = twice(Circle().center.x);  // @inspect four
  assert(four == 4);
}
