#include <cstdio>

struct Stop {
  int code;
};

void deepest(int n) {
  throw Stop{n};
}

void middle(int n) {
  std::puts("in");
  deepest(n);
  std::puts("never");
}

int main() {
  try {
    middle(3);
  } catch (const Stop& stop) {
    std::printf("%d\n", stop.code);
    try {
      throw;
    } catch (Stop&) {
      std::puts("again");
    }
  }
  std::puts("after");
}
