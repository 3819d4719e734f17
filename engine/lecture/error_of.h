#pragma once

#include <exception>
#include <string>

namespace lectern {

/// The message of the exception that a call throws; empty when it throws none. For showing in a lecture that
/// something is refused:
///
///     const std::string refusal = error_of([&] { x.view({2, 3}); });  // @stepover @inspect refusal
///     assert(!refusal.empty());
///
/// Anything thrown that is not a std::exception propagates.
template <typename Call>
std::string error_of(const Call& call) {
  try {
    static_cast<void>(call());
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

}  // namespace lectern
