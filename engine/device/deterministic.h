#pragma once

#include <string_view>

// Results that are the same bits each time a program runs, on the same machine with the same number of
// threads (device/threads.h says which are the same with any number). All operations of Lectern are
// deterministic already, on the CPU and on a GPU: what several threads add to one element is sorted first,
// and no result depends on the order of atomic additions. The exception is the gradient of long attention on
// a GPU (ops/attention.h). What the mode changes:
//
//   - the gradient of long attention is made in another way, which gives the same bits each time, as that of
//     shorter attention always is;
//   - new tensors that would be uninitialised (empty, empty_like) hold NaN, the largest integer of the dtype
//     or true, so that a program that reads them by mistake does the same each time;
//   - attention is never cuDNN's, whose other engines are taken at their word;
//   - an operation that has no deterministic form, such as a kernel of a program's own with atomic additions,
//     is an error, provided that it says so with alert_not_deterministic().

namespace lectern {

/// Off initially; for all threads. torch.use_deterministic_algorithms(mode).
void use_deterministic_algorithms(bool mode);
bool are_deterministic_algorithms_enabled();

/// Called by an operation that has no deterministic form: a TensorError that names it, in this mode.
void alert_not_deterministic(std::string_view operation);

}  // namespace lectern
