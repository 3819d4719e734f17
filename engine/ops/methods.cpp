// The methods of Tensor that are the functions of their names.
#include "ops/compare.h"
#include "ops/elementwise.h"
#include "ops/extremum.h"
#include "ops/flip.h"
#include "ops/gather.h"
#include "ops/index.h"
#include "ops/index_writes.h"
#include "ops/linear.h"
#include "ops/matmul.h"
#include "ops/nonzero.h"
#include "ops/quantile.h"
#include "ops/random.h"
#include "ops/reductions.h"
#include "ops/repeat.h"
#include "ops/scatter_reduce.h"
#include "ops/selection.h"
#include "ops/softmax.h"
#include "ops/sort.h"
#include "ops/ternary.h"
#include "ops/triangle.h"

namespace lectern {

#define LECTERN_METHOD(Result, name, parameters, ...)       \
  Result Tensor::name parameters const {                    \
    return lectern::name(*this __VA_OPT__(, ) __VA_ARGS__); \
  }

using OptionalDim = std::optional<std::int64_t>;
using OptionalDtype = std::optional<Dtype>;
using OptionalScalar = std::optional<Scalar>;
using OptionalTensor = std::optional<Tensor>;

LECTERN_METHOD(Tensor, sum, (OptionalDtype dtype), dtype)
LECTERN_METHOD(Tensor, sum, (const Sizes& dims, bool keepdim, OptionalDtype dtype), dims, keepdim, dtype)
LECTERN_METHOD(Tensor, mean, (OptionalDtype dtype), dtype)
LECTERN_METHOD(Tensor, mean, (const Sizes& dims, bool keepdim, OptionalDtype dtype), dims, keepdim, dtype)
LECTERN_METHOD(Tensor, prod, (OptionalDtype dtype), dtype)
LECTERN_METHOD(Tensor, prod, (std::int64_t dim, bool keepdim, OptionalDtype dtype), dim, keepdim, dtype)
LECTERN_METHOD(Tensor, var, (const Sizes& dims, std::int64_t correction, bool keepdim), dims, correction,
               keepdim)
LECTERN_METHOD(Tensor, std, (const Sizes& dims, std::int64_t correction, bool keepdim), dims, correction,
               keepdim)
LECTERN_METHOD(Tensor, norm, (double p, const Sizes& dims, bool keepdim, OptionalDtype dtype), p, dims,
               keepdim, dtype)
LECTERN_METHOD(Tensor, count_nonzero, (const Sizes& dims), dims)
LECTERN_METHOD(Tensor, nonzero, ())
LECTERN_METHOD(Tensor, argwhere, ())
#define LECTERN_ROW(name) LECTERN_METHOD(Tensor, name, (const Sizes& dims, bool keepdim), dims, keepdim)
LECTERN_REDUCTION_FUNCTIONS(LECTERN_ROW)
#undef LECTERN_ROW

LECTERN_METHOD(Tensor, max, ())
LECTERN_METHOD(Tensor, min, ())
LECTERN_METHOD(ValuesAndIndices, max, (std::int64_t dim, bool keepdim), dim, keepdim)
LECTERN_METHOD(ValuesAndIndices, min, (std::int64_t dim, bool keepdim), dim, keepdim)
LECTERN_METHOD(Tensor, argmax, (OptionalDim dim, bool keepdim), dim, keepdim)
LECTERN_METHOD(Tensor, argmin, (OptionalDim dim, bool keepdim), dim, keepdim)
LECTERN_METHOD(Tensor, argsort, (std::int64_t dim, bool descending, bool stable), dim, descending, stable)

LECTERN_METHOD(Tensor, median, ())
LECTERN_METHOD(ValuesAndIndices, median, (std::int64_t dim, bool keepdim), dim, keepdim)
LECTERN_METHOD(Tensor, quantile, (double q, OptionalDim dim, bool keepdim, std::string_view interpolation), q,
               dim, keepdim, interpolation)
LECTERN_METHOD(Tensor, quantile,
               (const Tensor& q, OptionalDim dim, bool keepdim, std::string_view interpolation), q, dim,
               keepdim, interpolation)

LECTERN_METHOD(Tensor, softmax, (std::int64_t dim, OptionalDtype dtype), dim, dtype)
LECTERN_METHOD(Tensor, log_softmax, (std::int64_t dim, OptionalDtype dtype), dim, dtype)
LECTERN_METHOD(Tensor, matmul, (const Tensor& other), other)
LECTERN_METHOD(Tensor, mm, (const Tensor& other), other)
LECTERN_METHOD(Tensor, baddbmm,
               (const Tensor& batch1, const Tensor& batch2, const Scalar& beta, const Scalar& alpha), batch1,
               batch2, beta, alpha)
LECTERN_METHOD(Tensor, diag, (std::int64_t diagonal), diagonal)
LECTERN_METHOD(Tensor, triu, (std::int64_t diagonal), diagonal)
LECTERN_METHOD(Tensor, tril, (std::int64_t diagonal), diagonal)

LECTERN_METHOD(Tensor, div, (const Tensor& other, std::string_view rounding_mode), other, rounding_mode)
LECTERN_METHOD(Tensor, div, (const Scalar& other, std::string_view rounding_mode), other, rounding_mode)
LECTERN_METHOD(Tensor, lerp, (const Tensor& end, const Tensor& weight), end, weight)
LECTERN_METHOD(Tensor, lerp, (const Tensor& end, const Scalar& weight), end, weight)
LECTERN_METHOD(Tensor, addcmul, (const Tensor& tensor1, const Tensor& tensor2, const Scalar& value), tensor1,
               tensor2, value)
LECTERN_METHOD(Tensor, addcdiv, (const Tensor& tensor1, const Tensor& tensor2, const Scalar& value), tensor1,
               tensor2, value)
LECTERN_METHOD(bool, equal, (const Tensor& other), other)
LECTERN_METHOD(bool, allclose, (const Tensor& other, double rtol, double atol, bool equal_nan), other, rtol,
               atol, equal_nan)
LECTERN_METHOD(Tensor, clamp, (const OptionalScalar& min, const OptionalScalar& max), min, max)
LECTERN_METHOD(Tensor, clamp, (const OptionalTensor& min, const OptionalTensor& max), min, max)
LECTERN_METHOD(Tensor, masked_fill, (const Tensor& mask, const Scalar& value), mask, value)
LECTERN_METHOD(Tensor, masked_fill, (const Tensor& mask, const Tensor& value), mask, value)
LECTERN_METHOD(Tensor, nan_to_num,
               (const Scalar& nan, const OptionalScalar& posinf, const OptionalScalar& neginf), nan, posinf,
               neginf)

LECTERN_METHOD(Tensor, index, (std::initializer_list<Index> entries), entries)
LECTERN_METHOD(const Tensor&, index_put_,
               (std::initializer_list<Index> entries, const Tensor& values, bool accumulate), entries, values,
               accumulate)
LECTERN_METHOD(Tensor, masked_select, (const Tensor& mask), mask)
LECTERN_METHOD(Tensor, index_select, (std::int64_t dim, const Tensor& index), dim, index)
LECTERN_METHOD(Tensor, index_add,
               (std::int64_t dim, const Tensor& index, const Tensor& source, const Scalar& alpha), dim, index,
               source, alpha)
LECTERN_METHOD(Tensor, gather, (std::int64_t dim, const Tensor& index), dim, index)
LECTERN_METHOD(Tensor, scatter, (std::int64_t dim, const Tensor& index, const Tensor& source), dim, index,
               source)
LECTERN_METHOD(Tensor, scatter, (std::int64_t dim, const Tensor& index, const Scalar& value), dim, index,
               value)
LECTERN_METHOD(Tensor, scatter_add, (std::int64_t dim, const Tensor& index, const Tensor& source), dim, index,
               source)

LECTERN_METHOD(Tensor, scatter_reduce,
               (std::int64_t dim, const Tensor& index, const Tensor& source, std::string_view reduce,
                bool include_self),
               dim, index, source, reduce, include_self)
LECTERN_METHOD(Tensor, index_fill, (std::int64_t dim, const Tensor& index, const Scalar& value), dim, index,
               value)
LECTERN_METHOD(Tensor, index_fill, (std::int64_t dim, const Tensor& index, const Tensor& value), dim, index,
               value)
LECTERN_METHOD(Tensor, index_copy, (std::int64_t dim, const Tensor& index, const Tensor& source), dim, index,
               source)
LECTERN_METHOD(Tensor, masked_scatter, (const Tensor& mask, const Tensor& source), mask, source)

LECTERN_METHOD(Tensor, repeat, (const Sizes& repeats), repeats)
LECTERN_METHOD(Tensor, tile, (const Sizes& repeats), repeats)
LECTERN_METHOD(Tensor, repeat_interleave, (std::int64_t repeats, OptionalDim dim), repeats, dim)
LECTERN_METHOD(Tensor, repeat_interleave, (const Tensor& repeats, OptionalDim dim), repeats, dim)
LECTERN_METHOD(Tensor, flip, (const Sizes& dims), dims)
LECTERN_METHOD(Tensor, roll, (const Sizes& shifts, const Sizes& dims), shifts, dims)
LECTERN_METHOD(const Tensor&, random_, (std::int64_t from, std::int64_t to, Generator* generator), from, to,
               generator)
#undef LECTERN_METHOD

}  // namespace lectern
