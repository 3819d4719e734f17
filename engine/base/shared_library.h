#pragma once

#include <string>
#include <vector>

namespace lectern {

/// A library loaded at run time, which stays loaded until the program ends.
class SharedLibrary {
 public:
  /// The first candidate that loads; throws Error with the system's reasons if none does.
  explicit SharedLibrary(const std::vector<std::string>& candidates);

  /// Throws Error if the library lacks it.
  template <typename Function>
  void find(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(address(name));
  }
  const std::string& name() const { return name_; }

 private:
  void* address(const char* name) const;

  void* handle_ = nullptr;
  std::string name_;
};

}  // namespace lectern
