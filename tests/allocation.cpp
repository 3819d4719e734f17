#include "allocation.h"

#include <cstdlib>
#include <new>

#include <malloc.h>

namespace lectern::test {
namespace {

thread_local std::size_t now = 0, most = 0;

void* allocate(std::size_t size) noexcept {
  void* const memory = std::malloc(size);
  if (memory != nullptr) now += malloc_usable_size(memory);
  most = std::max(most, now);
  return memory;
}

void* allocate_or_throw(std::size_t size) {
  void* const memory = allocate(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void release(void* memory) noexcept {
  if (memory != nullptr) now -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

std::size_t allocated() {
  return now;
}

std::size_t& most_allocated() {
  return most;
}

}  // namespace lectern::test

// All forms but those of more than usual alignment: a sanitizer's do not call each other.
void* operator new(std::size_t size) {
  return lectern::test::allocate_or_throw(size);
}
void* operator new[](std::size_t size) {
  return lectern::test::allocate_or_throw(size);
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return lectern::test::allocate(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return lectern::test::allocate(size);
}
void operator delete(void* memory) noexcept {
  lectern::test::release(memory);
}
void operator delete[](void* memory) noexcept {
  lectern::test::release(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  lectern::test::release(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  lectern::test::release(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  lectern::test::release(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  lectern::test::release(memory);
}
