#pragma once

#include <cstdint>
#include <string_view>

// FNV-1a (Fowler, Noll and Vo): a hash that is the same on every machine, for names, not against malice.
// Hashes consecutive pieces, given the hash so far.

namespace lectern {

constexpr std::uint32_t fnv1a_32(std::string_view bytes, std::uint32_t hash = 2166136261U) {
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 16777619U;
  return hash;
}

constexpr std::uint64_t fnv1a_64(std::string_view bytes, std::uint64_t hash = 14695981039346656037U) {
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211U;
  return hash;
}

}  // namespace lectern
