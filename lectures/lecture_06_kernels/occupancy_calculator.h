// How many warps fit on a multiprocessor, for readers to try.

#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <lectern/calculator.h>

struct BlockOfThreads {
  std::int64_t threads;       // in a block
  std::int64_t registers;     // of a thread
  std::int64_t shared_bytes;  // of a block
};

// A multiprocessor of compute capability 9.0 (H100, H200): 65,536 registers, a quarter for each of its four parts,
// given to warps by 256; 228 KiB of shared memory, of which the system takes 1 KiB for each block, given by 128 bytes;
// 64 warps; 32 blocks.
constexpr std::int64_t kRegistersOfProcessor = 65536, kSharedOfProcessor = 228 * 1024, kWarpsOfProcessor = 64,
                       kBlocksOfProcessor = 32;

constexpr std::int64_t rounded_up(std::int64_t number, std::int64_t unit) {
  return (number + unit - 1) / unit * unit;
}
constexpr std::int64_t warps_of(const BlockOfThreads& block) {
  return rounded_up(block.threads, 32) / 32;
}
constexpr std::int64_t by_registers(const BlockOfThreads& block) {
  // Each of four parts of the multiprocessor has a quarter of the registers; a launch is checked as if a block took as
  // many warps in all four.
  const std::int64_t of_warp = rounded_up(block.registers * 32, 256);
  if (of_warp * rounded_up(warps_of(block), 4) > kRegistersOfProcessor) return 0;
  return kRegistersOfProcessor / 4 / of_warp * 4 / warps_of(block);
}
constexpr std::int64_t by_shared_memory(const BlockOfThreads& block) {
  return kSharedOfProcessor / (rounded_up(block.shared_bytes, 128) + 1024);
}

/// The blocks that a multiprocessor holds at the same time.
constexpr std::int64_t resident_blocks(const BlockOfThreads& block) {
  return std::min(
      {kBlocksOfProcessor, kWarpsOfProcessor / warps_of(block), by_registers(block), by_shared_memory(block)});
}

inline lectern::CalculatorResult occupancy(std::int64_t threads, std::int64_t registers, double shared) {
  using namespace lectern;
  CalculatorResult out;
  out.expect("threads", static_cast<double>(threads), 1, 1024);
  out.expect("registers", static_cast<double>(registers), 16, 255);
  out.expect("shared", shared, 0, 227);
  if (out.refused()) return out;
  const BlockOfThreads block{threads, registers, static_cast<std::int64_t>(shared * 1024)};
  const std::int64_t blocks = resident_blocks(block), warps = blocks * warps_of(block);
  const double share = static_cast<double>(warps) / kWarpsOfProcessor;
  out.show("Blocks on a multiprocessor", std::to_string(blocks), static_cast<double>(blocks));
  out.show("Warps", std::to_string(warps) + " of 64", static_cast<double>(warps));
  out.show("Occupancy", rounded_number(100 * share) + "%", share);
  CalculatorTable table{{"what there is", "blocks by it"}, {}};
  const std::pair<const char*, std::int64_t> limits[] = {{"65,536 registers", by_registers(block)},
                                                         {"228 KiB of shared memory", by_shared_memory(block)},
                                                         {"64 warps", kWarpsOfProcessor / warps_of(block)},
                                                         {"32 blocks", kBlocksOfProcessor}};
  for (const auto& [name, most] : limits) table.rows.push_back({name, std::to_string(most)});
  out.tables.push_back(std::move(table));
  if (blocks == 0) out.notes.emplace_back("Not even one block fits: such a kernel cannot be launched.");
  return out;
}
LECTERN_CALCULATOR(occupancy, threads, registers, shared);

inline std::vector<lectern::CalculatorInput> occupancy_inputs() {
  return {{.name = "threads", .label = "Threads in a block", .value = "256", .min = 32, .max = 1024},
          {.name = "registers", .label = "Registers of a thread", .value = "128", .min = 16, .max = 255},
          {.name = "shared", .label = "Shared memory of a block", .unit = "KiB", .value = "0", .min = 0, .max = 227}};
}
