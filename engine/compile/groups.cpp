#include "compile/groups.h"

#include <algorithm>

namespace lectern::fusion {
namespace {

using Kind = kernels::FusedOperation::Kind;
using Shape = kernels::FusedShape;

/// So many expressions in a group: more would not stay in the cache.
constexpr std::size_t kMostMembers = 128;

bool is_reduction(const Expression& expression) {
  return expression.operation.kind == Kind::reduction;
}

/// How many elements it is computed over.
std::int64_t computed_over(const Expression& expression) {
  std::int64_t elements = 1;
  for (const std::int64_t size : expression.sizes) elements *= size;
  return elements;
}

/// The elements of a row that it reduces; 0 if it reduces none.
std::int64_t row_of(const Expression& expression) {
  return expression.columns > 0 ? expression.columns : expression.kept_columns;
}

/// Whether a reduction is as fast in blocks as apart. The CPU has instructions for each row. A GPU's blocks
/// have rows each, and a state for every column: rows too many to be added one after the other, or too short
/// for a block, are reduced apart.
bool suits_blocks(const Expression& reduction) {
  constexpr std::int64_t kShortRow = 16, kFewColumns = 128, kManyRows = 16384;
  if (reduction.device.is_cpu()) return row_of(reduction) >= kShortRow;
  const std::int64_t columns = reduction.kept_columns;
  return columns == 0 || (columns >= kFewColumns && computed_over(reduction) / columns <= kManyRows);
}

class Grouping {
 public:
  explicit Grouping(const Cone& cone) : cone_(cone), group_of_(cone.expressions.size()) {}

  std::vector<Group> make() {
    for (std::size_t e = 0; e < cone_.expressions.size(); ++e) place(static_cast<int>(e));
    std::erase_if(groups_, [](const Group& group) { return group.members.empty(); });
    std::stable_sort(groups_.begin(), groups_.end(),
                     [](const Group& a, const Group& b) { return a.stage < b.stage; });
    return std::move(groups_);
  }

 private:
  const Expression& at(int e) const { return *cone_.expressions[static_cast<std::size_t>(e)]; }
  Group& group(int e) { return groups_[static_cast<std::size_t>(group_of_[static_cast<std::size_t>(e)])]; }

  /// A way to see an expression in a group.
  struct Fit {
    std::int64_t full, columns;
    Shape shape;  ///< of its own elements
  };

  Shape shape_of(int e) {
    const Group& own = group(e);
    const auto found = std::lower_bound(own.members.begin(), own.members.end(), e);
    return own.shapes[static_cast<std::size_t>(found - own.members.begin())];
  }
  static Shape reduced_shape(const Expression& reduction) {
    return reduction.columns > 0 ? Shape::per_row : Shape::per_column;
  }

  /// Whether all members of a group would be per row.
  static bool becomes_rows(const Group& group, const Fit& fit) {
    return group.full != fit.full && group.columns == 0 && fit.columns > 0 &&
           group.full * fit.columns == fit.full;
  }

  bool fits(int e, const std::vector<int>& near, const Fit& fit) {
    const bool is_long = fit.columns > kernels::kFusedRow;
    const bool reduces = is_reduction(at(e));
    const bool to_row = fit.shape == Shape::per_row && !reduces;
    if (is_long && (to_row || fit.shape == Shape::per_column)) return false;
    std::size_t members = 1;
    for (const int p : near) {
      const Group& producer_group = group(p);
      const bool rows = becomes_rows(producer_group, fit);
      if (!rows && (producer_group.full != fit.full ||
                    (producer_group.columns != 0 && producer_group.columns != fit.columns)))
        return false;
      if (producer_group.is_alone || (rows && is_long)) return false;
      members += producer_group.members.size();
    }
    if (members > kMostMembers) return false;
    const auto& producers = cone_.producers[static_cast<std::size_t>(e)];
    for (std::size_t k = 0; k < at(e).operands; ++k) {
      const int p = producers[k];
      if (p < 0 || std::find(near.begin(), near.end(), p) == near.end()) continue;
      const Relation relation = relate(at(e).sizes, at(e).in[k].strides, at(p).numel);
      if (shape_of(p) == Shape::per_column) return false;
      const bool from_row = shape_of(p) == Shape::per_row || becomes_rows(group(p), fit);
      const bool same = relation.kind == Relation::Kind::same;
      const bool repeated = relation.kind == Relation::Kind::repeated && relation.columns == fit.columns;
      if (from_row == to_row ? !same : !(from_row && repeated)) return false;
      if (from_row && !to_row && is_long) return false;
    }
    return true;
  }

  /// As a full expression, or as one per row of its producers' rows.
  std::vector<Fit> possible_fits(int e, const std::vector<int>& near) {
    const Expression& expression = at(e);
    const std::int64_t over = computed_over(expression);
    if (is_reduction(expression)) return {{over, row_of(expression), reduced_shape(expression)}};
    std::vector<Fit> fits;
    std::int64_t columns = 0;
    for (const int p : near) {
      const Group& producer_group = group(p);
      if (producer_group.full == over && producer_group.columns != 0) columns = producer_group.columns;
      if (producer_group.full < over && over % producer_group.full == 0) columns = over / producer_group.full;
    }
    fits.push_back({over, columns, Shape::full});
    for (const int p : near) {
      const Group& producer_group = group(p);
      if (producer_group.columns != 0 && producer_group.full == over * producer_group.columns)
        fits.push_back({producer_group.full, producer_group.columns, Shape::per_row});
    }
    return fits;
  }

  void place(int e) {
    const auto& producers = cone_.producers[static_cast<std::size_t>(e)];
    const bool is_alone = is_reduction(at(e)) && (row_of(at(e)) == 0 || !suits_blocks(at(e)));
    int last = -1;
    for (const int p : producers) {
      if (p >= 0) last = std::max(last, group(p).stage);
    }
    std::vector<int> near;  // what it reads of the last stage
    for (const int p : producers) {
      if (p >= 0 && group(p).stage == last) near.push_back(p);
    }
    if (!near.empty() && !is_alone) {
      for (const Fit& fit : possible_fits(e, near)) {
        if (fits(e, near, fit)) return join(e, near, fit);
      }
    }
    Group made;
    made.stage = last + 1;
    made.full = is_alone ? at(e).numel : computed_over(at(e));
    made.columns = row_of(at(e));
    made.is_alone = is_alone || (at(e).kept_columns > kernels::kFusedRow);
    made.members = {e};
    made.shapes = {is_reduction(at(e)) ? reduced_shape(at(e)) : Shape::full};
    group_of_[static_cast<std::size_t>(e)] = static_cast<int>(groups_.size());
    groups_.push_back(std::move(made));
  }

  void join(int e, const std::vector<int>& near, const Fit& fit) {
    const int into = group_of_[static_cast<std::size_t>(near[0])];
    std::vector<std::pair<int, Shape>> members{{e, fit.shape}};
    for (const int p : near) {
      Group& from = group(p);
      const bool rows = becomes_rows(from, fit);
      for (std::size_t m = 0; m < from.members.size(); ++m)
        members.emplace_back(from.members[m], rows ? Shape::per_row : from.shapes[m]);
      from.members.clear();
      from.shapes.clear();
    }
    std::sort(members.begin(), members.end());
    Group& whole = groups_[static_cast<std::size_t>(into)];
    whole.full = fit.full;
    whole.columns = fit.columns;
    for (const auto& [member, shape] : members) {
      whole.members.push_back(member);
      whole.shapes.push_back(shape);
      group_of_[static_cast<std::size_t>(member)] = into;
    }
  }

  const Cone& cone_;
  std::vector<int> group_of_;
  std::vector<Group> groups_;
};

}  // namespace

std::vector<Group> make_groups(const Cone& cone) {
  return Grouping(cone).make();
}

}  // namespace lectern::fusion
