#pragma once

#include <exception>
#include <string>

namespace lectern {

/// What the exception says that a call throws; empty when it throws none. For what a lecture shows being
/// refused:
///
///     const std::string refusal = error_of([&] { x.view({2, 3}); });  // @stepover @inspect refusal
///     assert(!refusal.empty());
///
/// What is thrown and is no std::exception goes on.
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
