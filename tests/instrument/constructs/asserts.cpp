#include <cstdio>

#include <cassert>
#include <string>
// An include after <cassert> may bring it again.
#include <vector>

template <typename A, typename B>
struct Same {
  static constexpr bool value = false;
};

int main() {
  int calls = 0;
  auto next = [&] { return ++calls; };
  assert(next() == 1);
  assert(calls);
  assert(calls == 1 && next() == 2);
  const int* nothing = nullptr;
  assert(nothing == nullptr);
  assert(!nothing);
  assert((!Same<int, char>::value));
  assert(std::string("a") < std::string("b"));
  if (calls == 2) assert(calls != 3);
  else assert(false);
  std::printf("%d\n", calls);
}
