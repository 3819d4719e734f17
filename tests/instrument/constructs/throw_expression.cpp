#include <cstdio>

int pick(bool c) {
  int n = c ? 1 : throw 2;
  return n;
}

int main() {
  try {
    std::printf("%d\\n", pick(true));
    pick(false);
  } catch (int n) {
    std::printf("caught %d\\n", n);
  }
}
