#include <cstdio>

enum class [[maybe_unused]] Colour { red [[maybe_unused]] = 1, green };

class [[nodiscard]] alignas(8) Box final {
 public:
  explicit Box(int n) : n_(n) { n_ += 1; }
  int get [[nodiscard]] () const { return n_; }

 private:
  int n_ [[maybe_unused]] = 0;
};

int main() {
  [[maybe_unused]] Colour c = Colour::green;
  const Box box(2);
  if (box.get() > 2)
    [[likely]] std::printf("%d\n", static_cast<int>(c));
}
