// How long an all-reduce takes by a ring and by a tree, for readers to try.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <lectern/calculator.h>

// Of n ranks, an array of so many bytes, messages with a latency in seconds and a bandwidth in bytes a second. A tree
// of a number of ranks that is no power of two has as many levels as that of the next one.
inline double ring_seconds(double n, double bytes, double latency, double bandwidth) {
  return 2 * (n - 1) * (latency + bytes / n / bandwidth);
}
inline double tree_seconds(double n, double bytes, double latency, double bandwidth) {
  return 2 * std::ceil(std::log2(n)) * (latency + bytes / bandwidth);
}
/// The bytes for which both take as long; above, the ring is faster. For two ranks it always is.
inline double crossing_bytes(double n, double latency, double bandwidth) {
  const double levels = std::ceil(std::log2(n));
  return latency * bandwidth * (n - 1 - levels) / (levels - (n - 1) / n);
}

inline lectern::CalculatorResult all_reduce_time(std::int64_t ranks, double bytes, double latency, double bandwidth) {
  using namespace lectern;
  CalculatorResult out;
  out.expect("ranks", static_cast<double>(ranks), 2, 1e6);
  out.expect("bytes", bytes, 1, 1e15);
  out.expect("latency", latency, 0.01, 1e6);
  out.expect("bandwidth", bandwidth, 0.001, 1e6);
  if (out.refused()) return out;
  const double n = static_cast<double>(ranks), alpha = latency * 1e-6, beta = bandwidth * 1e9;
  const double ring = ring_seconds(n, bytes, alpha, beta), tree = tree_seconds(n, bytes, alpha, beta);
  const double crossing = crossing_bytes(n, alpha, beta);
  out.show("Ring", rounded_duration(ring, 3), ring,
           rounded_number(2 * (n - 1)) + " rounds of " + rounded_bytes(bytes / n, 3));
  out.show("Tree", rounded_duration(tree, 3), tree,
           rounded_number(2 * std::ceil(std::log2(n))) + " rounds of " + rounded_bytes(bytes, 3));
  out.show("As long for both", rounded_bytes(crossing, 3), crossing,
           crossing > 0 ? "above, the ring is faster" : "the ring is never slower");
  const double volume = 2 * (n - 1) / n * bytes;
  out.show("Least time for the bytes", rounded_duration(volume / beta, 3), volume / beta,
           "each rank sends " + rounded_bytes(volume, 3));

  constexpr double kFrom = 1e3, kTo = 1e11;
  const double low = 0.5 * std::min(ring_seconds(n, kFrom, alpha, beta), tree_seconds(n, kFrom, alpha, beta));
  const double high = 2 * std::max(ring_seconds(n, kTo, alpha, beta), tree_seconds(n, kTo, alpha, beta));
  Chart chart("Seconds of an all-reduce by a ring and by a tree over the bytes of the array, both logarithmic",
              {.label = "bytes", .from = kFrom, .to = kTo, .logarithmic = true},
              {.label = "seconds", .from = low, .to = high, .logarithmic = true});
  Chart::Points by_ring, by_tree;
  for (double size = kFrom; size <= 1.001 * kTo; size *= std::sqrt(10.)) {
    by_ring.emplace_back(size, ring_seconds(n, size, alpha, beta));
    by_tree.emplace_back(size, tree_seconds(n, size, alpha, beta));
  }
  chart.line(by_ring, 1, "ring");
  chart.line(by_tree, 2, "tree", true);
  if (bytes >= kFrom && bytes <= kTo) {
    const bool is_left = bytes < std::sqrt(kFrom * kTo);  // where names stand to the right: below a rising curve
    chart.dot(bytes, ring, 1, "ring", is_left);
    chart.dot(bytes, tree, 2, "tree", is_left);
  }
  out.drawings.push_back(chart.drawing());
  return out;
}
LECTERN_CALCULATOR(all_reduce_time, ranks, bytes, latency, bandwidth);

inline std::vector<lectern::CalculatorInput> all_reduce_inputs() {
  return {
      {.name = "ranks", .label = "Ranks", .value = "1024", .min = 2, .max = 16384, .logarithmic = true},
      {.name = "bytes", .label = "Bytes of the array", .value = "1G", .min = 1e3, .max = 1e11, .logarithmic = true},
      {.name = "latency", .label = "Latency", .unit = "µs", .value = "5", .min = 0.5, .max = 500, .logarithmic = true},
      {.name = "bandwidth",
       .label = "Bandwidth",
       .unit = "GB/s",
       .value = "50",
       .min = 0.1,
       .max = 1000,
       .logarithmic = true}};
}
inline std::vector<lectern::CalculatorPreset> all_reduce_presets() {
  return {{"a norm on 1,024 ranks", {{"ranks", "1024"}, {"bytes", "4"}, {"latency", "5"}, {"bandwidth", "50"}}},
          {"8 GPUs of a node", {{"ranks", "8"}, {"bytes", "1G"}, {"latency", "3"}, {"bandwidth", "450"}}},
          {"laptops on Ethernet", {{"ranks", "4"}, {"bytes", "100M"}, {"latency", "100"}, {"bandwidth", "0.125"}}}};
}
