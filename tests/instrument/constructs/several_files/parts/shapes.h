#pragma once

#include "units.h"

namespace parts {

struct Square {
  int side;
  int area() const {
    int result = side * side;
    return result + offset();
  }
};

}  // namespace parts
