#include <cstdio>

#include <array>

constexpr std::array<int, 4> squares() {
  std::array<int, 4> result{};
  for (int i = 0; auto& slot : result) {
    slot = i * i;
    ++i;
  }
  return result;
}
constexpr auto table = squares();
static_assert(table[3] == 9);

int main() {
  constexpr int local = squares()[2];
  std::printf("%d %d\n", local, squares()[1]);
}
