#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace lectern {

/// Where a tensor's storage lives: "cpu", or "cuda:N" for the N-th GPU.
class Device {
 public:
  enum class Type : std::uint8_t { cpu, cuda };

  constexpr Device(Type type = Type::cpu, int index = 0) : type_(type), index_(index) {}
  /// "cpu", "cuda" (the current one), "cuda:1"; throws TensorError otherwise.
  Device(std::string_view name);
  Device(const char* name) : Device(std::string_view(name)) {}
  Device(const std::string& name) : Device(std::string_view(name)) {}

  constexpr Type type() const { return type_; }
  constexpr int index() const { return index_; }
  constexpr bool is_cpu() const { return type_ == Type::cpu; }
  constexpr bool is_cuda() const { return type_ == Type::cuda; }
  /// As the constructor reads it.
  std::string name() const;

  friend constexpr auto operator<=>(Device, Device) = default;  // NOLINT(modernize-use-nullptr)

 private:
  Type type_;
  int index_;
};

inline constexpr Device cpu{Device::Type::cpu};

}  // namespace lectern
