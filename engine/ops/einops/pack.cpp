#include "ops/einops/pack.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <string>

#include "base/noun.h"
#include "ops/join.h"

namespace lectern {
namespace {

using einops::Context;
using einops::refuse;

std::vector<std::string> words(std::string_view pattern) {
  std::istringstream stream{std::string(pattern)};
  std::vector<std::string> found;
  for (std::string word; stream >> word;) found.push_back(word);
  return found;
}

/// How many names stand before and after the `*`.
struct Star {
  std::int64_t before, after;
};

Star parse_star(const Context& context) {
  const std::vector<std::string> names = words(context.pattern);
  const auto star = std::ranges::find(names, "*");
  if (star == names.end() || std::ranges::count(names, "*") != 1)
    refuse(context, "the pattern needs one `*`, between blanks");
  std::string others;
  for (const std::string& name : names) others += name == "*" ? "" : name + " ";
  for (const einops::Group& group : einops::parse_expression(context, others).groups) {
    if (group.in_parentheses || group.axes.size() != 1 || group.is_ellipsis() || group.axes[0].is_number())
      refuse(context, "beside `*` the pattern has names only");
  }
  return {star - names.begin(), names.end() - star - 1};
}

/// The first or last sizes.
Sizes sizes_between(const Sizes& sizes, std::int64_t begin, std::int64_t end) {
  return std::span<const std::int64_t>(sizes).subspan(static_cast<std::size_t>(begin),
                                                      static_cast<std::size_t>(end - begin));
}

Sizes joined(const Sizes& a, const Sizes& b, const Sizes& c) {
  Sizes all = a;
  for (const Sizes& more : {b, c}) {
    for (const std::int64_t size : more) all.push_back(size);
  }
  return all;
}

/// Of shapes of which one may hold a -1, how many elements of a dimension of `total` each takes.
std::vector<std::int64_t> packed_lengths(const Context& context, const std::vector<Sizes>& shapes,
                                         std::int64_t total) {
  std::vector<std::int64_t> lengths;
  std::optional<std::size_t> unknown;
  std::int64_t known = 0;
  for (const Sizes& shape : shapes) {
    if (const auto inferred = std::ranges::count(shape, -1); inferred > 0) {
      if (inferred > 1 || unknown) refuse(context, "more than one size is -1");
      unknown = lengths.size();
      lengths.push_back(0);
      continue;
    }
    lengths.push_back(checked_numel(context.operation, shape));
    known += lengths.back();
  }
  if (unknown) lengths[*unknown] = total - known;
  if (known > total || (!unknown && known != total)) {
    refuse(context, "the shapes have " + with_noun(known, "element") + ", the packed dimension " +
                        std::to_string(total));
  }
  return lengths;
}

}  // namespace

Packed pack(const std::vector<Tensor>& tensors, einops::PatternText pattern) {
  const Context context{"pack", pattern};
  const Star star = parse_star(context);
  if (tensors.empty()) refuse(context, "there is no tensor");
  Packed packed;
  std::vector<Tensor> flat;
  for (const Tensor& x : tensors) {
    const Context tensor_context{"pack", pattern, &x.sizes()};
    const std::int64_t end = x.dim() - star.after;
    if (star.before > end) refuse(tensor_context, "the tensor has fewer dimensions than the pattern names");
    packed.shapes.push_back(sizes_between(x.sizes(), star.before, end));
    const std::int64_t length = checked_numel("pack", packed.shapes.back());
    flat.push_back(x.reshape(
        joined(sizes_between(x.sizes(), 0, star.before), {length}, sizes_between(x.sizes(), end, x.dim()))));
    for (std::int64_t d = 0; d < flat.back().dim(); ++d) {
      if (d != star.before && flat.back().size(d) != flat.front().size(d))
        refuse(tensor_context, "dimension `" + words(tensor_context.pattern)[static_cast<std::size_t>(d)] +
                                   "` is " + std::to_string(flat.front().size(d)) + " in the first tensor");
    }
  }
  packed.tensor = cat(flat, star.before);
  return packed;
}

std::vector<Tensor> unpack(const Tensor& packed, const std::vector<Sizes>& shapes,
                           einops::PatternText pattern) {
  const Context context{"unpack", pattern, &packed.sizes()};
  const Star star = parse_star(context);
  if (packed.dim() != star.before + 1 + star.after)
    refuse(context, "the tensor has another number of dimensions than the pattern");
  const Sizes before = sizes_between(packed.sizes(), 0, star.before);
  const Sizes after = sizes_between(packed.sizes(), star.before + 1, packed.dim());
  const std::vector<std::int64_t> lengths = packed_lengths(context, shapes, packed.size(star.before));
  std::vector<Tensor> tensors;
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Tensor part = packed.narrow(star.before, begin, lengths[i]);
    begin += lengths[i];
    Sizes shape = shapes[i];
    if (const auto inferred = std::ranges::find(shape, -1); inferred != shape.end()) {
      *inferred = 1;
      const std::int64_t others = checked_numel("unpack", shape);
      if (others == 0 || lengths[i] % others != 0)
        refuse(context, "no size for -1 makes " + with_noun(lengths[i], "element"));
      *inferred = lengths[i] / others;
    }
    tensors.push_back(part.reshape(joined(before, shape, after)));
  }
  return tensors;
}

einops::AxisSizes parse_shape(const Tensor& x, einops::PatternText pattern) {
  const Context context{"parse_shape", pattern, &x.sizes()};
  const std::vector<std::string> names = words(context.pattern);
  const auto skipped = std::ranges::count(names, "...");
  const std::int64_t named = static_cast<std::int64_t>(names.size()) - skipped;
  if (skipped > 1) refuse(context, "`...` stands there more than once");
  if (skipped == 0 ? x.dim() != named : x.dim() < named)
    refuse(context, "the tensor has another number of dimensions than the pattern");
  einops::AxisSizes sizes;
  std::int64_t dim = 0;
  for (const std::string& name : names) {
    if (name == "...") {
      dim += x.dim() - named;
      continue;
    }
    const std::int64_t size = x.size(dim++);
    if (name == "_") continue;
    const auto groups = einops::parse_expression(context, name).groups;
    if (groups.size() != 1 || groups[0].in_parentheses || groups[0].axes.size() != 1 ||
        groups[0].axes[0].is_number())
      refuse(context, "`" + name + "` is no name");
    if (!sizes.emplace(name, size).second) refuse(context, "`" + name + "` stands there twice");
  }
  return sizes;
}

}  // namespace lectern
