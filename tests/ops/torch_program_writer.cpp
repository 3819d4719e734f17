#include "ops/torch_program_writer.h"

#include <algorithm>

#include "ops/torch_program_draw.h"
#include "ops/torch_trial.h"

namespace lectern::test {
namespace {

class Writer {
 public:
  Writer(std::uint32_t seed, std::int64_t most) : draw_(seed, most) {}

  Program write() {
    make_leaf();
    for (std::int64_t left = 8 + draw_.below(40); left > 0; --left) write_statement();
    for (int i = 0; i < 3; ++i) go_back();
    return std::move(program_);
  }

 private:
  void add(Statement statement) {
    std::optional<std::string> error;
    run(statement, draw_.variables, error);
    draw_.follow(statement);
    program_.push_back(std::move(statement));
  }
  /// Not views: PyTorch refuses to use those that were made without gradients once there was any change.
  void define(const Expression& expression, bool without_gradients = false) {
    const std::size_t number = draw_.variables.size();
    draw_.variables.emplace_back();
    add({.expression = expression, .defines = number, .without_gradients = without_gradients});
  }

  void write_statement() {
    switch (draw_.below(16)) {
      case 0:
        return make_leaf();
      case 1:
      case 2:
      case 3:
      case 4:
        return define(draw_view(draw_, draw_.variable()));
      case 5:
      case 6:
      case 7:
      case 8:
        if (const auto made = draw_operation(draw_)) define(*made, draw_.chance(12));
        return;
      case 9:
        return ask_for_gradients();
      case 10:
        return go_back();
      default:
        return change();
    }
  }

  void make_leaf() {
    const Sizes sizes = draw_.sizes();
    const std::int64_t seed = draw_.below(7);
    const bool narrow = draw_.chance(6), wants = !draw_.chance(3);
    define(apply("numbers(" + to_string(sizes) + ", " + text_of(seed) + ", torch." +
                     (narrow ? "float32" : "float64") + ")" + (wants ? ".requires_grad_()" : ""),
                 {}, [=](const In&) {
                   return numbers(sizes, seed, narrow ? float32 : float64).requires_grad_(wants);
                 }));
  }

  /// Of what has no views yet: in PyTorch they would not take part.
  void ask_for_gradients() {
    const Expression x = draw_.variable();
    const Storage storage = draw_.look(x).storage();
    const auto sharing = std::ranges::count_if(
        draw_.variables, [&](const Tensor& t) { return t.defined() && t.storage() == storage; });
    if (sharing > 1) return;
    add({.expression = call(x, "requires_grad_", [](const Tensor& t) { return t.requires_grad_(); })});
  }

  void go_back() {
    Expression from = draw_.variable();
    for (int attempt = 0; attempt < 5 && !from.value(draw_.variables).requires_grad(); ++attempt)
      from = draw_.variable();
    add({.expression = apply("{0}.backward(fixed_gradient({0}), retain_graph=True)", {from},
                             [](const In& in) {
                               in[0].backward(fixed_gradient(in[0]), true);
                               return in[0];
                             }),
         .may_refuse = has_changed_ && from.value(draw_.variables).requires_grad()});
  }

  void change() {
    const auto change = draw_change(draw_);
    if (!change) return;
    has_changed_ = true;
    add({.expression = change->expression,
         .without_gradients = draw_.chance(8),
         .may_refuse = change->may_refuse});
  }

  Draw draw_;
  Program program_;
  bool has_changed_ = false;  ///< a tensor that was saved, perhaps
};

}  // namespace

Program write_program(std::uint32_t seed, std::int64_t most) {
  return Writer(seed, most).write();
}

}  // namespace lectern::test
