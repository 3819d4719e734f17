#include <cstdio>

#include <stdexcept>

int risky(int n) {
  if (n > 1) throw std::runtime_error("too large");
  return n;
}

int main() {
  for (int n = 0; n < 3; ++n) {
    try {
      std::printf("%d\n", risky(n));
    } catch (const std::runtime_error& error) {
      std::puts(error.what());
    } catch (...) {
      std::puts("unknown");
    }
  }
}
