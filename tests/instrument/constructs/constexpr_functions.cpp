#include <cstdio>

constexpr int power(int base, int exponent) {
  int result = 1;
  while (exponent > 0) {
    if (exponent % 2 == 1) result *= base;
    base *= base;
    exponent /= 2;
  }
  return result;
}
static_assert(power(2, 10) == 1024);

struct Point {
  constexpr Point(int a, int b) : x(a), y(b) {}
  constexpr int dot(const Point& other) const { return x * other.x + y * other.y; }
  int x, y;
};
constexpr Point unit{3, 4};
static_assert(unit.dot(unit) == 25);
constexpr auto square = [](int n) { return n * n; };
static_assert(square(3) == 9);

int main() {
  int sizes[power(2, 2)] = {};
  std::printf("%d\n", power(3, 3));
  std::printf("%d\n", static_cast<int>(sizeof(sizes) / sizeof(int)));
  std::printf("%d\n", unit.dot({1, 1}));
}
