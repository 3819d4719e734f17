// The figures of lecture 7, drawn from its data.

#pragma once

#include "parts.h"
#include "pipeline_calculator.h"

/// What four ranks hold before and after each collective.
Drawing what_collectives_do();

/// The passes of each stage over time, one timetable below the other.
Drawing timetables(const std::vector<std::pair<std::string, Timetable>>& each);

/// From when to when something ran, in seconds, in a row with others of its kind.
struct TimedSpan {
  std::string row;
  double from, to;
  int layer;
};

/// Spans over time, a colour for each layer.
Drawing spans_over_time(const std::vector<TimedSpan>& spans);
