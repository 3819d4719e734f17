#include <cstdio>

// Draws nothing.  @hide
int plot(int n) {
  const auto scale = [](int x) { return 2 * x; };
  return scale(n);
}

class Canvas {  // @hide
 public:
  int draw(int n) { return plot(n) + plot(n); }
  int inline_size() const;

 private:
  struct Line {
    int length() const { return 1; }
  };
};

int Canvas::inline_size() const {
  return 3;
}

namespace style {  // @hide
int colour() { return 7; }
}  // namespace style

// @hide
template <typename T>
struct Pair {
  T sum() const { return left + right; }
  T left, right;
};

int main() {
  Canvas canvas;
  int total = canvas.draw(2) + canvas.inline_size();
  total += style::colour() + Pair<int>{1, 2}.sum();
  const auto hidden = [&](int n) {  // @hide
    total += plot(n);
  };
  hidden(1);
  total += plot(1);  // @hide
  std::printf("%d\n", total);
}
