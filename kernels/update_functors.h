#pragma once

#include "base/host_device.h"
#include "kernels/compute_type.h"
#include "kernels/fold_functors.h"
#include "kernels/math.h"

// Optimizer updates of an element: a functor for each row of kernels/update_table.h, for host and device,
// over the compute type C. A functor has
//
//   Settings                         the optimizer's options, as it needs them
//   kStates                          how many states it keeps per element of the parameter, at first 0
//                                    or as the optimizer says
//   kFlops                           floating-point operations per element (device/counters.h)
//   Functor(settings, step)          of the step-th step, from 1: in double it computes what is the same
//                                    for all elements
//   operator()(p, gradient, states)  changes p and its states
//
// Formulas and their order are those of PyTorch 1.13; of Nadam as of 2.0, since 1.13 takes the momentum of a
// step twice; of Lion those of its authors.

namespace lectern::kernels {

/// Without decay an infinite parameter stays as it is.
template <RealComputeType C>
LECTERN_HD C add_decay(C grad, C weight_decay, C p) {
  return weight_decay == 0 ? grad : grad + weight_decay * p;
}

struct SgdSettings {
  double lr, weight_decay, momentum, dampening;
  bool nesterov;
};

template <RealComputeType C>
struct Sgd {
  using Settings = SgdSettings;
  static constexpr int kStates = 0;
  static constexpr int kFlops = 4;  ///< decay and the parameter: a multiplication and an addition each
  C lr, weight_decay;

  LECTERN_HD Sgd(const Settings& settings, double)
      : lr(static_cast<C>(settings.lr)), weight_decay(static_cast<C>(settings.weight_decay)) {}

  LECTERN_HD void operator()(C& p, C grad, C*) const { p -= lr * add_decay(grad, weight_decay, p); }
};

/// The state is the sum of gradients, decaying with `momentum`; it begins with the first gradient as it is.
template <RealComputeType C>
struct SgdMomentum {
  using Settings = SgdSettings;
  static constexpr int kStates = 1;
  static constexpr int kFlops = 9;  ///< the sum 3 more, Nesterov's look-ahead 2
  C lr, weight_decay, momentum, share;
  bool nesterov;

  LECTERN_HD SgdMomentum(const Settings& settings, double step)
      : lr(static_cast<C>(settings.lr)),
        weight_decay(static_cast<C>(settings.weight_decay)),
        momentum(static_cast<C>(settings.momentum)),
        share(step == 1 ? C(1) : static_cast<C>(1 - settings.dampening)),
        nesterov(settings.nesterov) {}

  LECTERN_HD void operator()(C& p, C grad, C* states) const {
    const C decayed = add_decay(grad, weight_decay, p);
    const C sum = momentum * states[0] + share * decayed;
    states[0] = sum;
    p -= lr * (nesterov ? decayed + momentum * sum : sum);
  }
};

struct AdagradSettings {
  double lr, lr_decay, weight_decay, eps;
};

/// The state is the sum of the squares of all gradients.
template <RealComputeType C>
struct Adagrad {
  using Settings = AdagradSettings;
  static constexpr int kStates = 1;
  static constexpr int kFlops = 9;  ///< decay 2, the sum 2, root, eps, and the parameter 3
  C lr, weight_decay, eps;

  LECTERN_HD Adagrad(const Settings& settings, double step)
      : lr(static_cast<C>(settings.lr / (1 + (step - 1) * settings.lr_decay))),
        weight_decay(static_cast<C>(settings.weight_decay)),
        eps(static_cast<C>(settings.eps)) {}

  LECTERN_HD void operator()(C& p, C grad, C* states) const {
    const C decayed = add_decay(grad, weight_decay, p);
    const C sum = states[0] + decayed * decayed;
    states[0] = sum;
    p -= lr * decayed / (math::sqrt(sum) + eps);
  }
};

struct RmspropSettings {
  double lr, alpha, eps, weight_decay, momentum;
};

/// The states are the averages of squares and, if wanted, the averages of gradients and the sums of steps.
template <RealComputeType C, bool kCentered, bool kMomentum>
struct RmspropFunctor {
  using Settings = RmspropSettings;
  static constexpr int kAverage = 1, kSum = kCentered ? 2 : 1;
  static constexpr int kStates = 1 + (kCentered ? 1 : 0) + (kMomentum ? 1 : 0);
  /// Decay 2, the average of squares 4, root, eps, and the parameter 3; the average of gradients 3 and its
  /// square 2; the sum 2.
  static constexpr int kFlops = 11 + (kCentered ? 5 : 0) + (kMomentum ? 2 : 0);
  C lr, alpha, share, eps, weight_decay, momentum;

  LECTERN_HD RmspropFunctor(const Settings& settings, double)
      : lr(static_cast<C>(settings.lr)),
        alpha(static_cast<C>(settings.alpha)),
        share(static_cast<C>(1 - settings.alpha)),
        eps(static_cast<C>(settings.eps)),
        weight_decay(static_cast<C>(settings.weight_decay)),
        momentum(static_cast<C>(settings.momentum)) {}

  LECTERN_HD void operator()(C& p, C grad, C* states) const {
    const C decayed = add_decay(grad, weight_decay, p);
    C square = alpha * states[0] + share * decayed * decayed;
    states[0] = square;
    if constexpr (kCentered) {
      const C average = alpha * states[kAverage] + share * decayed;
      states[kAverage] = average;
      square -= average * average;
    }
    const C root = math::sqrt(square) + eps;
    if constexpr (kMomentum) {
      const C sum = momentum * states[kSum] + decayed / root;
      states[kSum] = sum;
      p -= lr * sum;
    } else {
      p -= lr * decayed / root;
    }
  }
};

template <RealComputeType C>
using Rmsprop = RmspropFunctor<C, false, false>;
template <RealComputeType C>
using RmspropMomentum = RmspropFunctor<C, false, true>;
template <RealComputeType C>
using RmspropCentered = RmspropFunctor<C, true, false>;
template <RealComputeType C>
using RmspropCenteredMomentum = RmspropFunctor<C, true, true>;

struct AdamSettings {
  double lr, beta1, beta2, eps, weight_decay;
};

/// The states are the averages of gradients and of their squares and, for amsgrad, the largest of the latter.
/// Decoupled, as in AdamW, the parameter decays by itself, not by its gradient.
template <RealComputeType C, bool kDecoupled, bool kAmsgrad>
struct AdamFunctor {
  using Settings = AdamSettings;
  static constexpr int kStates = kAmsgrad ? 3 : 2;
  /// Decay 2, decoupled 1, the averages 3 and 4, root, its correction, eps, and the parameter 3; the largest
  /// 1.
  static constexpr int kFlops = (kDecoupled ? 14 : 15) + (kAmsgrad ? 1 : 0);
  C lr, decay, beta1, share1, beta2, share2, root_scale, eps;

  LECTERN_HD AdamFunctor(const Settings& settings, double step)
      : lr(static_cast<C>(settings.lr / (1 - math::pow(settings.beta1, step)))),
        decay(static_cast<C>(kDecoupled ? 1 - settings.lr * settings.weight_decay : settings.weight_decay)),
        beta1(static_cast<C>(settings.beta1)),
        share1(static_cast<C>(1 - settings.beta1)),
        beta2(static_cast<C>(settings.beta2)),
        share2(static_cast<C>(1 - settings.beta2)),
        root_scale(static_cast<C>(1 / math::sqrt(1 - math::pow(settings.beta2, step)))),
        eps(static_cast<C>(settings.eps)) {}

  LECTERN_HD void operator()(C& p, C grad, C* states) const {
    const C kept = kDecoupled ? decay * p : p;
    const C decayed = kDecoupled ? grad : add_decay(grad, decay, p);
    const C first = beta1 * states[0] + share1 * decayed;
    const C second = beta2 * states[1] + share2 * decayed * decayed;
    states[0] = first;
    states[1] = second;
    C square = second;
    if constexpr (kAmsgrad) square = states[2] = Maximum{}(states[2], second);
    p = kept - lr * first / (math::sqrt(square) * root_scale + eps);
  }
};

template <RealComputeType C>
using Adam = AdamFunctor<C, false, false>;
template <RealComputeType C>
using AdamAmsgrad = AdamFunctor<C, false, true>;
template <RealComputeType C>
using AdamW = AdamFunctor<C, true, false>;
template <RealComputeType C>
using AdamWAmsgrad = AdamFunctor<C, true, true>;

struct NadamSettings {
  double lr, beta1, beta2, eps, weight_decay, momentum_decay;
  double mu_product;  ///< of all steps before, in float
};

/// The momentum of a step, from 1.
LECTERN_HD double nadam_momentum(double beta1, double momentum_decay, double step) {
  return beta1 * (1 - 0.5 * math::pow(0.96, step * momentum_decay));
}
LECTERN_HD double nadam_product(const NadamSettings& settings, double step) {
  const double mu = nadam_momentum(settings.beta1, settings.momentum_decay, step);
  return static_cast<double>(static_cast<float>(settings.mu_product * mu));
}

/// The states are those of Adam.
template <RealComputeType C>
struct Nadam {
  using Settings = NadamSettings;
  static constexpr int kStates = 2;
  /// Decay 2, the averages 3 and 4, root, its correction, eps, and the parameter 5.
  static constexpr int kFlops = 17;
  C of_grad, of_average, weight_decay, beta1, share1, beta2, share2, root_scale, eps;

  LECTERN_HD Nadam(const Settings& settings, double step)
      : of_grad(
            static_cast<C>(settings.lr * (1 - nadam_momentum(settings.beta1, settings.momentum_decay, step)) /
                           (1 - nadam_product(settings, step)))),
        of_average(
            static_cast<C>(settings.lr * nadam_momentum(settings.beta1, settings.momentum_decay, step + 1) /
                           (1 - nadam_product(settings, step) *
                                    nadam_momentum(settings.beta1, settings.momentum_decay, step + 1)))),
        weight_decay(static_cast<C>(settings.weight_decay)),
        beta1(static_cast<C>(settings.beta1)),
        share1(static_cast<C>(1 - settings.beta1)),
        beta2(static_cast<C>(settings.beta2)),
        share2(static_cast<C>(1 - settings.beta2)),
        root_scale(static_cast<C>(1 / math::sqrt(1 - math::pow(settings.beta2, step)))),
        eps(static_cast<C>(settings.eps)) {}

  LECTERN_HD void operator()(C& p, C grad, C* states) const {
    const C decayed = add_decay(grad, weight_decay, p);
    const C first = beta1 * states[0] + share1 * decayed;
    const C second = beta2 * states[1] + share2 * decayed * decayed;
    states[0] = first;
    states[1] = second;
    p -= (of_grad * decayed + of_average * first) / (math::sqrt(second) * root_scale + eps);
  }
};

/// The states are those of Adam. While the variance of the adaptive rate is too large to rectify, there is
/// none.
template <RealComputeType C>
struct Radam {
  using Settings = AdamSettings;
  static constexpr int kStates = 2;
  static constexpr int kFlops = 14;  ///< decay 2, the averages 3 and 4, root, eps, and the parameter 3
  C lr, weight_decay, beta1, share1, beta2, share2, eps;
  bool adapts = false;

  LECTERN_HD Radam(const Settings& settings, double step)
      : weight_decay(static_cast<C>(settings.weight_decay)),
        beta1(static_cast<C>(settings.beta1)),
        share1(static_cast<C>(1 - settings.beta1)),
        beta2(static_cast<C>(settings.beta2)),
        share2(static_cast<C>(1 - settings.beta2)),
        eps(static_cast<C>(settings.eps)) {
    const double power = math::pow(settings.beta2, step), correction = 1 - power;
    const double longest = 2 / (1 - settings.beta2) - 1, length = longest - 2 * step * power / correction;
    double rate = settings.lr / (1 - math::pow(settings.beta1, step));
    adapts = length > 5;
    if (adapts) {
      rate *= math::sqrt(correction * (length - 4) * (length - 2) * longest /
                         ((longest - 4) * (longest - 2) * length));
    }
    lr = static_cast<C>(rate);
  }

  LECTERN_HD void operator()(C& p, C grad, C* states) const {
    const C decayed = add_decay(grad, weight_decay, p);
    const C first = beta1 * states[0] + share1 * decayed;
    const C second = beta2 * states[1] + share2 * decayed * decayed;
    states[0] = first;
    states[1] = second;
    p -= adapts ? lr * first / (math::sqrt(second) + eps) : lr * first;
  }
};

struct LionSettings {
  double lr, beta1, beta2, weight_decay;
};

/// The state is the average of gradients.
template <RealComputeType C>
struct Lion {
  using Settings = LionSettings;
  static constexpr int kStates = 1;
  static constexpr int kFlops = 10;  ///< decay, the direction 3 and its sign, the parameter 2, the average 3
  C lr, decay, beta1, share1, beta2, share2;

  LECTERN_HD Lion(const Settings& settings, double)
      : lr(static_cast<C>(settings.lr)),
        decay(static_cast<C>(1 - settings.lr * settings.weight_decay)),
        beta1(static_cast<C>(settings.beta1)),
        share1(static_cast<C>(1 - settings.beta1)),
        beta2(static_cast<C>(settings.beta2)),
        share2(static_cast<C>(1 - settings.beta2)) {}

  LECTERN_HD void operator()(C& p, C grad, C* states) const {
    const C direction = beta1 * states[0] + share1 * grad;
    const C sign = direction > 0 ? C(1) : direction < 0 ? C(-1) : direction;
    p = decay * p - lr * sign;
    states[0] = beta2 * states[0] + share2 * grad;
  }
};

}  // namespace lectern::kernels
