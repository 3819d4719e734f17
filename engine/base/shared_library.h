#pragma once

#include <string>
#include <vector>

namespace lectern {

/// A library that is looked for when the program runs, and stays loaded until its end.
class SharedLibrary {
 public:
  /// The first of these names or paths that loads; an Error with the system's reasons when none does.
  explicit SharedLibrary(const std::vector<std::string>& candidates);

  /// An Error when the library does not have it.
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
