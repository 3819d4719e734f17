#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "distributed/pipeline_actions.h"
#include "distributed/process_group.h"
#include "distributed/work.h"
#include "nn/module.h"

// A model whose layers the ranks of a group divide, in their order, and which is trained by microbatches: as
// torch.distributed.pipelining.
//
//   distributed::PipelineStage stage(layers);  // this rank's
//   distributed::Schedule1F1B schedule(stage, 8, [](const Tensor& y, const Tensor& t) {
//     return mse_loss(y, t);
//   });
//   schedule.step(x, target);                  // gradients are in layers' parameters
//   optimizer.step();

namespace lectern::distributed {

/// The part of a model that this rank computes: a function of one tensor to one tensor, the first stage's
/// input being the batch. What comes from another stage's GPU is received on this thread's current one.
class PipelineStage {
 public:
  using Forward = std::function<Tensor(const Tensor& x)>;

  /// The stage's number is the rank in the group.
  explicit PipelineStage(Forward forward, Group group = nullptr);
  /// Of a module, which must outlive it.
  template <std::derived_from<nn::Module> M>
  explicit PipelineStage(const M& module, Group group = nullptr)
      : PipelineStage(Forward([&module](const Tensor& x) { return module(x); }), std::move(group)) {}

  int stage_index() const { return get_rank(group_); }
  int num_stages() const { return get_world_size(group_); }
  bool is_first() const { return stage_index() == 0; }
  bool is_last() const { return stage_index() == num_stages() - 1; }
  const Group& group() const { return group_; }

  Tensor operator()(const Tensor& x) const { return forward_(x); }

 private:
  Forward forward_;
  Group group_;
};

/// Of a microbatch's output and its target, a mean over their rows.
using PipelineLoss = std::function<Tensor(const Tensor& output, const Tensor& target)>;

/// Forward and backward passes of a batch in microbatches, by a list of actions per stage. Activations go to
/// the next stage and their gradients back, while other microbatches are computed: of a boundary between two
/// stages, accounting::pipeline_bytes(). Before the first step's activations go their shapes, 152 bytes a
/// microbatch.
///
/// Gradients are those of one process that computes the microbatches one after the other, its losses weighted
/// by their part of the rows; the same bits, as each stage's backward passes are in their order. A stage
/// keeps the activations of accounting::pipeline_microbatches_in_flight() microbatches.
class PipelineSchedule {
 public:
  /// A TensorError for fewer than one microbatch.
  PipelineSchedule(const PipelineStage& stage, std::int64_t n_microbatches, PipelineLoss loss,
                   std::vector<PipelineAction> actions);

  /// Called by all stages. x, whose dimension 0 the microbatches divide, as evenly as they can, is used by
  /// the first one, target by the last one, which returns the loss of the whole batch; the others return an
  /// undefined tensor. Gradients are added to those of the parameters. TensorErrors: fewer rows than
  /// microbatches, an x or target that is missing, activations of integers, or of other shapes than in the
  /// first step.
  Tensor step(const Tensor& x = {}, const Tensor& target = {});

  const std::vector<PipelineAction>& actions() const { return actions_; }

 private:
  /// A microbatch between its passes.
  struct Kept {
    Tensor input, output;  ///< of the last stage, the loss
    Work sent_form, sent;
  };

  std::vector<Tensor> microbatches(const char* what, const Tensor& batch) const;
  void forward(std::size_t i, const Tensor& x, const Tensor& target);
  void backward(std::size_t i, double weight);
  Tensor receive_activation(std::size_t i);
  void send_activation(std::size_t i);

  PipelineStage stage_;
  std::int64_t n_microbatches_;
  PipelineLoss loss_;
  std::vector<PipelineAction> actions_;
  std::vector<Kept> kept_;
  std::vector<Tensor> forms_;  ///< of the activations that are received, as in the first step
  std::vector<bool> has_sent_form_;
  Work sent_gradient_;
};

/// As torch.distributed.pipelining.ScheduleGPipe: gpipe_actions().
class ScheduleGPipe : public PipelineSchedule {
 public:
  ScheduleGPipe(const PipelineStage& stage, std::int64_t n_microbatches, PipelineLoss loss)
      : PipelineSchedule(stage, n_microbatches, std::move(loss), gpipe_actions(n_microbatches)) {}
};

/// As torch.distributed.pipelining.Schedule1F1B: one_f_one_b_actions().
class Schedule1F1B : public PipelineSchedule {
 public:
  Schedule1F1B(const PipelineStage& stage, std::int64_t n_microbatches, PipelineLoss loss)
      : PipelineSchedule(stage, n_microbatches, std::move(loss),
                         one_f_one_b_actions(stage.stage_index(), stage.num_stages(), n_microbatches)) {}
};

}  // namespace lectern::distributed
