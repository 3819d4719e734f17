#pragma once

// The elementwise operations on one element: a functor for each row of kernels/elementwise_table.h, for host
// and device, with its gradient (kernels/gradient_reads.h).

#include "kernels/activation_functors.h"
#include "kernels/arithmetic_functors.h"
#include "kernels/bit_functors.h"
#include "kernels/comparison_functors.h"
#include "kernels/exponential_functors.h"
#include "kernels/fold_functors.h"
#include "kernels/rounding_functors.h"
#include "kernels/selection_functors.h"
#include "kernels/ternary_functors.h"
#include "kernels/trigonometric_functors.h"
