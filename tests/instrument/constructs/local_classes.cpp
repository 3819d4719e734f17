#include <cstdio>

int main() {
  struct Local {
    int value;
    int next() { return ++value; }
    struct Inner {
      static int zero() { return 0; }
    };
  };
  Local local{4};
  int got = local.next();
  std::printf("%d %d\n", got, Local::Inner::zero());
}
