#include <cstdio>

#include <concepts>

template <typename T>
concept Number = std::integral<T> || std::floating_point<T>;

template <typename T>
concept Sized = requires(const T& t) {
  { t.size() } -> std::convertible_to<int>;
};

struct Two {
  int size() const { return 2; }
};

int describe(const Sized auto& s) { return s.size(); }
template <Number T>
  requires(sizeof(T) > 1)
T half(T n) {
  return n / 2;
}

int main() {
  std::printf("%d\n", describe(Two{}));
  std::printf("%d\n", half(9));
  std::printf("%.2f\n", half(1.5));
}
