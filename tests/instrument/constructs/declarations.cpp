#include <cstdio>

#include <string>
#include <vector>

enum class Mode { slow, fast };

int main() {
  extern int elsewhere;
  int later(int);
  using Numbers = std::vector<int>;
  typedef int Whole;
  static_assert(sizeof(Whole) == sizeof(int));
  using enum Mode;
  enum Local { left, right };
  const int n = 3;
  Numbers v(n);
  std::string s(2, 'x'), t;
  int *p = nullptr, a[2] = {1, 2};
  Whole uninitialised;
  uninitialised = right;
  auto mode = fast;
  std::printf("%d %s %d %d %d %d\n", static_cast<int>(v.size()), s.c_str(), p == nullptr, a[1], uninitialised,
              static_cast<int>(mode) + left + elsewhere + later(1) + static_cast<int>(t.size()));
}

int elsewhere = 5;
int later(int n) { return n; }
