#pragma once

#include <cstddef>

/// `@inspect *` reads variables that the author did not name: references and pointers among them may dangle,
/// and what they refer to may hold any bytes.
namespace lectern::values {

/// Calls read(context). Returns false if a fault ended it: what it had allocated is lost.
bool survives(void (*read)(void* context), void* context);

/// In a handler of this signal: returns only if no guarded read was in progress, or the signal is not a fault
/// of one.
void escape_fault(int signal);

/// Whether AddressSanitizer, where a program has it, would end the program for reading these bytes.
bool poisoned(const volatile void* address, std::size_t bytes);

}  // namespace lectern::values
