#pragma once

#include <memory>
#include <type_traits>

#include <oneapi/dnnl/dnnl.h>

// The functions of oneDNN that kernels use. The library is loaded by the first of them.

static_assert(DNNL_VERSION_MAJOR == 2, "descriptions of operations as oneDNN 2 has them");

namespace lectern::kernels::cpu {

// clang-format off
#define LECTERN_ONEDNN_FUNCTIONS(F)                   \
  F(dilated_convolution_backward_data_desc_init)      \
  F(dilated_convolution_backward_weights_desc_init)   \
  F(dilated_convolution_forward_desc_init)            \
  F(engine_create)                                    \
  F(get_effective_cpu_isa)                            \
  F(matmul_desc_init)                                 \
  F(memory_create)                                    \
  F(memory_desc_equal)                                \
  F(memory_desc_get_size)                             \
  F(memory_desc_init_by_strides)                      \
  F(memory_desc_init_by_tag)                          \
  F(memory_destroy)                                   \
  F(primitive_create)                                 \
  F(primitive_desc_create)                            \
  F(primitive_desc_destroy)                           \
  F(primitive_desc_query_md)                          \
  F(primitive_destroy)                                \
  F(primitive_execute)                                \
  F(reorder_primitive_desc_create)                    \
  F(stream_create)                                    \
  F(stream_destroy)                                   \
  F(stream_wait)
// clang-format on

struct OneDnn {
#define LECTERN_MEMBER(function) decltype(&dnnl_##function) function;
  LECTERN_ONEDNN_FUNCTIONS(LECTERN_MEMBER)
#undef LECTERN_MEMBER
  dnnl_engine_t engine;  ///< the CPU; kept until exit
};

/// nullptr without the library.
const OneDnn* onednn_library();

/// An object of the library, from one of its create functions; null where that failed.
template <typename Object>
class OneDnnOwned {
 public:
  using Destroy = dnnl_status_t (*)(Object*);

  template <typename... Arguments>
  OneDnnOwned(Destroy destroy, dnnl_status_t (*create)(Object**, Arguments...),
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

}  // namespace lectern::kernels::cpu
