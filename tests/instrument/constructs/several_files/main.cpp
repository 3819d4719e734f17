#include <cstdio>

#include "parts/shapes.h"
#include "parts/units.h"

int main() {
  parts::Square square{3};
  std::printf("%d\n", square.area());
  std::printf("%.1f\n", parts::to_metres(250));
}
