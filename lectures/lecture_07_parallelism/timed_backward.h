// Lecture 7, when gradients are computed and when they are sent.  @hide file

#pragma once

#include <array>
#include <chrono>
#include <string>
#include <vector>

#include "autograd/backward_hooks.h"
#include "figures.h"
#include "model.h"

/// A backward pass whose blocks are averaged over the ranks, each as soon as its gradients are there, or all of them at
/// the end; and when what happened. That an all-reduce is done is seen when the next gradient comes, or at the end.
class TimedBackward {
 public:
  explicit TimedBackward(bool is_overlapped) : is_overlapped_(is_overlapped) {}

  void run() {
    std::vector<autograd::RemovableHandle> hooks;
    for (std::size_t block = 0; block < kBlocks; ++block) {
      for (const Tensor& parameter : model_.blocks[block].parameters())
        hooks.push_back(autograd::register_post_accumulate_grad_hook(parameter, [this, block] { on_gradient(block); }));
    }
    const Batch own = own_part_of(batch_of(0));
    const Batch many{own.x.repeat({kRepeats, 1}), own.target.repeat({kRepeats, 1})};
    const Tensor loss = loss_of(model_, many);
    distributed::barrier();
    begin_ = std::chrono::steady_clock::now();
    loss.backward();
    for (std::size_t block = kBlocks; block-- > 0 && !is_overlapped_;) start(block);
    while (done_ < kBlocks) look();
    for (const autograd::RemovableHandle& hook : hooks) hook.remove();
  }

  /// The blocks whose all-reduce had begun when the last gradient was there.
  const std::vector<std::size_t>& under_way() const { return under_way_; }
  const Tensor& averaged(std::size_t block) const { return flat_[block]; }

  std::vector<TimedSpan> spans(const std::string& when) const {
    std::vector<TimedSpan> all;
    for (const auto& [row, from, to, layer] : computed_) all.push_back({row + when, from, to, layer});
    for (const auto& [row, from, to, layer] : sent_) all.push_back({row + when, from, to, layer});
    return all;
  }

 private:
  static constexpr auto kBlocks = static_cast<std::size_t>(kLayers);
  static constexpr int64_t kRepeats = 64;  // so that there is something to compute

  double now() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

  void on_gradient(std::size_t block) {
    look();
    if (++complete_[block] < model_.blocks[block].parameters().size()) return;
    computed_.push_back({"backward", computed_.empty() ? 0 : computed_.back().to, now(), static_cast<int>(block)});
    if (block == 0) under_way_ = started_;
    if (is_overlapped_) start(block);
  }

  void start(std::size_t block) {
    started_.push_back(block);
    std::vector<Tensor> gradients;
    for (const Tensor& parameter : model_.blocks[block].parameters())
      gradients.push_back(parameter.grad().reshape({-1}));
    flat_[block] = cat(gradients);
    sent_.push_back({"all-reduce", now(), 0, static_cast<int>(block)});
    works_.push_back(distributed::all_reduce(flat_[block], distributed::ReduceOp::avg, {.async_op = true}));
  }

  void look() {
    for (; done_ < works_.size() && works_[done_].is_completed(); ++done_) sent_[done_].to = now();
  }

  bool is_overlapped_;
  Model model_ = seeded_model();
  std::chrono::steady_clock::time_point begin_;
  std::array<std::size_t, kBlocks> complete_{};  // gradients of a block that are there
  std::vector<std::size_t> started_, under_way_;
  std::array<Tensor, kBlocks> flat_;
  std::vector<TimedSpan> computed_, sent_;
  std::vector<distributed::Work> works_;
  std::size_t done_ = 0;  // of these, in their order
};
