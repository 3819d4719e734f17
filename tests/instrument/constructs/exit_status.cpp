#include <cstdio>

#include <cstdlib>

int main() {
  std::puts("leaving");
  std::exit(3);
}
