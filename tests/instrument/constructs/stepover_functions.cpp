#include <cstdio>
#include <stdexcept>
#include <vector>

int leaf(int n) { return n + 1; }

int helper(int n) {  // @stepover
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += leaf(i);
  const auto more = [&] { return leaf(sum); };
  return more();
}

// @stepover
template <typename T>
T twice(T value) {
  return value + leaf(0) - 1 + value - 1 + 1;
}

struct Box {
  explicit Box(int n) : size_(n) {  // @stepover
    size_ = leaf(size_);
  }
  // Says how large it is.  @stepover
  int size() const { return leaf(size_) - 1; }
  template <typename Visit>
  void each(Visit visit) const {  // @stepover
    for (int i = 0; i < size_; ++i) visit(i);
  }
  int seen() const {
    return size();
  }

 private:
  int size_;
};

int fails(int n)  // @stepover
{
  if (leaf(n) > 0) throw std::runtime_error("failed");
  return n;
}

int guarded(int n) try {  // @stepover
  return fails(n);
} catch (const std::runtime_error&) {
  return leaf(n);
}

// @stepover
constexpr int square(int n) { return n * n; }
static_assert(square(3) == 9);

int main() {
  int total = helper(3);  // @inspect total
  total += twice(2) + square(2);
  Box box(2);
  box.each([&](int i) {
    total += leaf(i);
  });
  total += box.seen();
  const auto local = [](int n) {  // @stepover
    return leaf(n);
  };
  // @stepover
  const auto other = [](int n) { return leaf(n); };
  total += local(1) + other(2) + leaf(3);
  try {
    fails(1);
  } catch (const std::runtime_error&) {
    total += leaf(1);
  }
  total += guarded(1);
  std::printf("%d\n", total);
}
