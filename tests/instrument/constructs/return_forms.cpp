#include <cstdio>

#include <string>
#include <utility>

std::pair<int, std::string> braces() {
  return {1, "one"};
}
const std::string& reference(const std::string& s) { return s; }
auto deduced(int n) { return n * 2; }
decltype(auto) exact(int& n) { return (n); }
void nothing() { return; }

struct Pinned {
  explicit Pinned(int n) : value(n) {}
  Pinned(const Pinned&) = delete;
  int value;
};
Pinned elided() {
  return Pinned(3);
}

int main() {
  int n = 4;
  exact(n) = 5;
  nothing();
  std::printf("%d\n", braces().first);
  std::printf("%s\n", reference("x").c_str());
  std::printf("%d\n", deduced(n));
  std::printf("%d\n", n);
  std::printf("%d\n", elided().value);
  return n - 5;
}
