#include "helper.h"

int twice(int x) {
  return 2 * x;  // @inspect x
}
