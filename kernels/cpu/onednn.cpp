#include "kernels/cpu/onednn.h"

#include <array>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/onednn_library.h"

namespace lectern::kernels::cpu {
namespace {

/// nullptr where products of bfloat16 are not faster.
const OneDnn* product_library() {
  static const OneDnn* const found = [] {
    const OneDnn* const library = isa() == Isa::v4 ? onednn_library() : nullptr;
    const auto has = library == nullptr ? 0U : static_cast<unsigned>(library->get_effective_cpu_isa());
    return (has & dnnl_cpu_isa_avx512_core) == dnnl_cpu_isa_avx512_core ? library : nullptr;
  }();
  return found;
}

bool describe(dnnl_memory_desc_t& made, Dtype dtype, std::int64_t rows, std::int64_t columns,
              std::int64_t row_stride, std::int64_t column_stride) {
  const dnnl_dims_t sizes = {rows, columns};
  const dnnl_dims_t strides = {row_stride, column_stride};
  const dnnl_data_type_t type = dtype == float32 ? dnnl_f32 : dnnl_bf16;
  return product_library()->memory_desc_init_by_strides(&made, 2, sizes, type, strides) == dnnl_success;
}

}  // namespace

bool onednn_multiplies_bfloat16() {
  return product_library() != nullptr;
}

bool onednn_product(void* out, Dtype out_dtype, const OneDnnMatrix& a, const OneDnnMatrix& b,
                    std::int64_t rows, std::int64_t columns, std::int64_t inner) {
  const OneDnn* dnn = product_library();
  if (dnn == nullptr) return false;
  // The library caches compiled products; creating one again takes about 2 us.
  std::array<dnnl_memory_desc_t, 3> descriptions;
  dnnl_matmul_desc_t product;
  if (!describe(descriptions[0], bfloat16, rows, inner, a.row_stride, a.column_stride) ||
      !describe(descriptions[1], bfloat16, inner, columns, b.row_stride, b.column_stride) ||
      !describe(descriptions[2], out_dtype, rows, columns, columns, 1) ||
      dnn->matmul_desc_init(&product, &descriptions[0], &descriptions[1], nullptr, &descriptions[2]) !=
          dnnl_success)
    return false;
  const OneDnnOwned<dnnl_primitive_desc> description(dnn->primitive_desc_destroy, dnn->primitive_desc_create,
                                                     static_cast<const_dnnl_op_desc_t>(&product), nullptr,
                                                     dnn->engine, nullptr);
  if (!description) return false;
  const OneDnnOwned<dnnl_primitive> primitive(dnn->primitive_destroy, dnn->primitive_create,
                                              description.get());
  const auto memory = [&](std::size_t which, const void* data) {
    return OneDnnOwned<dnnl_memory>(dnn->memory_destroy, dnn->memory_create, &descriptions[which],
                                    dnn->engine, const_cast<void*>(data));
  };
  const OneDnnOwned<dnnl_memory> left = memory(0, a.data), right = memory(1, b.data), result = memory(2, out);
  const OneDnnOwned<dnnl_stream> stream(dnn->stream_destroy, dnn->stream_create, dnn->engine,
                                        static_cast<unsigned>(dnnl_stream_default_flags));
  if (!primitive || !left || !right || !result || !stream) return false;
  const std::array<dnnl_exec_arg_t, 3> arguments = {
      {{DNNL_ARG_SRC, left.get()}, {DNNL_ARG_WEIGHTS, right.get()}, {DNNL_ARG_DST, result.get()}}};
  return dnn->primitive_execute(primitive.get(), stream.get(), static_cast<int>(arguments.size()),
                                arguments.data()) == dnnl_success &&
         dnn->stream_wait(stream.get()) == dnnl_success;
}

}  // namespace lectern::kernels::cpu
