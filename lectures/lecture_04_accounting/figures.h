// The figures of lecture 4, drawn from its data.

#pragma once

#include "parts.h"

struct MemoryMark {
  std::string label;
  MemoryByCategory bytes;
};

/// Memory at each mark, in areas one upon the other.
Drawing memory_curve(const std::vector<MemoryMark>& marks);

/// What a GPU holds at each stage of ZeRO, beside what it has.
Drawing zero_stages(double parameters, double gpus, double memory);
