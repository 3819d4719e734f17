#include <cstdio>

#include "upto.h"

int main() {
  Upto numbers{2};
  int unrelated = 5;
  for (int number : numbers) std::printf("%d\n", number);
  std::printf("%d\n", unrelated);
}
