#include <cstdio>

template <typename T>
T larger(T a, T b) {
  if (a < b) return b;
  return a;
}
template <>
const char* larger(const char* a, const char*) {
  return a;
}
template <typename... Ts>
int count(const Ts&... values) {
  int n = 0;
  ((n += static_cast<int>(sizeof(values))), ...);
  return n;
}

int main() {
  std::printf("%d\n", larger(1, 2));
  std::printf("%.1f\n", larger(2.5, 1.5));
  std::printf("%s\n", larger("a", "b"));
  std::printf("%d\n", count('a', 'b'));
}
