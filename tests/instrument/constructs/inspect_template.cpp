#include <cstdio>

template <typename T>
T add(T a, T b) {
  T sum = a + b;  // @inspect sum a
  return sum;     // @inspect b
}

constexpr int triple(int n) {
  int result = 3 * n;  // @inspect result
  return result;
}
static_assert(triple(2) == 6);

int main() {
  auto scale = [](int n) {  // @inspect n
    int scaled = n * 10;
    return scaled;
  };
  std::printf("%d\n", add(1, 2));
  std::printf("%.1f\n", add(0.5, 1.0));
  std::printf("%d\n", triple(3));
  std::printf("%d\n", scale(2));
}
