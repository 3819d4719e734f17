#include <cstdio>

int main() {
  int sum = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 2; ++j)
      if (i != j)
        sum += 10 * i + j;
  std::printf("%d\n", sum);
}
