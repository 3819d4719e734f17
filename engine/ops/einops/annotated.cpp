#include "ops/einops/annotated.h"

#include <map>
#include <string>

#include "base/noun.h"
#include "base/tensor_error.h"
#include "ops/einops/pattern.h"

namespace lectern {
namespace {

constexpr std::string_view kKindNames[] = {"Float", "Int", "Bool", "Num"};  // by ElementKind

ElementKind element_kind(Dtype dtype) {
  if (is_floating_point(dtype)) return ElementKind::floating;
  return dtype == bool_ ? ElementKind::boolean : ElementKind::integer;
}

/// Checks that there is one dimension per axis, of its size.
void check_sizes(const einops::Context& context, const einops::Expression& expression, const Sizes& sizes) {
  const std::size_t named = expression.groups.size() - (expression.has_ellipsis() ? 1 : 0);
  if (sizes.size() < named || (sizes.size() > named && !expression.has_ellipsis())) {
    einops::refuse(context, "it has " + with_noun(named, "axis", "axes") +
                                (expression.has_ellipsis() ? " and `...`" : "") + ", the tensor " +
                                with_noun(sizes.size(), "dimension"));
  }
  std::map<std::string, std::int64_t> known;
  std::size_t dim = 0;
  for (const einops::Group& group : expression.groups) {
    if (group.in_parentheses) einops::refuse(context, "parentheses have no meaning here");
    if (group.is_ellipsis()) {
      dim += sizes.size() - named;
      continue;
    }
    const std::int64_t size = sizes[dim];
    const std::int64_t wanted = group.axes.empty() ? 1 : group.axes[0].size;
    if (wanted != 0) {
      if (size != wanted) {
        einops::refuse(context, "dimension " + std::to_string(dim) + " must have size " +
                                    std::to_string(wanted) + ", not " + std::to_string(size));
      }
    } else if (const auto [at, is_new] = known.emplace(group.axes[0].name, size);
               !is_new && at->second != size) {
      einops::refuse(context, "the axis `" + group.axes[0].name + "` has size " + std::to_string(at->second) +
                                  " in one place and " + std::to_string(size) + " in another");
    }
    ++dim;
  }
}

}  // namespace

std::vector<std::string> axis_names(std::string_view axes, std::size_t dims) {
  const einops::Context context{"axis_names", axes};
  const einops::Expression expression = einops::parse_expression(context, axes, einops::Repeats::allowed);
  std::vector<std::string> names;
  for (const einops::Group& group : expression.groups) {
    if (group.is_ellipsis()) {
      names.resize(names.size() + dims - (expression.groups.size() - 1));
    } else {
      const bool is_named = !group.axes.empty() && group.axes[0].size == 0;
      names.push_back(is_named ? group.axes[0].name : std::string());
    }
  }
  return names;
}

void check_annotation(ElementKind kind, std::string_view axes, const Tensor& tensor) {
  const std::string_view type = kKindNames[static_cast<std::size_t>(kind)];
  const ElementKind own = element_kind(tensor.dtype());
  if (own != kind && (kind != ElementKind::number || own == ElementKind::boolean)) {
    throw TensorError(type, "a tensor of " + std::string(name(tensor.dtype())) + " is no " +
                                std::string(type) + "<\"" + std::string(axes) + "\">; convert with to()");
  }
  const einops::Context context{type, axes, &tensor.sizes()};
  check_sizes(context, einops::parse_expression(context, axes, einops::Repeats::allowed), tensor.sizes());
}

}  // namespace lectern
