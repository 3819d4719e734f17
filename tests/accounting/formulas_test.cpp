// Formulas beside published sizes of models, and beside papers' figures.

#include <cmath>

#include <gtest/gtest.h>

#include "accounting/activations.h"
#include "accounting/parallelism.h"
#include "accounting/roofline.h"
#include "accounting/scaling_laws.h"
#include "accounting/training_memory.h"
#include "accounting/transformer.h"

namespace lectern::accounting {
namespace {

constexpr double kDay = 86400;

Transformer gpt2(double width, double layers, double heads) {
  return {.width = width, .layers = layers, .heads = heads};
}

Transformer llama(double width, double layers, double heads, double kv_heads, double hidden,
                  double vocabulary = 32000) {
  return {.vocabulary = vocabulary,
          .context = 4096,
          .width = width,
          .layers = layers,
          .heads = heads,
          .kv_heads = kv_heads,
          .hidden = hidden,
          .gated = true,
          .tied = false,
          .biases = false,
          .positions = Positions::rotary,
          .norm = Norm::rms};
}

double parameters(const Transformer& model) {
  EXPECT_EQ(problem(model), "");
  return count_parameters(model).total();
}

TEST(TransformerFormulas, ParametersArePublishedOnes) {
  EXPECT_EQ(parameters(gpt2(768, 12, 12)), 124439808);
  EXPECT_EQ(parameters(gpt2(1024, 24, 16)), 354823168);
  EXPECT_EQ(parameters(gpt2(1280, 36, 20)), 774030080);
  EXPECT_EQ(parameters(gpt2(1600, 48, 25)), 1557611200);
  EXPECT_EQ(parameters(llama(4096, 32, 32, 32, 11008)), 6738415616);
  EXPECT_EQ(parameters(llama(5120, 40, 40, 40, 13824)), 13015864320);
  EXPECT_EQ(parameters(llama(8192, 80, 64, 8, 28672)), 68976648192);
  EXPECT_EQ(parameters(llama(4096, 32, 32, 8, 14336, 128256)), 8030261248);
  const Transformer gpt3{.context = 2048, .width = 12288, .layers = 96, .heads = 96};
  EXPECT_NEAR(parameters(gpt3), 174.6e9, 0.05e9);
}

TEST(TransformerFormulas, ParametersByPart) {
  const Transformer tied{.width = 1024, .layers = 12, .heads = 16};
  Transformer untied = tied;
  untied.tied = false;
  EXPECT_EQ(count_parameters(tied).position_embedding, 1024.0 * 1024);
  EXPECT_EQ(count_parameters(untied).total() - count_parameters(tied).total(), 50257.0 * 1024);
  EXPECT_NEAR(count_parameters(tied).token_embedding, 51.5e6, 0.05e6);
  EXPECT_NEAR(count_parameters(tied).attention + count_parameters(tied).mlp, 151.0e6, 0.2e6);
}

TEST(TransformerFormulas, ProblemsOfSizesAreNamed) {
  EXPECT_EQ(problem({}), "");
  EXPECT_EQ(problem({.width = 770}), "heads is not a divisor of width");
  EXPECT_EQ(problem({.layers = 0}), "layers is not a positive integer");
  EXPECT_EQ(problem({.layers = 1.5}), "layers is not a positive integer");
  EXPECT_EQ(problem({.vocabulary = -1}), "vocabulary is not a positive integer");
  EXPECT_EQ(problem({.vocabulary = 1e30}), "vocabulary is not a positive integer");
  EXPECT_EQ(problem({.width = std::nan("")}), "width is not a positive integer");
  EXPECT_EQ(problem({.kv_heads = 5}), "kv_heads is not a divisor of heads");
}

TEST(TransformerFormulas, KeysAndValuesOfGroupedQueries) {
  const Transformer all = llama(8192, 80, 64, 64, 28672), grouped = llama(8192, 80, 64, 8, 28672);
  EXPECT_EQ(kv_cache_bytes(all, 4096, 1), 2. * 80 * 8192 * 4096 * 2);
  EXPECT_EQ(kv_cache_bytes(all, 4096, 1) / kv_cache_bytes(grouped, 4096, 1), 8);
}

TEST(TransformerFormulas, SixNDLeavesOutAttention) {
  const Transformer gpt3{.context = 2048, .width = 12288, .layers = 96, .heads = 96};
  const double blocks = count_parameters(gpt3).attention + count_parameters(gpt3).mlp;
  const double exact = training_flops_per_token(gpt3, 2048), rule = six_n_d(blocks, 1);
  EXPECT_GT(exact / rule, 1);
  EXPECT_LT(exact / rule, 1.03) << "for T << 6 d";
  EXPECT_NEAR(six_n_d(175e9, 300e9), 3.15e23, 1e21);
}

TEST(ActivationFormulas, AreThePapers) {
  const Transformer model{.width = 2048, .layers = 24, .heads = 32};
  EXPECT_NEAR(activation_bytes(model, 8, 2048), 156e9, 0.5e9);
  // Korthikanti et al. 2022, figure 4 and section 4: GPT-3's 5 a s / h is 80, the 22B model's 5 · 64 · 2048 /
  // 6144.
  const Transformer gpt3{.context = 2048, .width = 12288, .layers = 96, .heads = 96};
  const double unit = 2048. * 12288;
  EXPECT_EQ(layer_activation_bytes(gpt3, 1, 2048), unit * (34 + 80));
  EXPECT_EQ(layer_activation_bytes(gpt3, 1, 2048, Recomputation::attention), unit * 34);
  EXPECT_EQ(layer_activation_bytes(gpt3, 1, 2048, Recomputation::full), unit * 2);
  EXPECT_EQ(layer_activation_bytes(gpt3, 1, 2048, Recomputation::none, {.tensor_parallel = 8}),
            unit * (10 + 3 + 10));
  EXPECT_EQ(layer_activation_bytes(gpt3, 1, 2048, Recomputation::attention,
                                   {.tensor_parallel = 8, .sequence_parallel = true}),
            unit * 34 / 8);
}

TEST(TrainingFormulas, SixteenBytesPerParameter) {
  EXPECT_EQ(training_memory(1, OptimizerState::adam).total(), 16);
  EXPECT_EQ(training_memory(1, OptimizerState::adam, kMasterCopyTraining).total(), 16);
  EXPECT_EQ(training_memory(1, OptimizerState::adam, kBfloat16Training).total(), 8);
  EXPECT_EQ(training_memory(1, OptimizerState::sgd).total(), 8);
  EXPECT_EQ(training_memory(1, OptimizerState::momentum).total(), 12);
  EXPECT_NEAR(most_parameters(32 * 80e9, OptimizerState::adam), 160e9, 1);
}

TEST(TrainingFormulas, ZeroStagesAreThePapers) {
  // Rajbhandari et al. 2020, figure 1: 7.5 billion parameters, 64 devices, in GB.
  const auto gigabytes = [](ZeroStage stage) {
    return training_memory(7.5e9, OptimizerState::adam, kMasterCopyTraining, stage, 64).total() / 1e9;
  };
  EXPECT_NEAR(gigabytes(ZeroStage::none), 120, 0.05);
  EXPECT_NEAR(gigabytes(ZeroStage::optimizer), 31.4, 0.05);
  EXPECT_NEAR(gigabytes(ZeroStage::gradients), 16.6, 0.05);
  EXPECT_NEAR(gigabytes(ZeroStage::parameters), 1.9, 0.05);
}

TEST(ParallelFormulas, ZeroThreeSendsHalfAsMuchAgain) {
  const auto sent = [](ZeroStage stage) {
    return data_parallel_bytes(1e9, 1024, stage, kMasterCopyTraining);
  };
  EXPECT_EQ(sent(ZeroStage::none), sent(ZeroStage::optimizer));
  EXPECT_EQ(sent(ZeroStage::none), sent(ZeroStage::gradients));
  EXPECT_DOUBLE_EQ(sent(ZeroStage::parameters) / sent(ZeroStage::none), 1.5);
  EXPECT_EQ(data_parallel_bytes(1e9, 1, ZeroStage::none), 0);
}

TEST(ParallelFormulas, RingsSendWhatTheyMust) {
  EXPECT_EQ(all_reduce_bytes(100, 4), reduce_scatter_bytes(100, 4) + all_gather_bytes(100, 4));
  EXPECT_EQ(all_reduce_bytes(100, 4), 150);
  const Transformer model{.width = 1024, .layers = 2, .heads = 16};
  EXPECT_EQ(tensor_parallel_bytes(model, 1, 512, 2), 4. * 2 * 512 * 1024 * 2);
  EXPECT_EQ(pipeline_bytes(model, 1, 512), 2. * 512 * 1024 * 2);
  EXPECT_DOUBLE_EQ(pipeline_bubble(4, 4), 3. / 7);
  EXPECT_EQ(pipeline_bubble(1, 8), 0);
}

TEST(Parallelism, MemoryOfParts) {
  EXPECT_EQ(shard_elements(12, 4), 3);
  EXPECT_EQ(shard_elements(13, 4), 4);
  EXPECT_EQ(shard_elements(1, 4), 1);
  EXPECT_EQ(fully_sharded_parameter_bytes(1000, 100, 4), 4 * (250 + 100));
  const double whole = 8 * 32 + 32 + 32 * 8 + 8;
  EXPECT_EQ(column_parallel_parameters(8, 32, 1) + row_parallel_parameters(32, 8, 1), whole);
  EXPECT_EQ(column_parallel_parameters(8, 32, 4), 2 * 32 + 8);
  EXPECT_EQ(row_parallel_parameters(32, 8, 4), 8 * 8 + 8);
  EXPECT_EQ(row_parallel_parameters(32, 8, 4, false), 8 * 8);
  EXPECT_EQ(pipeline_microbatches_in_flight(0, 4, 8, PipelineOrder::gpipe), 8);
  EXPECT_EQ(pipeline_microbatches_in_flight(0, 4, 8, PipelineOrder::one_f_one_b), 4);
  EXPECT_EQ(pipeline_microbatches_in_flight(3, 4, 8, PipelineOrder::one_f_one_b), 1);
  EXPECT_EQ(pipeline_microbatches_in_flight(0, 4, 2, PipelineOrder::one_f_one_b), 2);
}

TEST(ScalingLaws, ApproachesOneAndTwoAreThePapersTables) {
  // Hoffmann et al. 2022, tables 3 and A3: 67 billion parameters, which is Gopher's budget.
  EXPECT_NEAR(optimal_size(5.76e23, kTrainingCurves).parameters, 67e9, 3e9);
  EXPECT_NEAR(optimal_size(5.76e23, kTrainingCurves).tokens, 1.5e12, 0.12e12);
  EXPECT_NEAR(optimal_size(6.88e23, kIsoFlopProfiles).parameters, 67e9, 4e9);
  EXPECT_NEAR(optimal_size(6.88e23, kIsoFlopProfiles).tokens, 1.7e12, 0.1e12);
}

TEST(ScalingLaws, TheClosedFormIsTheMinimum) {
  for (const LossLaw& law : {kChinchillaLaw, kReplicatedLaw}) {
    const OptimalSize best = optimal_size(1e21, law);
    EXPECT_NEAR(6 * best.parameters * best.tokens, 1e21, 1e9);
    for (const double factor : {0.9, 1.1})
      EXPECT_LT(law.loss(best.parameters, best.tokens),
                law.loss(best.parameters * factor, best.tokens / factor));
  }
}

TEST(ScalingLaws, TheReplicationComesToTwentyTokensPerParameter) {
  const double budget = 5.76e23;
  EXPECT_NEAR(optimal_size(budget, kReplicatedLaw).tokens_per_parameter(), 20, 6);
  EXPECT_GT(optimal_size(budget, kChinchillaLaw).tokens_per_parameter(), 60) << "the published fit does not";
  EXPECT_NEAR(optimal_size(1.915e22).parameters, 12.6e9, 0.05e9);
  EXPECT_NEAR(optimal_size(1.915e22).tokens, 253e9, 1e9);
}

TEST(Rooflines, BoundWhatIsMemoryBound) {
  constexpr Roofline h100{989.5e12, 3.35e12};
  EXPECT_NEAR(h100.ridge(), 295.4, 0.1);
  const Work large = matrix_product(8192, 8192, 8192, 2), thin = matrix_product(1, 8192, 8192, 2);
  EXPECT_FALSE(h100.memory_bound(large));
  EXPECT_TRUE(h100.memory_bound(thin));
  EXPECT_EQ(h100.attainable(large.intensity()), h100.flops_per_second);
  EXPECT_DOUBLE_EQ(h100.attainable(thin.intensity()), thin.intensity() * h100.bytes_per_second);
  EXPECT_DOUBLE_EQ(h100.seconds(thin), thin.bytes / h100.bytes_per_second);
  EXPECT_EQ(matrix_product(4 * 8 * 16, 32, 2, 4).flops, 65536);
}

TEST(Rooflines, TrainingTimes) {
  EXPECT_NEAR(training_seconds(six_n_d(70e9, 15e12), 1024, 989.5e12, 0.5) / kDay, 143.93, 0.01);
  EXPECT_NEAR(training_flops(14 * kDay, 32, 989.5e12, 0.5), 1.915e22, 1e19);
  EXPECT_NEAR(training_flops(7 * kDay, 8, 989.5e12, 1), 4.788e21, 1e18);
}

}  // namespace
}  // namespace lectern::accounting
