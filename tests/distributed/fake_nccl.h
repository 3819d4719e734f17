#pragma once

#include <functional>
#include <string>

#include "distributed/nccl_library.h"

// What the library libnccl.so.2 that tests load has besides NCCL's functions.

namespace lectern::test {

/// How the fake NCCL behaves, to be set before it is used.
struct FakeNccl {
  /// Gives a stream work, which is called until it returns true. None: it is done at once.
  std::function<void(cuda::StreamHandle, std::function<bool()>)> give = {};
  std::string folder = {};  ///< where the ranks of new communicators exchange their elements
  nccl::Result id_result = nccl::Result::success, init_result = nccl::Result::success;
  nccl::Result async_result = nccl::Result::success;  ///< once connected
  std::string last_error = {};
  bool hangs = false;  ///< collectives are never done
  int aborted = 0, destroyed = 0;
};

}  // namespace lectern::test

extern "C" lectern::test::FakeNccl* lectern_fake_nccl();
