#include "base/shared_library.h"

#include <dlfcn.h>

#include "base/error.h"

namespace lectern {

SharedLibrary::SharedLibrary(const std::vector<std::string>& candidates) {
  std::string reasons;
  for (const std::string& candidate : candidates) {
    handle_ = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) {
      name_ = candidate;
      return;
    }
    reasons.append(reasons.empty() ? "" : "; ").append(dlerror());
  }
  throw Error(reasons);
}

void* SharedLibrary::address(const char* name) const {
  void* found = dlsym(handle_, name);
  if (found == nullptr)
    throw Error(name_ + ": has no " + name + ": it is another version than this program needs");
  return found;
}

}  // namespace lectern
