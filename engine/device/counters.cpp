#include "device/counters.h"

namespace lectern::detail {

constinit thread_local Counters counters;

}  // namespace lectern::detail
