#include <cstdio>

int announce(const char* what) {
  std::puts(what);
  return 1;
}
int first = announce("first");
struct Early {
  Early() { std::puts("early"); }
  ~Early() { std::puts("late"); }
};
Early early;
auto computed = [] { return 6; }();

int main() { std::printf("%d %d\n", first, computed); }
