#include "ops/einops/contraction.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>

#include "base/noun.h"

namespace lectern::einops {
namespace {

constexpr std::size_t kMostLabels = 64;
constexpr std::size_t kMostPlanned = 12;

/// A set of labels, or of operands.
using Set = std::uint64_t;

Set only(std::size_t member) {
  return Set{1} << member;
}
Set label_set(const std::vector<Label>& labels) {
  Set set = 0;
  for (const Label label : labels) set |= only(label);
  return set;
}
bool holds(Set set, std::size_t member) {
  return (set & only(member)) != 0;
}

/// The operands' parts of the text.
std::vector<std::string_view> split_at_commas(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

std::int64_t find(const std::vector<Label>& labels, Label label) {
  return std::find(labels.begin(), labels.end(), label) - labels.begin();
}

class Planner {
 public:
  Planner(const Context& context, const std::vector<Sizes>& shapes) : context_(context), shapes_(shapes) {
    constexpr std::string_view kArrow = "->";
    const std::size_t arrow = context.pattern.find(kArrow);
    if (arrow == std::string_view::npos) refuse(context, "there is no `->` between two sides");
    for (const std::string_view part : split_at_commas(context.pattern.substr(0, arrow)))
      operands_.push_back(checked(parse_expression(context, part, Repeats::allowed)));
    right_ = checked(parse_expression(context, context.pattern.substr(arrow + kArrow.size())));
    if (operands_.size() != shapes.size()) {
      refuse(context, "the left side has " + with_noun(operands_.size(), "operand") + ", given are " +
                          std::to_string(shapes.size()));
    }
  }

  Contraction plan() {
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      rest_ = std::max(rest_, operands_[i].has_ellipsis() ? ellipsis_rank(i) : 0);
    }
    for (std::size_t i = 0; i < operands_.size(); ++i) name_dims(i);
    read_right();
    for (std::size_t i = 0; i < operands_.size(); ++i) prepare(i);
    multiply();
    for (const Label label : result_) plan_.order.push_back(find(tensors_.back(), label));
    return std::move(plan_);
  }

 private:
  /// Rejects several axes in one dimension.
  Expression checked(Expression expression) const {
    for (const Group& group : expression.groups) {
      if (group.axes.size() > 1 || (group.in_parentheses && !group.axes.empty()))
        refuse(context_, "axes in parentheses cannot stand here; rearrange() before or after");
      if (!group.axes.empty() && group.axes[0].is_number())
        refuse(context_, "a number other than 1 cannot stand here; name the axis");
    }
    return expression;
  }

  /// How many dimensions `...` stands for.
  std::size_t ellipsis_rank(std::size_t operand) const {
    const std::size_t named = operands_[operand].groups.size() - 1;
    if (shapes_[operand].size() < named) refuse_rank(operand);
    return shapes_[operand].size() - named;
  }

  [[noreturn]] void refuse_rank(std::size_t operand) const {
    refuse(context_, "operand " + std::to_string(operand) + " has shape " + to_string(shapes_[operand]) +
                         ", and not as many dimensions as the pattern says");
  }

  Label add_label(const std::string& name) {
    const auto [known, is_new] = labels_.try_emplace(name, sizes_.size());
    if (is_new) {
      if (sizes_.size() == kMostLabels) refuse(context_, "there are more than 64 axes");
      sizes_.push_back(1);
    }
    return known->second;
  }
  Label add_ellipsis_label(std::size_t from_end) { return add_label("..." + std::to_string(from_end)); }

  /// Assigns labels and sizes to an operand's dimensions.
  void name_dims(std::size_t operand) {
    const Expression& expression = operands_[operand];
    const Sizes& shape = shapes_[operand];
    const std::size_t rest = expression.has_ellipsis() ? ellipsis_rank(operand) : 0;
    if (expression.groups.size() - (expression.has_ellipsis() ? 1 : 0) + rest != shape.size())
      refuse_rank(operand);
    std::vector<Dim>& dims = dims_.emplace_back();
    for (const Group& group : expression.groups) {
      if (group.is_ellipsis()) {
        for (std::size_t i = rest; i-- > 0;) add_dim(operand, dims, add_ellipsis_label(i), "...");
      } else if (group.axes.empty()) {
        if (shape[dims.size()] != 1) {
          refuse(context_, "a dimension of size 1 stands where operand " + std::to_string(operand) +
                               " has one of size " + std::to_string(shape[dims.size()]));
        }
        dims.emplace_back();
      } else {
        add_dim(operand, dims, add_label(group.axes[0].name), group.axes[0].name);
      }
    }
  }

  using Dim = std::optional<Label>;  ///< none for a `1`

  void add_dim(std::size_t operand, std::vector<Dim>& dims, Label label, const std::string& name) {
    const std::int64_t size = shapes_[operand][dims.size()];
    const auto require = [&](bool fits, std::int64_t known) {
      if (fits) return;
      refuse(context_, "the axis `" + name + "` has size " + std::to_string(known) + ", but in operand " +
                           std::to_string(operand) + " it has size " + std::to_string(size));
    };
    for (std::size_t d = 0; d < dims.size(); ++d) {  // a diagonal broadcasts nothing
      const std::int64_t other = shapes_[operand][d];
      require(dims[d] != label || size == other, other);
    }
    std::int64_t& known = sizes_[label];
    require(size == known || size == 1 || known == 1, known);
    if (size != 1) known = size;
    dims.emplace_back(label);
  }

  void read_right() {
    if (right_.has_ellipsis() && std::none_of(operands_.begin(), operands_.end(),
                                              [](const Expression& e) { return e.has_ellipsis(); })) {
      refuse(context_, "`...` is on the right side only");
    }
    for (const Group& group : right_.groups) {
      if (group.is_ellipsis()) {
        for (std::size_t i = rest_; i-- > 0;) add_result(add_ellipsis_label(i));
      } else if (group.axes.empty()) {
        add_size(1);
      } else if (const auto known = labels_.find(group.axes[0].name); known != labels_.end()) {
        add_result(known->second);
      } else {
        refuse(context_, "the axis `" + group.axes[0].name + "` is on the right side only");
      }
    }
  }
  void add_result(Label label) {
    result_.push_back(label);
    add_size(sizes_[label]);
  }
  void add_size(std::int64_t size) {
    check_rank(plan_.result.size() + 1);
    plan_.result.push_back(size);
  }
  /// For the result or an intermediate product.
  void check_rank(std::size_t dims) const {
    if (dims > kMaxDims)
      refuse(context_, "a tensor of more than " + std::to_string(kMaxDims) + " dimensions would be needed");
  }

  /// Whether a dimension of an operand is dropped for the product: size 1 broadcasts anyway.
  bool is_squeezed(std::size_t operand, std::size_t dim) const {
    const Dim& named = dims_[operand][dim];
    return !named || (shapes_[operand][dim] == 1 && sizes_[*named] != 1);
  }

  /// The labels of the result or of operands other than this one.
  Set needed_beside(std::size_t operand) const {
    Set needed = label_set(result_);
    for (std::size_t i = 0; i < dims_.size(); ++i) {
      if (i == operand) continue;
      for (std::size_t d = 0; d < dims_[i].size(); ++d) needed |= is_squeezed(i, d) ? 0 : only(*dims_[i][d]);
    }
    return needed;
  }

  void prepare(std::size_t operand) {
    Contraction::Operand made;
    std::vector<Label> labels;
    for (std::size_t d = 0; d < dims_[operand].size(); ++d) {
      if (is_squeezed(operand, d)) continue;
      labels.push_back(*dims_[operand][d]);
      made.squeezed.push_back(shapes_[operand][d]);
    }
    for (std::size_t i = 0; i < labels.size();) {
      const auto again =
          std::find(labels.begin() + static_cast<std::ptrdiff_t>(i) + 1, labels.end(), labels[i]);
      if (again == labels.end()) {
        ++i;
        continue;
      }
      made.diagonals.emplace_back(static_cast<int>(i), static_cast<int>(again - labels.begin()));
      const Label label = labels[i];
      labels.erase(again);
      labels.erase(labels.begin() + static_cast<std::ptrdiff_t>(i));
      labels.push_back(label);
      i = 0;
    }
    const Set needed = needed_beside(operand);
    std::vector<Label> kept;
    for (std::size_t d = 0; d < labels.size(); ++d) {
      if (holds(needed, labels[d])) {
        kept.push_back(labels[d]);
      } else {
        made.summed.push_back(static_cast<std::int64_t>(d));
      }
    }
    plan_.operands.push_back(std::move(made));
    tensors_.push_back(std::move(kept));
  }

  double multiplications(Set labels) const {
    double product = 1;
    for (Label label = 0; label < sizes_.size(); ++label) {
      if (holds(labels, label)) product *= static_cast<double>(sizes_[label]);
    }
    return product;
  }

  /// The remaining labels of a product of these operands.
  Set remaining_labels(Set operands) const {
    Set inside = 0, outside = label_set(result_);
    for (std::size_t i = 0; i < operands_.size(); ++i)
      (holds(operands, i) ? inside : outside) |= label_set(tensors_[i]);
    return inside & outside;
  }

  void multiply() {
    const std::size_t count = operands_.size();
    if (count > kMostPlanned) {
      std::size_t product = 0;
      Set done = only(0);
      for (std::size_t i = 1; i < count; ++i) {
        done |= only(i);
        product = add_product(product, i, remaining_labels(done));
      }
      return;
    }
    // The cheapest cost of multiplying each set of operands, smaller sets first.
    std::vector<double> cost(std::size_t{1} << count, std::numeric_limits<double>::infinity());
    std::vector<Set> left(cost.size());
    for (std::size_t i = 0; i < count; ++i) cost[only(i)] = 0;
    for (Set set = 1; set < cost.size(); ++set) {
      for (Set part = (set - 1) & set; part != 0; part = (part - 1) & set) {
        const Set other = set ^ part;
        if (part < other) break;
        const double here =
            cost[part] + cost[other] + multiplications(remaining_labels(part) | remaining_labels(other));
        if (here >= cost[set]) continue;
        cost[set] = here;
        left[set] = other;
      }
    }
    add_products(cost.size() - 1, left);
  }

  std::size_t add_products(Set operands, const std::vector<Set>& left) {
    if (std::has_single_bit(operands)) return static_cast<std::size_t>(std::countr_zero(operands));
    const std::size_t a = add_products(left[operands], left),
                      b = add_products(operands ^ left[operands], left);
    return add_product(a, b, remaining_labels(operands));
  }

  std::size_t add_product(std::size_t left, std::size_t right, Set kept) {
    const std::vector<Label> a = tensors_[left], b = tensors_[right];
    const Set in_a = label_set(a), in_b = label_set(b);
    std::vector<Label> batch, summed, own_a, own_b;
    for (const Label label : a)
      (!holds(in_b, label) ? own_a : holds(kept, label) ? batch : summed).push_back(label);
    for (const Label label : b) {
      if (!holds(in_a, label)) own_b.push_back(label);
    }
    check_rank(batch.size() + own_a.size() + own_b.size());
    Contraction::Product product{left, right, {}, {}, batch.size(), summed.size()};
    for (const auto* part : {&batch, &own_a, &summed}) {
      for (const Label label : *part) product.left_order.push_back(find(a, label));
    }
    for (const auto* part : {&batch, &summed, &own_b}) {
      for (const Label label : *part) product.right_order.push_back(find(b, label));
    }
    plan_.products.push_back(product);
    std::vector<Label>& made = tensors_.emplace_back(std::move(batch));
    made.insert(made.end(), own_a.begin(), own_a.end());
    made.insert(made.end(), own_b.begin(), own_b.end());
    return tensors_.size() - 1;
  }

  const Context& context_;
  const std::vector<Sizes>& shapes_;
  std::vector<Expression> operands_;
  Expression right_;
  std::size_t rest_ = 0;  ///< the most dimensions that `...` stands for
  std::map<std::string, Label> labels_;
  std::vector<std::int64_t> sizes_;     ///< by label; 1 until another is found
  std::vector<std::vector<Dim>> dims_;  ///< of each given operand
  std::vector<Label> result_;
  std::vector<std::vector<Label>> tensors_;  ///< of each operand as multiplied, and of each product
  Contraction plan_;
};

}  // namespace

Contraction plan_contraction(const Context& context, const std::vector<Sizes>& shapes) {
  return Planner(context, shapes).plan();
}

}  // namespace lectern::einops
