#include "bench/cases.h"
#include "ops/elementwise.h"

namespace lectern::bench {

std::vector<Case> shared_cases() {
  return {
      {"matmul_batched", "[64, 256, 256] @ [64, 256, 256]", product({64, 256, 256}, {64, 256, 256})},
      {"add_strided", "[4096, 8192][:, ::2], both", timed([] {
         const auto columns = [] { return rand({4096, 8192}).slice(1, {}, {}, 2); };
         return [x = columns(), y = columns()] { x + y; };
       })},
      {"add_transposed", "[4096, 4096] + [4096, 4096].t()", timed([] {
         return [x = rand({4096, 4096}), y = rand({4096, 4096}).t()] { x + y; };
       })},
      {"add_row", "[4096, 4096] + [4096]", timed([] {
         return [x = rand({4096, 4096}), y = rand({4096})] { x + y; };
       })},
      {"add_column", "[4096, 4096] + [4096, 1]", timed([] {
         return [x = rand({4096, 4096}), y = rand({4096, 1})] { x + y; };
       })},
      {"copy_transposed", "[4096, 4096].t()", timed([] {
         return [x = rand({4096, 4096}).t()] { x.contiguous(); };
       })},
      {"sum_dim0", "[4096, 4096]", sum_over({0})},
      {"sum_dim1", "[4096, 4096]", sum_over({1})},
  };
}

}  // namespace lectern::bench
