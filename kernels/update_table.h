#pragma once

#include "kernels/table.h"

/// ROW(name, Functor): the updates of optimizers (kernels/update_functors.h).
#define LECTERN_UPDATES(ROW)                              \
  ROW(sgd, Sgd)                                           \
  ROW(sgd_momentum, SgdMomentum)                          \
  ROW(adagrad, Adagrad)                                   \
  ROW(rmsprop, Rmsprop)                                   \
  ROW(rmsprop_momentum, RmspropMomentum)                  \
  ROW(rmsprop_centered, RmspropCentered)                  \
  ROW(rmsprop_centered_momentum, RmspropCenteredMomentum) \
  ROW(adam, Adam)                                         \
  ROW(adam_amsgrad, AdamAmsgrad)                          \
  ROW(adamw, AdamW)                                       \
  ROW(adamw_amsgrad, AdamWAmsgrad)                        \
  ROW(nadam, Nadam)                                       \
  ROW(radam, Radam)                                       \
  ROW(lion, Lion)
