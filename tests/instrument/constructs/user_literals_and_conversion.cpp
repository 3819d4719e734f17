#include <cstdio>

constexpr long double operator""_km(long double d) { return d * 1000; }
struct Metres {
  operator int() const { return value; }
  int value;
};

int main() {
  const Metres m{7};
  int n = m;
  std::printf("%d %.0f\n", n, static_cast<double>(1.5_km));
}
