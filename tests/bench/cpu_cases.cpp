#include "bench/cases.h"
#include "ops/elementwise.h"
#include "ops/selection.h"

namespace lectern::bench {
namespace {

/// Of numbers from -4 to 4, where activations bend.
std::function<Measured()> activation(Tensor (*function)(const Tensor&)) {
  return timed([=] { return [=, x = rand({kMany}) * 8 - 4] { function(x); }; });
}

constexpr double kSmallBar = 200, kViewBar = 60;
constexpr double kRecordedBar = 250, kBothWaysBar = 500;

const char* const kSmallObstacle =
    "most of it are calls, allocations and counts of owners, which beside other threads are changed by "
    "locked "
    "instructions: some 8 ns of a view on an AMD EPYC (Zen 5); an Intel Xeon (Ice Lake, 2.8 GHz) takes 6 ns "
    "for each and "
    "nearly twice as long for the rest, four times while other machines use its cores";

}  // namespace

std::vector<Case> cpu_cases() {
  return {
      {"matmul_512", "[512, 512] @ [512, 512]", product({512, 512}, {512, 512})},
      {"matmul_1024", "[1024, 1024] @ [1024, 1024]", product({1024, 1024}, {1024, 1024})},
      {"matmul_2048", "[2048, 2048] @ [2048, 2048]", product({2048, 2048}, {2048, 2048})},
      {"matmul_bfloat16_512", "[512, 512] @ [512, 512]", product({512, 512}, {512, 512}, bfloat16)},
      {"matmul_bfloat16_2048", "[2048, 2048] @ [2048, 2048]", product({2048, 2048}, {2048, 2048}, bfloat16)},
      {"add", "[16M] + [16M]", timed([] { return [x = rand({kMany}), y = rand({kMany})] { x + y; }; })},
      {"add_", "[16M] += [16M]", timed([] { return [x = rand({kMany}), y = rand({kMany})] { x += y; }; }), 0,
       0, 1, 0,
       "it waits for memory: on an AMD EPYC (Zen 5) 0.92 to 1.06 of PyTorch's speed in different runs, on an "
       "Intel Xeon (Granite Rapids) 0.90 to 1.01 before it was prefetched"},
      {"copy", "[16M]", copying(kMany)},
      {"sum", "[16M]", timed([] { return [x = rand({kMany})] { x.sum(); }; }), 0, 0, 1, 0, kSumObstacle},
      {"exp", "[16M]", timed([] { return [x = rand({kMany})] { x.exp(); }; })},
      {"tanh", "[16M]", activation(&tanh)},
      {"sigmoid", "[16M]", activation(&sigmoid)},
      {"silu", "[16M]", activation(&silu)},
      {"gelu", "[16M]", activation(&gelu), 0, kNearMemory, 1, kGeluOperations * kMany,
       "on an Intel Xeon (Ice Lake) an element takes 0.5 ns even in the cache, with a division and "
       "comparisons, in a copy 0.37"},
      {"gelu_tanh", "[16M]", activation(&gelu_tanh)},
      {"where", "[16M] > 0.5 ? [16M] : [16M]", timed([] {
         return [x = rand({kMany}), y = rand({kMany}), larger = rand({kMany}) > 0.5] { where(larger, x, y); };
       })},
      {"to_bfloat16", "[16M]", timed([] { return [x = rand({kMany})] { x.to(bfloat16); }; })},
      {"small_add", "[8] + [8]", timed([] { return [x = rand({8}), y = rand({8})] { x + y; }; }), kSmallBar,
       0, 1, 0, kSmallObstacle},
      {"small_add_recorded", "[8] + [8], with a gradient to come",
       timed([] { return [x = rand({8}, {.requires_grad = true}), y = rand({8})] { x + y; }; }), kRecordedBar,
       0, 1, 0, kSmallObstacle},
      {"small_add_backward", "[8] + [8], both ways", timed([] {
         return [x = rand({8}, {.requires_grad = true}), y = rand({8}), grad = ones({8})] {
           (x + y).backward(grad);
         };
       }),
       kBothWaysBar, 0, 1, 0, kSmallObstacle},
      {"small_add_", "[8] += [8]", timed([] { return [x = rand({8}), y = rand({8})] { x += y; }; }),
       kSmallBar, 0, 1, 0, kSmallObstacle},
      {"view_select", "[64, 64][0]", timed([] {
         return [x = rand({64, 64})] { x[0]; };
       }),
       kViewBar, 0, 1, 0, kSmallObstacle},
      {"view_t", "[64, 64].t()", timed([] {
         return [x = rand({64, 64})] { x.t(); };
       }),
       kViewBar, 0, 1, 0, kSmallObstacle},
      {"view_view", "[64, 64].view(4096)", timed([] {
         return [x = rand({64, 64})] { x.view({4096}); };
       }),
       kViewBar, 0, 1, 0, kSmallObstacle},
  };
}

}  // namespace lectern::bench
