#include <stdexcept>

#include <lectern/lecture.h>

int main() {
  lectern::lecture({.title = "The second lecture", .date = "2026-01-02"});
  lectern::text("This one ends early.");
  throw std::runtime_error("on purpose");
}
