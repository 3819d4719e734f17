#include <cstdio>

#define PRINT_TWICE(x)          /* first, */ \
  do {                          /* then, */  \
    std::printf("%d\n", (x)); /* last */   \
    std::printf("%d\n", (x));               \
  } while (false)
#define DEFINE(name) /* a function */ int name() { return 1; }
#define SUM 1 /* and */ + 2

DEFINE(one)
struct End {};

int main() {
  PRINT_TWICE(one());
  std::printf("%d\n", SUM);
}
