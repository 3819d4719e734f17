#include "kernels/cpu/onednn.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include <oneapi/dnnl/dnnl.h>

#include "base/error.h"
#include "base/shared_library.h"
#include "kernels/cpu/isa.h"

static_assert(DNNL_VERSION_MAJOR == 2, "descriptions of products as oneDNN 2 has them");

namespace lectern::kernels::cpu {
namespace {

/// The functions used.
struct OneDnn {
  decltype(&dnnl_get_effective_cpu_isa) get_effective_cpu_isa;
  decltype(&dnnl_engine_create) engine_create;
  decltype(&dnnl_stream_create) stream_create;
  decltype(&dnnl_stream_wait) stream_wait;
  decltype(&dnnl_stream_destroy) stream_destroy;
  decltype(&dnnl_memory_desc_init_by_strides) memory_desc_init_by_strides;
  decltype(&dnnl_memory_create) memory_create;
  decltype(&dnnl_memory_destroy) memory_destroy;
  decltype(&dnnl_matmul_desc_init) matmul_desc_init;
  decltype(&dnnl_primitive_desc_create) primitive_desc_create;
  decltype(&dnnl_primitive_desc_destroy) primitive_desc_destroy;
  decltype(&dnnl_primitive_create) primitive_create;
  decltype(&dnnl_primitive_execute) primitive_execute;
  decltype(&dnnl_primitive_destroy) primitive_destroy;
  dnnl_engine_t engine;  ///< the CPU; kept until exit
};

OneDnn load() {
  const SharedLibrary library({"libdnnl.so." + std::to_string(DNNL_VERSION_MAJOR)});
  OneDnn found{};
  library.find(found.get_effective_cpu_isa, "dnnl_get_effective_cpu_isa");
  library.find(found.engine_create, "dnnl_engine_create");
  library.find(found.stream_create, "dnnl_stream_create");
  library.find(found.stream_wait, "dnnl_stream_wait");
  library.find(found.stream_destroy, "dnnl_stream_destroy");
  library.find(found.memory_desc_init_by_strides, "dnnl_memory_desc_init_by_strides");
  library.find(found.memory_create, "dnnl_memory_create");
  library.find(found.memory_destroy, "dnnl_memory_destroy");
  library.find(found.matmul_desc_init, "dnnl_matmul_desc_init");
  library.find(found.primitive_desc_create, "dnnl_primitive_desc_create");
  library.find(found.primitive_desc_destroy, "dnnl_primitive_desc_destroy");
  library.find(found.primitive_create, "dnnl_primitive_create");
  library.find(found.primitive_execute, "dnnl_primitive_execute");
  library.find(found.primitive_destroy, "dnnl_primitive_destroy");
  if (found.engine_create(&found.engine, dnnl_cpu, 0) != dnnl_success) throw Error("oneDNN has no CPU");
  return found;
}

std::optional<OneDnn> load_if_faster() {
  if (isa() != Isa::v4) return {};
  try {
    const OneDnn found = load();
    const unsigned has = found.get_effective_cpu_isa();
    return (has & dnnl_cpu_isa_avx512_core) == dnnl_cpu_isa_avx512_core ? std::optional(found) : std::nullopt;
  } catch (const Error&) {
    return {};
  }
}

/// nullptr without oneDNN.
const OneDnn* onednn() {
  static const std::optional<OneDnn> found = load_if_faster();
  return found ? &*found : nullptr;
}

/// An object of the library, from one of its create functions.
template <typename Object>
class Owned {
 public:
  using Destroy = dnnl_status_t (*)(Object*);

  template <typename... Arguments>
  Owned(Destroy destroy, dnnl_status_t (*create)(Object**, Arguments...),
        std::type_identity_t<Arguments>... arguments)
      : object_(nullptr, destroy) {
    Object* made = nullptr;
    if (create(&made, arguments...) == dnnl_success) object_.reset(made);
  }

  Object* get() const { return object_.get(); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  std::unique_ptr<Object, Destroy> object_;
};

bool describe(dnnl_memory_desc_t& made, Dtype dtype, std::int64_t rows, std::int64_t columns,
              std::int64_t row_stride, std::int64_t column_stride) {
  const dnnl_dims_t sizes = {rows, columns};
  const dnnl_dims_t strides = {row_stride, column_stride};
  const dnnl_data_type_t type = dtype == float32 ? dnnl_f32 : dnnl_bf16;
  return onednn()->memory_desc_init_by_strides(&made, 2, sizes, type, strides) == dnnl_success;
}

}  // namespace

bool onednn_multiplies_bfloat16() {
  return onednn() != nullptr;
}

bool onednn_product(void* out, Dtype out_dtype, const OneDnnMatrix& a, const OneDnnMatrix& b,
                    std::int64_t rows, std::int64_t columns, std::int64_t inner) {
  const OneDnn* dnn = onednn();
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
  const Owned<dnnl_primitive_desc> description(dnn->primitive_desc_destroy, dnn->primitive_desc_create,
                                               static_cast<const_dnnl_op_desc_t>(&product), nullptr,
                                               dnn->engine, nullptr);
  if (!description) return false;
  const Owned<dnnl_primitive> primitive(dnn->primitive_destroy, dnn->primitive_create, description.get());
  const auto memory = [&](std::size_t which, const void* data) {
    return Owned<dnnl_memory>(dnn->memory_destroy, dnn->memory_create, &descriptions[which], dnn->engine,
                              const_cast<void*>(data));
  };
  const Owned<dnnl_memory> left = memory(0, a.data), right = memory(1, b.data), result = memory(2, out);
  const Owned<dnnl_stream> stream(dnn->stream_destroy, dnn->stream_create, dnn->engine,
                                  static_cast<unsigned>(dnnl_stream_default_flags));
  if (!primitive || !left || !right || !result || !stream) return false;
  const std::array<dnnl_exec_arg_t, 3> arguments = {
      {{DNNL_ARG_SRC, left.get()}, {DNNL_ARG_WEIGHTS, right.get()}, {DNNL_ARG_DST, result.get()}}};
  return dnn->primitive_execute(primitive.get(), stream.get(), static_cast<int>(arguments.size()),
                                arguments.data()) == dnnl_success &&
         dnn->stream_wait(stream.get()) == dnnl_success;
}

}  // namespace lectern::kernels::cpu
