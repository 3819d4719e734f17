#include "optim/line_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lectern::optim {
namespace {

constexpr double kSufficientDecrease = 1e-4, kCurvature = 0.9;
constexpr int kMostSteps = 25;

/// Where the cubic through two points, with their slopes, is least, within bounds; their middle where it has
/// no minimum.
double cubic_minimum(const LinePoint& a, const LinePoint& b, double least, double most) {
  const double mixed = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.step - b.step);
  const double square = mixed * mixed - a.slope * b.slope;
  if (!(square >= 0)) return (least + most) / 2;
  const LinePoint &left = a.step <= b.step ? a : b, &right = a.step <= b.step ? b : a;
  const double root = std::sqrt(square);
  const double share = (right.slope + root - mixed) / (right.slope - left.slope + 2 * root);
  return std::min(std::max(right.step - (right.step - left.step) * share, least), most);
}

class WolfeSearch {
 public:
  WolfeSearch(const std::function<LinePoint(double)>& evaluate, const LinePoint& start)
      : evaluate_(evaluate), start_(start), low_(start), high_(start) {}

  /// Steps outwards to a point that satisfies the conditions, or past one.
  void bracket(double step) {
    LinePoint before = start_, at = evaluated(step);
    for (; steps_ < kMostSteps; ++steps_) {
      if (!falls(at) || (steps_ > 1 && at.loss >= before.loss)) return enclose(before, at);
      if (is_flat(at)) {
        is_done_ = true;
        low_ = at;
        return;
      }
      if (at.slope >= 0) return enclose(before, at);
      const double next = cubic_minimum(before, at, at.step + 0.01 * (at.step - before.step), 10 * at.step);
      before = std::exchange(at, evaluated(next));
    }
    enclose(start_, at);
  }

  /// Narrows the bracket.
  void zoom(double width, double tolerance) {
    bool was_near_edge = false;
    while (!is_done_ && steps_ < kMostSteps && std::abs(high_.step - low_.step) * width >= tolerance) {
      const auto [least, most] = std::minmax(low_.step, high_.step);
      double step = cubic_minimum(low_, high_, least, most);
      const double margin = 0.1 * (most - least);
      const bool is_near_edge = std::min(most - step, step - least) < margin;
      const bool moves_in = is_near_edge && (was_near_edge || step >= most || step <= least);
      if (moves_in) step = std::abs(step - most) < std::abs(step - least) ? most - margin : least + margin;
      was_near_edge = is_near_edge && !moves_in;
      narrow(evaluated(step));
      ++steps_;
    }
  }

  LineSearch result() const { return {low_, evaluations_}; }

 private:
  LinePoint evaluated(double step) {
    ++evaluations_;
    return evaluate_(step);
  }
  bool falls(const LinePoint& at) const {
    return !(at.loss > start_.loss + kSufficientDecrease * at.step * start_.slope);
  }
  bool is_flat(const LinePoint& at) const { return std::abs(at.slope) <= -kCurvature * start_.slope; }

  void enclose(const LinePoint& a, const LinePoint& b) {
    low_ = a.loss <= b.loss ? a : b;
    high_ = a.loss <= b.loss ? b : a;
  }

  void narrow(const LinePoint& at) {
    if (!falls(at) || at.loss >= low_.loss) return enclose(low_, at);
    if (is_flat(at)) {
      is_done_ = true;
    } else if (at.slope * (high_.step - low_.step) >= 0) {
      high_ = low_;
    }
    low_ = at;
  }

  const std::function<LinePoint(double)>& evaluate_;
  const LinePoint& start_;
  LinePoint low_, high_;  ///< the ends of the bracket, by their losses
  bool is_done_ = false;
  int steps_ = 0;
  std::int64_t evaluations_ = 0;
};

}  // namespace

LineSearch strong_wolfe(const std::function<LinePoint(double step)>& evaluate, const LinePoint& start,
                        double first_step, double width, double tolerance) {
  WolfeSearch search(evaluate, start);
  search.bracket(first_step);
  search.zoom(width, tolerance);
  return search.result();
}

}  // namespace lectern::optim
