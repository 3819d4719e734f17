#include <cstdio>

int main() {
  int sum = 0;
  for (int i = 0; i < 3; ++i) {  // @inspect i
    sum += i;                    // @inspect sum
  }
  const int more[] = {7, 8};
  for (const int n : more)  // @inspect n
    sum += n;
  while (sum > 12)  // @inspect sum
    sum -= 4;
  if (int half = sum / 2; half > 100) {  // @inspect half
    std::puts("large");
  } else {
    std::puts("small");
  }
  if (sum > 100) {
    std::puts("large");
  } else {  // @inspect sum
    std::puts("small");
  }
  do {  // @inspect sum
    --sum;
  } while (sum > 9);
  switch (sum) {  // @inspect sum
    case 9: sum = 0;
  }
  for (int k = 0; k < 2; ++k) sum += k;  // @inspect sum
  if (sum == 1) { sum = 2; }  // @inspect sum
  std::printf("%d\n", sum);
}
