#include "kernels/updates.h"

#include "kernels/cpu/array_chunks.h"
#include "kernels/cpu/compute_lines.h"
#include "kernels/cpu/element_blocks.h"
#include "kernels/cpu/optimizer_blocks.h"

namespace lectern::kernels {
namespace {

/// A chunk of one parameter, block by block.
template <typename T>
class Updater {
 public:
  Updater(UpdateRule rule, Dtype dtype)
      : update_(optimizer_blocks().of<T>().update[static_cast<std::size_t>(rule)]),
        states_count_(states_of(rule)),
        longest_(dtype == dtype_of<T> ? kArrayChunk : kBlock),
        parameter_(dtype),
        grad_(dtype),
        states_{Block(dtype), Block(dtype), Block(dtype)} {}

  void operator()(const Update& of, std::int64_t begin, std::int64_t end) {
    for (std::int64_t at = begin; at < end; at += longest_) {
      const std::int64_t count = std::min(longest_, end - at);
      UpdateBlock<T> block{
          parameter_.load(of.parameter, at, count), grad_.load(of.grad, at, count), {}, count};
      for (int k = 0; k < states_count_; ++k) block.states[k] = states_[k].load(of.states[k], at, count);
      update_(block, of);
      parameter_.store(count);
      for (int k = 0; k < states_count_; ++k) states_[k].store(count);
    }
  }

 private:
  using Block = BlockOf<T, kBlock>;

  void (*update_)(const UpdateBlock<T>& block, const Update& of);
  int states_count_;
  std::int64_t longest_;
  Block parameter_, grad_, states_[kMostStates];
};

}  // namespace

int states_of(UpdateRule rule) {
#define LECTERN_ROW(name, Functor) Functor<float>::kStates,
  static constexpr int kStates[] = {LECTERN_UPDATES(LECTERN_ROW)};
#undef LECTERN_ROW
  return kStates[static_cast<std::size_t>(rule)];
}

int flops_of(UpdateRule rule) {
#define LECTERN_ROW(name, Functor) Functor<float>::kFlops,
  static constexpr int kFlops[] = {LECTERN_UPDATES(LECTERN_ROW)};
#undef LECTERN_ROW
  return kFlops[static_cast<std::size_t>(rule)];
}

void update(UpdateRule rule, Dtype dtype, std::span<const Update> updates) {
  dispatch_real_compute(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for_chunks(updates, [&] {
      return [updater = Updater<T>(rule, dtype)](const Update& of, std::int64_t begin, std::int64_t end,
                                                 std::int64_t) mutable { updater(of, begin, end); };
    });
  });
}

}  // namespace lectern::kernels
