#include <cstdio>

int main() {
  int n = 1;
  if (n /* { */)  // }
    /* before */ n = 2; /* after */
  else /* { */ n = 3;  // @inspect n
  for (int i = 0; /* ; */ i < 2 /* ) */; /* no advance */ ++i /* end */) /* body */ n += i;
  std::printf("%d\n", n);
}
