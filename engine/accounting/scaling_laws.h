#pragma once

#include <cmath>

// Compute-optimal sizes: how many parameters N and tokens D give the lowest loss for C ≈ 6 N D operations
// (Hoffmann et al. 2022, "Training compute-optimal large language models"). Pure functions of numbers, for
// calculators too.

namespace lectern::accounting {

/// L(N, D) = E + A / N^α + B / D^β, in nats per token.
struct LossLaw {
  double irreducible;  ///< E
  double a, alpha;     ///< of parameters
  double b, beta;      ///< of tokens

  double loss(double parameters, double tokens) const {
    return irreducible + a / std::pow(parameters, alpha) + b / std::pow(tokens, beta);
  }
};
/// Approach 3 as published (equation 10).
inline constexpr LossLaw kChinchillaLaw{1.69, 406.4, 0.34, 410.7, 0.28};
/// The same fit, repeated on the paper's data: the published one was stopped too early and does not agree
/// with approaches 1 and 2 (Besiroglu et al. 2024, "Chinchilla scaling: a replication attempt", table 1).
inline constexpr LossLaw kReplicatedLaw{1.8172, 482.01, 0.3478, 2085.43, 0.3658};

struct OptimalSize {
  double parameters;
  double tokens;

  double tokens_per_parameter() const { return tokens / parameters; }
};

/// The minimum of the law for C operations, in closed form: N = G (C / 6)^(β / (α + β)) with G = (α A / (β
/// B))^(1 / (α + β)), and D = C / (6 N) (Hoffmann et al. 2022, equation 4).
inline OptimalSize optimal_size(double flops, const LossLaw& law) {
  const double exponents = law.alpha + law.beta;
  const double g = std::pow(law.alpha * law.a / (law.beta * law.b), 1 / exponents);
  const double parameters = g * std::pow(flops / 6, law.beta / exponents);
  return {parameters, flops / 6 / parameters};
}

/// A power law through one point: N = parameters (C / flops)^exponent.
struct SizeLaw {
  double exponent;
  double parameters;
  double flops;
};
/// Approach 1, the minimum over training curves: C^0.50 (table 2), through 1 billion parameters (table 3).
inline constexpr SizeLaw kTrainingCurves{0.50, 1e9, 1.21e20};
/// Approach 2, profiles of equal operations: C^0.49 (table 2), through 1 billion parameters (table A3).
inline constexpr SizeLaw kIsoFlopProfiles{0.49, 1e9, 1.20e20};

inline OptimalSize optimal_size(double flops, const SizeLaw& law) {
  const double parameters = law.parameters * std::pow(flops / law.flops, law.exponent);
  return {parameters, flops / 6 / parameters};
}

/// The rule of thumb that follows from approaches 1 and 2: 20 tokens per parameter.
inline OptimalSize optimal_size(double flops, double tokens_per_parameter = 20) {
  const double parameters = std::sqrt(flops / 6 / tokens_per_parameter);
  return {parameters, tokens_per_parameter * parameters};
}

}  // namespace lectern::accounting
