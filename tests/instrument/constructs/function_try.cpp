#include <cstdio>

#include <stdexcept>

int checked(int n) try {
  if (n == 0) throw std::invalid_argument("zero");
  return 10 / n;
} catch (const std::invalid_argument& error) {
  std::puts(error.what());
  return -1;
}

int raise() { throw 5; }

struct Holder {
  Holder() try : value(raise()) {
    std::puts("built");
  } catch (int n) {
    std::printf("failed %d\n", n);
  }
  int value;
};

int main() {
  std::printf("%d\n", checked(5));
  std::printf("%d\n", checked(0));
  try {
    Holder holder;
  } catch (int) {
    std::puts("rethrown");
  }
}
