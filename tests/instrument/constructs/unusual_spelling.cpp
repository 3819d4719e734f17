#include <cstdio>

int main() {
  int n = 3;
  if (not(n == 2) and n != 4) std::puts("words");
  int values<::> = <%1, 2%>;
  unsigned char c = 'a', quote = '\'', open = '{';
  std::printf("%d %c %c %c %d %s\n", values[1], c, quote, open, 1'000, "a" /* } */ "b");
  ;
  {
    ;
    { std::puts("block"); }
  }
}
