#include "bench/cases.h"
#include "ops/elementwise.h"

namespace lectern::bench {
namespace {

constexpr std::int64_t kMany = 1 << 24;
constexpr double kSmallBar = 200, kViewBar = 60;

}  // namespace

std::vector<Case> cpu_cases() {
  return {
      {"matmul_512", "[512, 512] @ [512, 512]", product({512, 512}, {512, 512})},
      {"matmul_1024", "[1024, 1024] @ [1024, 1024]", product({1024, 1024}, {1024, 1024})},
      {"matmul_2048", "[2048, 2048] @ [2048, 2048]", product({2048, 2048}, {2048, 2048})},
      {"add", "[16M] + [16M]", timed([] { return [x = rand({kMany}), y = rand({kMany})] { x + y; }; })},
      {"add_", "[16M] += [16M]", timed([] { return [x = rand({kMany}), y = rand({kMany})] { x += y; }; })},
      {"copy", "[16M]", timed([] { return [x = rand({kMany})] { x.clone(); }; })},
      {"sum", "[16M]", timed([] { return [x = rand({kMany})] { x.sum(); }; })},
      {"exp", "[16M]", timed([] { return [x = rand({kMany})] { x.exp(); }; })},
      {"to_bfloat16", "[16M]", timed([] { return [x = rand({kMany})] { x.to(bfloat16); }; })},
      {"small_add", "[8] + [8]", timed([] { return [x = rand({8}), y = rand({8})] { x + y; }; }), kSmallBar},
      {"small_add_", "[8] += [8]", timed([] { return [x = rand({8}), y = rand({8})] { x += y; }; }),
       kSmallBar},
      {"view_select", "[64, 64][0]", timed([] {
         return [x = rand({64, 64})] { x[0]; };
       }),
       kViewBar},
      {"view_t", "[64, 64].t()", timed([] {
         return [x = rand({64, 64})] { x.t(); };
       }),
       kViewBar},
      {"view_view", "[64, 64].view(4096)", timed([] {
         return [x = rand({64, 64})] { x.view({4096}); };
       }),
       kViewBar},
  };
}

}  // namespace lectern::bench
