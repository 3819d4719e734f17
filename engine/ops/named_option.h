#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/tensor_error.h"

namespace lectern {

/// The enumerator with the place of `given` among the names. A TensorError that lists them if it is none.
template <typename Option, std::size_t kCount>
Option option_named(std::string_view operation, std::string_view argument,
                    const std::string_view (&names)[kCount], std::string_view given) {
  std::string expected;
  for (std::size_t i = 0; i < kCount; ++i) {
    if (given == names[i]) return static_cast<Option>(i);
    if (i > 0) expected += i + 1 < kCount ? ", " : " or ";
    expected += "\"" + std::string(names[i]) + "\"";
  }
  throw TensorError(operation, argument, expected, "\"" + std::string(given) + "\"");
}

}  // namespace lectern
