#include <cstdio>

int main() {
  const char* text = "four";
  int n = 0;
  for (; text[n] != 0; ++n)  // @inspect n
    ;
  while (text[--n] != 'f')
    ;
  std::printf("%d\n", n);
}
