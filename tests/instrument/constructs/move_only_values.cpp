#include <cstdio>

#include <memory>
#include <utility>

std::unique_ptr<int> make(int n) {
  auto p = std::make_unique<int>(n);
  return p;
}

int main() {
  auto p = make(4);
  auto q = std::move(p);
  if (!p) std::printf("%d\n", *q);
  for (auto owned = make(1); owned; owned = nullptr) std::puts("once");
}
