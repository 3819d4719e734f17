#pragma once

#include <string>

namespace lectern {

/// The shortest text that reads back as the same number, "0.1", "7", "1e+30", "nan".
std::string number_text(double number);

}  // namespace lectern
