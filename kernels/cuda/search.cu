#include "kernels/cuda/launch.h"
#include "kernels/search.h"

namespace lectern::kernels::cuda {
namespace {

struct SearchKernel {
  KeySearch search;
  std::int64_t* places;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < search.count; i += threads) places[i] = search.find(i);
  }
};

}  // namespace

void search_sorted(const KeySearch& search, std::int64_t* places) {
  launch_for(search.count, SearchKernel{search, places});
}

}  // namespace lectern::kernels::cuda
