#include <cstdio>

int main() {
  int sum = 0;
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) sum += i;
#ifdef _OPENMP
#pragma omp parallel for reduction(+ : sum)
#endif
  for (int i = 0; i < 3; ++i) {
    sum += i;
  }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-variable"
  int unused = 1;
#pragma GCC diagnostic pop
  std::printf("%d\n", sum);
}
