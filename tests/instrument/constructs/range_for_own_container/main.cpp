#include <cstdio>
#include <initializer_list>

#include "upto.h"

int first_over(const Upto& numbers, int limit) {
  for (int number : numbers) {
    if (number > limit) return number;
  }
  return -1;
}

int main() {
  Upto numbers{2};
  int unrelated = 5;
  for (int number : numbers)  // @inspect number
    std::printf("%d\n", number);
  std::printf("%d\n", unrelated);
  for (int number : numbers) {
    if (number == 0) continue;
    break;
  }
  unrelated = first_over(numbers, 0);
  for (int number : {1, 2}) unrelated += number;
  std::printf("%d\n", unrelated);
}
