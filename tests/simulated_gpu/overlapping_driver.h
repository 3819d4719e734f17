#pragma once

#include <functional>

namespace lectern::test {

/// Gives work to the current stream of the GPU that overlapping_driver.cpp makes, as a kernel would be.
void launch(std::function<void()> kernel);

}  // namespace lectern::test
