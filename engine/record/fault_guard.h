#pragma once

#include <cstddef>

/// `@inspect *` reads variables that nobody named: references and pointers among them may lead to objects
/// that are gone, and what is left of these leads anywhere.
namespace lectern::values {

/// Calls read(context). Returns false if a fault ended it: what it had allocated is lost.
bool survives(void (*read)(void* context), void* context);

/// In a handler of this signal: returns only if nothing was being read so, or it is no fault of reading.
void escape_fault(int signal);

/// Whether AddressSanitizer, where a program has it, would end the program for reading these bytes.
bool poisoned(const volatile void* address, std::size_t bytes);

}  // namespace lectern::values
