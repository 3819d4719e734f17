#pragma once

#include "trace/fields.h"

namespace lectern {

/// What a device can do at most, as the run began. Nothing of it is to be relied on: it may have been read
/// from a file.
struct Ceiling {
  trace_model::Members<double> flops = {};  ///< operations per second, by dtype
  double bytes = 0;                         ///< to and from memory per second
  bool measured = false;                    ///< the bytes; else they are the data sheet's
  trace_model::JsonText unknown = {};

  static constexpr auto fields() {
    using trace_model::Field;
    return trace_model::field_list(Field{"flops", &Ceiling::flops}, Field{"bytes", &Ceiling::bytes},
                                   Field{"measured", &Ceiling::measured});
  }
  bool operator==(const Ceiling&) const = default;
};

/// By device.
using Ceilings = trace_model::Members<Ceiling>;

}  // namespace lectern
