#include <lectern/lecture.h>

#include "first/helper.h"

int main() {
  lectern::lecture({.title = "The first lecture", .date = "2026-01-01"});
  lectern::text("Two files, one lecture.");
  lectern::text("As in"), lectern::cite("knuth1984"), lectern::text(".");
  const int four = twice(2);  // @inspect four
  assert(four == 4);
}
