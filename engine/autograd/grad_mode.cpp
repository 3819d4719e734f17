#include "autograd/grad_mode.h"

namespace lectern::detail {

constinit thread_local bool grad_mode = true;

}  // namespace lectern::detail
