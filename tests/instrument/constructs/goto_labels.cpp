#include <cstdio>

int main() {
  int n = 0;
again:
  ++n;
  if (n < 3) goto again;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      if (i * j == 2) goto done;
done:
  std::printf("%d\n", n);
  if (n > 5)
  skip:
    std::puts("not reached");
  if (n == 100) goto skip;
  goto end;
end:;
}
