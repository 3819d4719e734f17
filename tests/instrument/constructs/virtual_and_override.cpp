#include <cstdio>

struct Shape {
  virtual ~Shape() = default;
  virtual int area() const = 0;
  int twice() const { return 2 * area(); }
};
struct Square final : Shape {
  explicit Square(int s) : side(s) {}
  int area() const noexcept override { return side * side; }
  int side;
};

int main() {
  Square square(3);
  const Shape& shape = square;
  std::printf("%d\n", shape.twice());
}
