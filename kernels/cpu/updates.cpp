#include "kernels/updates.h"

#include "kernels/cpu/array_chunks.h"
#include "kernels/cpu/compute_lines.h"
#include "kernels/cpu/element_blocks.h"
#include "kernels/cpu/optimizer_blocks.h"

namespace lectern::kernels::cpu {
namespace {

/// A chunk of one parameter, block by block.
template <typename T>
class Updater {
 public:
  Updater(UpdateRule rule, Dtype dtype)
      : update_(optimizer_blocks().get<T>().update[static_cast<std::size_t>(rule)]),
        states_count_(states_per_element(rule)),
        longest_(dtype == dtype_of<T> ? kArrayChunk : kBlock),
        parameter_(dtype),
        grad_(dtype),
        states_{Block(dtype), Block(dtype), Block(dtype)} {}

  void operator()(const Update& update, std::int64_t begin, std::int64_t end) {
    for (std::int64_t at = begin; at < end; at += longest_) {
      const std::int64_t count = std::min(longest_, end - at);
      UpdateBlock<T> block{
          parameter_.load(update.parameter, at, count), grad_.load(update.grad, at, count), {}, count};
      for (int k = 0; k < states_count_; ++k) block.states[k] = states_[k].load(update.states[k], at, count);
      update_(block, update);
      parameter_.store(count);
      for (int k = 0; k < states_count_; ++k) states_[k].store(count);
    }
  }

 private:
  using Block = ConvertedBlock<T, kBlock>;

  void (*update_)(const UpdateBlock<T>& block, const Update& update);
  int states_count_;
  std::int64_t longest_;
  Block parameter_, grad_, states_[kMostStates];
};

}  // namespace

void update_parameters(UpdateRule rule, Dtype dtype, std::span<const Update> updates, const GradScale&) {
  dispatch_real_compute(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for_chunks(updates, [&] {
      return [updater = Updater<T>(rule, dtype)](const Update& update, std::int64_t begin, std::int64_t end,
                                                 std::int64_t) mutable { updater(update, begin, end); };
    });
  });
}

}  // namespace lectern::kernels::cpu
