#include <cstdio>

#include <type_traits>

template <typename T>
auto widen(T value) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<long>(value);
  else if constexpr (std::is_floating_point_v<T>)
    return static_cast<double>(value);
  else
    return value;
}

int main() {
  std::printf("%ld\n", widen(3));
  std::printf("%.1f\n", widen(1.5F));
  std::printf("%s\n", widen("text"));
}
