#include "kernels/search.h"

#include "kernels/cpu/parallel.h"

namespace lectern::kernels::cpu {

void search_sorted(const KeySearch& search, std::int64_t* places) {
  parallel_ranges(search.count, search.count, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) places[i] = search.find(i);
  });
}

}  // namespace lectern::kernels::cpu
