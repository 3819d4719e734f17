#include <cstdio>

int main() {
  for (int n = 0; n < 2; ++n)
    switch (n)
      case 1: std::puts("one");
}
