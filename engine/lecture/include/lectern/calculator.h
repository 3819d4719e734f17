#pragma once

/// What the header of a calculator includes: `#include <lectern/calculator.h>`. Such a header,
/// NAME_calculator.h beside the lecture's sources, defines a function of double, std::int64_t, bool and
/// std::string_view (a choice or a text) that returns a CalculatorResult, and names it and its parameters:
///
///     inline CalculatorResult training_time(double parameters, double tokens, std::int64_t gpus) {
///       CalculatorResult out;
///       out.expect("parameters", parameters, 1, 1e15);  // else the reader is told so, beside the field
///       if (out.refused()) return out;
///       const double flops = accounting::six_n_d(parameters, tokens);
///       out.show("Operations", rounded_number(flops) + " FLOPs", flops);
///       return out;
///     }
///     LECTERN_CALCULATOR(training_time, parameters, tokens, gpus);
///
/// Several lectures may share it, in shared/, and the inputs that they show.
/// It is compiled for pages too, to WebAssembly, without exceptions: it includes the standard library, the
/// formulas of accounting/ and this, no tensors. The lecture shows it with the hook calculator()
/// (lecture/calculators.h).

#include "calculator/calculator_function.h"
#include "calculator/chart.h"
#include "calculator/rounded_text.h"
#ifdef __wasm__
#include "calculator/wasm_module.h"
#else
#include "calculator/registry.h"
#endif
