#include "kernels/cpu/planes.h"

#include <utility>

#include "kernels/cpu/cache.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/stream_bytes.h"
#include "kernels/cpu/streaming.h"

namespace lectern::kernels::cpu::LECTERN_ISA {
namespace {

/// Bits of any element of this size.
template <typename Bits>
struct Word {
  using type [[gnu::may_alias]] = Bits;
};
template <typename Bits>
using word = typename Word<Bits>::type;

/// Rows up to this length are copied column by column: the loop then runs over the many rows.
constexpr std::int64_t kShortRow = 16;

// Strides are in elements from here on, and in local variables, plane by plane: writes might alias the
// structures that hold them.

template <typename Bits>
void copy_rows(word<Bits>* to, std::int64_t to_row, const word<Bits>* from, std::int64_t from_row,
               std::int64_t length, std::int64_t rows) {
  for (std::int64_t r = 0; r < rows; ++r) {
    word<Bits>* y = to + r * to_row;
    const word<Bits>* x = from + r * from_row;
    LECTERN_INDEPENDENT
    for (std::int64_t i = 0; i < length; ++i) y[i] = x[i];
  }
}

/// Rows of a few elements, unrolled.
template <typename Bits, int kLength = 8>
void copy_short_rows(word<Bits>* to, std::int64_t to_row, const word<Bits>* from, std::int64_t from_row,
                     std::int64_t length, std::int64_t rows) {
  if constexpr (kLength > 1) {
    if (length < kLength) return copy_short_rows<Bits, kLength - 1>(to, to_row, from, from_row, length, rows);
  }
  for (std::int64_t r = 0; r < rows; ++r) {
    Bits row[kLength];
    for (int i = 0; i < kLength; ++i) row[i] = from[r * from_row + i];
    for (int i = 0; i < kLength; ++i) to[r * to_row + i] = row[i];
  }
}

template <typename Bits>
void fill_rows(word<Bits>* to, std::int64_t to_row, const word<Bits>* from, std::int64_t from_row,
               std::int64_t length, std::int64_t rows) {
  for (std::int64_t r = 0; r < rows; ++r) {
    word<Bits>* y = to + r * to_row;
    const Bits value = from[r * from_row];
    LECTERN_INDEPENDENT
    for (std::int64_t i = 0; i < length; ++i) y[i] = value;
  }
}

/// Every second element, vectorised.
template <typename Bits>
void halve_rows(word<Bits>* to, std::int64_t to_row, const word<Bits>* from, std::int64_t from_row,
                std::int64_t length, std::int64_t rows) {
  for (std::int64_t r = 0; r < rows; ++r) {
    word<Bits>* y = to + r * to_row;
    const word<Bits>* x = from + r * from_row;
    constexpr std::int64_t kChunk = 128 / sizeof(Bits);  // prefetch a few lines at a time, no burst
    std::int64_t done = 0;
    for (; done + kChunk < length; done += kChunk) {
      prefetch_ahead<2 * kChunk * sizeof(Bits)>(x + 2 * done);
      LECTERN_INDEPENDENT
      for (std::int64_t i = 0; i < kChunk; ++i) y[done + i] = x[2 * (done + i)];
    }
    for (; done < length; ++done) y[done] = x[2 * done];
  }
}

/// A square of elements, one vector per row, transposed in registers.
template <typename Bits>
class Square {
 public:
  static constexpr int kSide = vector_bytes() / sizeof(Bits) < 16 ? vector_bytes() / sizeof(Bits) : 16;

  [[gnu::always_inline]] void load(const word<Bits>* from, std::int64_t row) {
    for (int i = 0; i < kSide; ++i) __builtin_memcpy(&rows_[i], from + i * row, sizeof(Row));
  }
  template <bool kStream>
  [[gnu::always_inline]] void store(word<Bits>* to, std::int64_t row) const {
    for (int i = 0; i < kSide; ++i) {
      if constexpr (kStream) {
        stream_bytes<sizeof(Row)>(to + i * row, &rows_[i]);
      } else {
        __builtin_memcpy(to + i * row, &rows_[i], sizeof(Row));
      }
    }
  }
  /// Eklundh's method: halves, quarters and so on of the square swap their upper right and lower left
  /// quadrants.
  [[gnu::always_inline]] void transpose() { exchange<kSide / 2>(std::make_integer_sequence<int, kSide>()); }

 private:
  typedef Bits Row __attribute__((vector_size(kSide * sizeof(Bits))));

  template <int kHalf, int... lane>
  [[gnu::always_inline]] void exchange(std::integer_sequence<int, lane...> lanes) {
#pragma GCC unroll 16
    for (int i = 0; i < kSide; ++i) {
      if ((i & kHalf) != 0) continue;
      const Row a = rows_[i];
      const Row b = rows_[i + kHalf];
      const Row upper = __builtin_shufflevector(a, b, ((lane & kHalf) != 0 ? kSide + lane - kHalf : lane)...);
      const Row lower = __builtin_shufflevector(a, b, ((lane & kHalf) != 0 ? kSide + lane : lane + kHalf)...);
      rows_[i] = upper;
      rows_[i + kHalf] = lower;
    }
    if constexpr (kHalf > 1) exchange<kHalf / 2>(lanes);
  }

  Row rows_[kSide];
};

/// Rows of one become columns of the other, square by square: as many as fill a cache line on the written
/// side, then along memory on the read side.
template <typename Bits, bool kStream>
void transpose(word<Bits>* to, std::int64_t to_row, const word<Bits>* from, std::int64_t from_element,
               std::int64_t length, std::int64_t rows) {
  constexpr std::int64_t kSide = Square<Bits>::kSide;
  constexpr std::int64_t kLine = kCacheLine / sizeof(Bits);
  for (std::int64_t line = 0; line < length; line += kLine) {
    const std::int64_t line_end = length - line < kLine ? length : line + kLine;
    for (std::int64_t r = 0; r < rows; r += kSide) {
      const std::int64_t height = rows - r < kSide ? rows - r : kSide;
      for (std::int64_t i = line; i < line_end; i += kSide) {
        const std::int64_t width = line_end - i < kSide ? line_end - i : kSide;
        const word<Bits>* x = from + i * from_element + r;
        word<Bits>* y = to + r * to_row + i;
        if (width == kSide && height == kSide) {
          Square<Bits> square;
          square.load(x, from_element);
          square.transpose();
          square.template store<kStream>(y, to_row);
        } else {
          for (std::int64_t b = 0; b < height; ++b) {
            for (std::int64_t a = 0; a < width; ++a) y[b * to_row + a] = x[a * from_element + b];
          }
        }
      }
    }
  }
}

template <typename Bits>
void copy_strided(word<Bits>* to, std::int64_t to_element, std::int64_t to_row, const word<Bits>* from,
                  std::int64_t from_element, std::int64_t from_row, std::int64_t length, std::int64_t rows) {
  for (std::int64_t r = 0; r < rows; ++r) {
    word<Bits>* y = to + r * to_row;
    const word<Bits>* x = from + r * from_row;
    LECTERN_INDEPENDENT
    for (std::int64_t i = 0; i < length; ++i) y[i * to_element] = x[i * from_element];
  }
}

template <typename Bits>
void copy_plane(const Plane& to, const ConstPlane& from, std::int64_t length, std::int64_t rows) {
  constexpr std::int64_t kSize = sizeof(Bits);
  auto* y = reinterpret_cast<word<Bits>*>(to.data);
  const auto* x = reinterpret_cast<const word<Bits>*>(from.data);
  const std::int64_t y_element = to.element / kSize;
  const std::int64_t y_row = to.row / kSize;
  const std::int64_t x_element = from.element / kSize;
  const std::int64_t x_row = from.row / kSize;
  if (length <= 8 && y_element == 1 && x_element == 1) {
    copy_short_rows<Bits>(y, y_row, x, x_row, length, rows);
  } else if (length <= kShortRow && rows > length) {
    copy_strided<Bits>(y, y_row, y_element, x, x_row, x_element, rows, length);
  } else if (y_element == 1 && x_element == 1) {
    copy_rows<Bits>(y, y_row, x, x_row, length, rows);
  } else if (y_element == 1 && x_element == 0) {
    fill_rows<Bits>(y, y_row, x, x_row, length, rows);
  } else if (y_element == 1 && x_row == 1 && rows > 1) {
    transpose<Bits, false>(y, y_row, x, x_element, length, rows);
  } else if (y_row == 1 && x_element == 1 && rows > 1) {
    transpose<Bits, false>(y, y_element, x, x_row, rows, length);
  } else if (y_element == 1 && x_element == 2) {
    halve_rows<Bits>(y, y_row, x, x_row, length, rows);
  } else {
    copy_strided<Bits>(y, y_element, y_row, x, x_element, x_row, length, rows);
  }
}

void stream_row(std::byte* to, const std::byte* from, std::int64_t bytes) {
  const std::int64_t head = elements_before_line<1>(to, bytes);
  __builtin_memcpy(to, from, static_cast<std::size_t>(head));
  std::int64_t done = head;
  for (; done + kCacheLine <= bytes; done += kCacheLine) stream_bytes<kCacheLine>(to + done, from + done);
  __builtin_memcpy(to + done, from + done, static_cast<std::size_t>(bytes - done));
}

template <typename Bits>
void stream_plane(const Plane& to, const ConstPlane& from, std::int64_t length, std::int64_t rows) {
  constexpr std::int64_t kSize = sizeof(Bits);
  const bool whole_lines =
      reinterpret_cast<std::uintptr_t>(to.data) % kCacheLine == 0 && to.row % kCacheLine == 0;
  if (to.element == kSize && from.element == kSize) {
    for (std::int64_t r = 0; r < rows; ++r)
      stream_row(to.data + r * to.row, from.data + r * from.row, length * kSize);
  } else if (to.element == kSize && from.row == kSize && rows > 1 && whole_lines) {
    transpose<Bits, true>(reinterpret_cast<word<Bits>*>(to.data), to.row / kSize,
                          reinterpret_cast<const word<Bits>*>(from.data), from.element / kSize, length, rows);
  } else {
    copy_plane<Bits>(to, from, length, rows);
  }
}

}  // namespace

constinit const PlaneKernels plane_kernels = {
    {copy_plane<std::uint8_t>, copy_plane<std::uint16_t>, copy_plane<std::uint32_t>,
     copy_plane<std::uint64_t>},
    {stream_plane<std::uint8_t>, stream_plane<std::uint16_t>, stream_plane<std::uint32_t>,
     stream_plane<std::uint64_t>},
};

}  // namespace lectern::kernels::cpu::LECTERN_ISA
