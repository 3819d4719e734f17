#include "ops/einops/plan.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/noun.h"

namespace lectern::einops {
namespace {

std::string quoted(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list.append(list.empty() ? "`" : ", `").append(name).append("`");
  return list;
}

/// The names in `from` missing in `side`; numbers are in neither.
std::vector<std::string> missing(const Expression& from, const Expression& side) {
  std::vector<std::string> names;
  for (const Axis& axis : from.axes()) {
    if (!axis.is_number() && !side.has(axis.name)) names.push_back(axis.name);
  }
  return names;
}

void check_sides(Kind kind, const Context& context, const Pattern& pattern, const AxisSizes& sizes) {
  for (const Group& group : pattern.left.groups) {
    if (group.in_parentheses && group.has_ellipsis()) {
      refuse(context, "on the left side `...` cannot stand in parentheses");
    }
  }
  if (pattern.right.has_ellipsis() && !pattern.left.has_ellipsis()) {
    refuse(context, "`...` is on the right side only");
  }
  const auto refuse_numbers = [&](const Expression& side, const std::string& where) {
    if (side.has_number()) refuse(context, "a number other than 1 cannot stand " + where);
  };
  const auto refuse_dropped = [&] {
    const auto names = missing(pattern.left, pattern.right);
    if (names.empty()) return;
    refuse(context, "the axes " + quoted(names) + " are on the left side only; reduce() drops axes");
  };
  const auto refuse_new = [&] {
    const auto names = missing(pattern.right, pattern.left);
    if (names.empty()) return;
    refuse(context, "the axes " + quoted(names) + " are on the right side only; repeat() adds axes");
  };
  const auto refuse_new_without_size = [&] {
    auto names = missing(pattern.right, pattern.left);
    std::erase_if(names, [&](const std::string& name) { return sizes.contains(name); });
    if (names.empty()) return;
    refuse(context, "the new axes " + quoted(names) + " need sizes, as in {{\"" + names[0] + "\", 2}}");
  };
  switch (kind) {
    case Kind::rearrange:
      refuse_numbers(pattern.left, "here; name the axis and give its size");
      refuse_numbers(pattern.right, "here; name the axis and give its size");
      refuse_dropped();
      refuse_new();
      break;
    case Kind::reduce:
      refuse_numbers(pattern.right, "on the right side");
      refuse_new();
      break;
    case Kind::repeat:
      refuse_numbers(pattern.left, "on the left side");
      refuse_dropped();
      refuse_new_without_size();
      break;
  }
  for (const auto& [name, size] : sizes) {
    if (!pattern.left.has(name) && !pattern.right.has(name)) {
      refuse(context, "the axis `" + name + "`, of which the size is given, is not there");
    }
    if (size < 0)
      refuse(context,
             "the size of the axis `" + name + "` must not be negative, as " + std::to_string(size) + " is");
  }
}

/// Axes for the dimensions of `...`.
std::vector<Axis> ellipsis_axes(std::size_t count) {
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < count; ++i) axes.push_back({"..." + std::to_string(i)});
  return axes;
}

/// With these in place of `...`: separate dimensions, or, in parentheses, part of one.
Expression expand_ellipsis(const Expression& expression, std::size_t count) {
  Expression result;
  for (const Group& group : expression.groups) {
    if (group.is_ellipsis()) {
      for (const Axis& axis : ellipsis_axes(count)) result.groups.push_back({{axis}});
      continue;
    }
    std::vector<Axis>& all = result.groups.emplace_back().axes;
    for (const Axis& axis : group.axes) {
      const auto axes = axis.is_ellipsis() ? ellipsis_axes(count) : std::vector<Axis>{axis};
      all.insert(all.end(), axes.begin(), axes.end());
    }
  }
  return result;
}

/// Infers the unknown axis sizes of a dimension.
void infer_sizes(const Context& context, const Group& group, std::int64_t size, AxisSizes& sizes) {
  std::int64_t known = 1;
  std::vector<std::string> unknown;
  std::string product;
  for (const Axis& axis : group.axes) {
    const auto found = sizes.find(axis.name);
    if (found == sizes.end()) {
      unknown.push_back(axis.name);
      continue;
    }
    if (__builtin_mul_overflow(known, found->second, &known))
      refuse(context, "the sizes given are too large");
    product.append(product.empty() ? "" : " times ")
        .append("`" + axis.name.substr(0, axis.name.find('@')) + "`");
  }
  const std::string is = "; it has size " + std::to_string(size);
  if (group.axes.empty() && size != 1)
    refuse(context, "a dimension of size 1 stands where the tensor has one of size " + std::to_string(size));
  if (unknown.size() > 1) {
    refuse(context, "the sizes of the axes " + quoted(unknown) +
                        " do not follow from their dimension: give all but one" + is);
  }
  if (unknown.empty()) {
    if (known != size)
      refuse(context, "the dimension of " + product + " should have size " + std::to_string(known) + is);
    return;
  }
  if (known == 0 && size == 0) {
    refuse(context, "the size of the axis `" + unknown[0] + "` could be anything, as " + product + " = 0");
  }
  if (known == 0 || size % known != 0) {
    refuse(context, "the dimension of `" + unknown[0] + "` cannot be divided by " + product + " = " +
                        std::to_string(known) + is);
  }
  sizes[unknown[0]] = size / known;
}

}  // namespace

Plan make_plan(Kind kind, const Context& context, const AxisSizes& given) {
  const Sizes& shape = *context.shape;
  const Pattern pattern = parse_pattern(context);
  check_sides(kind, context, pattern, given);
  const std::size_t named = pattern.left.groups.size() - (pattern.left.has_ellipsis() ? 1 : 0);
  if (shape.size() < named || (shape.size() > named && !pattern.left.has_ellipsis())) {
    refuse(context, "the left side has " + with_noun(named, "dimension") +
                        (pattern.left.has_ellipsis() ? " and `...`" : "") + ", the tensor " +
                        std::to_string(shape.size()));
  }
  const Expression left = expand_ellipsis(pattern.left, shape.size() - named);
  const Expression right = expand_ellipsis(pattern.right, shape.size() - named);
  AxisSizes sizes = given;
  for (const Expression* side : {&left, &right}) {
    for (const Axis& axis : side->axes()) {
      if (axis.is_number()) sizes[axis.name] = axis.size;
    }
  }
  for (std::size_t d = 0; d < shape.size(); ++d) infer_sizes(context, left.groups[d], shape[d], sizes);

  Plan plan;
  const std::vector<Axis> from = left.axes(), to = right.axes();
  if (std::max({from.size(), to.size(), right.groups.size()}) > kMaxDims)
    refuse(context, "there are more than " + std::to_string(kMaxDims) + " axes");
  std::vector<std::string> kept;
  for (const Axis& axis : from) {
    if (right.has(axis.name)) {
      kept.push_back(axis.name);
    } else {
      plan.reduced.push_back(static_cast<std::int64_t>(plan.axes.size()));
    }
    plan.axes.push_back(sizes.at(axis.name));
  }
  for (const Axis& axis : to) {
    const auto at = std::ranges::find(kept, axis.name);
    if (at != kept.end()) plan.order.push_back(at - kept.begin());
    plan.unsqueezed.push_back(at == kept.end() ? 1 : sizes.at(axis.name));
    plan.repeated.push_back(sizes.at(axis.name));
  }
  for (const Group& group : right.groups) {
    std::int64_t size = 1;
    for (const Axis& axis : group.axes) {
      if (__builtin_mul_overflow(size, sizes.at(axis.name), &size))
        refuse(context, "the result is too large");
    }
    plan.merged.push_back(size);
  }
  return plan;
}

}  // namespace lectern::einops
