#pragma once

/// The tensor stack, as lectures use it.

#include "base/tensor_error.h"
#include "device/counters.h"
#include "device/cuda.h"
#include "device/memory.h"
#include "device/stream.h"
#include "device/threads.h"
#include "lecture/tensor_value.h"
#include "ops/compare.h"
#include "ops/elementwise.h"
#include "ops/extremum.h"
#include "ops/matmul.h"
#include "ops/random.h"
#include "ops/sum.h"
#include "ops/triangle.h"
#include "tensor/creation.h"
#include "tensor/finfo.h"
#include "tensor/print.h"
#include "tensor/tensor.h"
