// What several calculators ask for, and what they refuse.  @hide file

#pragma once

#include <string>
#include <string_view>

#include <lectern/calculator.h>

#include "accounting/data_sheets.h"

inline lectern::CalculatorInput gpu_input() {
  return {.name = "gpu", .label = "GPU", .value = "H100 SXM", .choices = {"A100 SXM 80GB", "H100 SXM", "H200 SXM"}};
}
inline lectern::CalculatorInput mfu_input() {
  return {.name = "mfu", .label = "MFU", .value = "50%", .min = 0.05, .max = 1};
}

/// The data sheet of the input `gpu`; null, refused, if there is none.
inline const lectern::Hardware* expect_gpu(lectern::CalculatorResult& out, std::string_view gpu) {
  const lectern::Hardware* const hardware = lectern::find_product(gpu);
  if (hardware == nullptr) out.refuse("gpu", "is not in the table of data sheets");
  return hardware;
}
inline void expect_mfu(lectern::CalculatorResult& out, double mfu) {
  if (!(mfu > 0 && mfu <= 1)) out.refuse("mfu", "is a share of the peak: above 0%, at most 100%");
}

/// Refuses by a sentence that begins with the input, "heads is not a divisor of width", unless it is empty.
inline void expect_none(lectern::CalculatorResult& out, std::string_view problem) {
  const std::size_t space = problem.find(' ');
  if (!problem.empty()) out.refuse(problem.substr(0, space), std::string(problem.substr(space + 1)));
}
