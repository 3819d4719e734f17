#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/cpu/conversions.h"
#include "kernels/cpu/element_blocks.h"
#include "kernels/cpu/gradient_blocks.h"
#include "kernels/cpu/planes.h"
#include "kernels/cpu/streaming.h"
#include "kernels/other_isas.h"

// What each instruction set computes is the same, bit by bit, also at lengths that leave a rest after the
// last whole vector.

namespace lectern::kernels::cpu {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::int64_t kElements = 1000;

/// Half of the numbers are any bits, the others of a size at which operations do not overflow.
template <typename T>
Bytes any_bits(unsigned seed) {
  std::mt19937_64 engine(seed);
  std::vector<T> made;
  for (std::int64_t i = 0; i < kElements; ++i) {
    const std::uint64_t drawn = engine();
    T number;
    std::memcpy(&number, &drawn, sizeof number);
    if (i % 2 == 0) number = static_cast<T>(static_cast<int>(drawn % 2001) - 1000) / static_cast<T>(8);
    made.push_back(number);
  }
  const auto* begin = reinterpret_cast<const std::byte*>(made.data());
  return {begin, begin + made.size() * sizeof(T)};
}

Bytes any_bits(std::size_t compute_type, unsigned seed) {
  return compute_type == 0   ? any_bits<float>(seed)
         : compute_type == 1 ? any_bits<double>(seed)
                             : any_bits<std::int64_t>(seed);
}

/// NaNs may differ in their signs and payloads, which instructions choose; so they are made one.
void unify_nans(Bytes& bytes, std::size_t compute_type) {
  const auto unify = [&](auto tag) {
    using T = decltype(tag);
    for (std::size_t i = 0; i + sizeof(T) <= bytes.size(); i += sizeof(T)) {
      T number;
      std::memcpy(&number, &bytes[i], sizeof number);
      if (number == number) continue;
      number = std::numeric_limits<T>::quiet_NaN();
      std::memcpy(&bytes[i], &number, sizeof number);
    }
  };
  if (compute_type == 0) unify(0.0F);
  if (compute_type == 1) unify(0.0);
}

constexpr const char* kNames[] = {"portable", "v3", "v4"};

/// Where results are written and how: from a line of the cache on, and from some way behind one.
struct Target {
  void* at;
  Access access;
};

/// Calls compute(the Isa, target) for all instruction sets, results that are streamed and that are not,
/// and compares.
template <typename Compute>
void expect_same(std::size_t compute_type, Compute compute) {
  const auto computed = [&](Isa isa, Access access, std::size_t offset) {
    alignas(kCacheLine) static std::byte room[kElements * 8 + kCacheLine];
    std::memset(room, 0, sizeof room);
    compute(isa, Target{room + offset, access});
    finish_streaming();
    Bytes got(room + offset, room + offset + kElements * 8);
    unify_nans(got, compute_type);
    return got;
  };
  const Bytes expected = computed(Isa::portable, Access::cached, 0);
  for (const Isa isa : all_isas()) {
    SCOPED_TRACE(kNames[static_cast<int>(isa)]);
    for (const Access access : {Access::cached, Access::prefetched, Access::streamed}) {
      for (const std::size_t offset : {0U, 8U, 40U}) {
        ASSERT_EQ(computed(isa, access, offset), expected)
            << "access " << static_cast<int>(access) << " at " << offset;
      }
    }
  }
}

TEST(InstructionSets, ElementBlocksAgree) {
  LECTERN_SKIP_WITHOUT_OTHER_ISAS();
  constexpr std::size_t kNotReal = 99;  // results whose bits are compared as they are
  for (std::size_t type = 0; type < kComputeTypes; ++type) {
    const Bytes a = any_bits(type, 1), b = any_bits(type, 2), c = any_bits(type, 3);
    const void* const in[] = {a.data(), b.data(), c.data()};
    for (std::size_t i = 0; i < kUnaryOperations; ++i) {
      SCOPED_TRACE("unary " + std::to_string(i) + " of type " + std::to_string(type));
      if (element_blocks().unary[i][type] == nullptr) continue;
      expect_same(kIsUnaryPredicate[i] ? kNotReal : type, [&](Isa isa, const Target& out) {
        element_blocks(isa).unary[i][type](out.at, out.access, in, kElements - 1);
      });
    }
    for (std::size_t i = 0; i < kBinaryOperations; ++i) {
      SCOPED_TRACE("binary " + std::to_string(i) + " of type " + std::to_string(type));
      if (element_blocks().binary[i][type].each == nullptr) continue;
      for (const int form : {0, 1, 2}) {
        expect_same(kIsBinaryPredicate[i] ? kNotReal : type, [&](Isa isa, const Target& out) {
          const BinaryBlocks& blocks = element_blocks(isa).binary[i][type];
          (form < 2 ? blocks.repeats[form] : blocks.each)(out.at, out.access, in, kElements - 1);
        });
      }
    }
    for (std::size_t i = 0; i < kTernaryOperations; ++i) {
      SCOPED_TRACE("ternary " + std::to_string(i) + " of type " + std::to_string(type));
      if (element_blocks().ternary[i][type] == nullptr) continue;
      expect_same(type, [&](Isa isa, const Target& out) {
        element_blocks(isa).ternary[i][type](out.at, out.access, in, kElements - 1);
      });
    }
  }
}

TEST(InstructionSets, GradientsAgree) {
  LECTERN_SKIP_WITHOUT_OTHER_ISAS();
  for (std::size_t type = 0; type < 2; ++type) {
    const Bytes g = any_bits(type, 1), a = any_bits(type, 2), b = any_bits(type, 3);
    const auto expect_block_same = [&](auto block_of) {
      expect_same(type, [&](Isa isa, const Target& out) {
        const void* const in[] = {g.data(), a.data(), b.data()};
        const ElementBlock block = block_of(gradient_blocks(isa));
        if (block != nullptr) block(out.at, out.access, in, kElements - 1);
      });
    };
    for (std::size_t i = 0; i < kUnaryOperations; ++i) {
      SCOPED_TRACE("unary " + std::to_string(i) + " of type " + std::to_string(type));
      expect_block_same([&](const GradientBlocks& blocks) { return blocks.unary[i][type]; });
    }
    for (std::size_t i = 0; i < kBinaryOperations; ++i) {
      SCOPED_TRACE("binary " + std::to_string(i) + " of type " + std::to_string(type));
      for (const std::size_t side : {0U, 1U}) {
        expect_block_same([&](const GradientBlocks& blocks) { return blocks.binary[i][side][type]; });
      }
    }
  }
}

TEST(InstructionSets, ConversionsAgree) {
  LECTERN_SKIP_WITHOUT_OTHER_ISAS();
  for (int from = 0; from < kDtypes; ++from) {
    const auto source = static_cast<Dtype>(from);
    Bytes in = any_bits(1, 3);
    if (source != float64) {  // the numbers above as this dtype, so that none is out of the range of integers
      Bytes converted(kElements * 8);
      for (std::size_t i = 0; i < in.size(); i += 16) std::memset(&in[i + 8], 0, 8);
      conversions(Isa::portable)(float64, source)(converted.data(), in.data(), kElements);
      in = converted;
    } else {
      for (std::size_t i = 0; i < in.size(); i += 16) std::memset(&in[i + 8], 0, 8);
    }
    for (int to = 0; to < kDtypes; ++to) {
      const auto target = static_cast<Dtype>(to);
      if (source == target) continue;
      SCOPED_TRACE(std::to_string(from) + " to " + std::to_string(to));
      expect_same(target == float32   ? 0
                  : target == float64 ? 1
                                      : 99,
                  [&](Isa isa, const Target& out) {
                    conversions(isa)(source, target)(out.at, in.data(), kElements - 1);
                  });
    }
  }
}

struct Layout {
  std::int64_t to_element, to_row, from_element, from_row;  ///< in elements
};

TEST(InstructionSets, PlanesAreCopied) {
  for (const Isa isa : all_isas()) {
    for (const std::int64_t size : {1, 2, 4, 8}) {
      const auto bytes = static_cast<std::size_t>(70 * 128 * size + 64);
      Bytes from(bytes * 2);
      std::mt19937 engine(1);
      for (std::byte& byte : from) byte = static_cast<std::byte>(engine());
      for (const std::int64_t length : {1, 3, 16, 33, 70}) {
        for (const std::int64_t rows : {1, 16, 37}) {
          for (const Layout& layout : {Layout{1, length, 1, 128}, Layout{1, 128, 0, 1}, Layout{1, 128, 0, 0},
                                       Layout{1, 128, 128, 1}, Layout{128, 1, 1, 128}, Layout{1, 128, 2, 200},
                                       Layout{3, 210, 2, 150}, Layout{1, 70, 75, 1}}) {
            SCOPED_TRACE(std::string(kNames[static_cast<int>(isa)]) + ", size " + std::to_string(size) +
                         ", " + std::to_string(length) + " times " + std::to_string(rows) + " by steps of " +
                         std::to_string(layout.from_element));
            for (const bool stream : {false, true}) {
              Bytes to(bytes), expected(bytes);
              // Whole lines of the cache can be written where planes are aligned, and a little further not.
              auto* aligned =
                  reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(to.data()) + 63) / 64 * 64);
              const PlaneKernels& kernels = plane_kernels(isa);
              const PlaneCopy copy = stream ? kernels.stream_kernel(size) : kernels.copy_kernel(size);
              copy({aligned, layout.to_element * size, layout.to_row * size},
                   {from.data(), layout.from_element * size, layout.from_row * size}, length, rows);
              finish_streaming();
              auto* wanted = expected.data() + (aligned - to.data());
              for (std::int64_t r = 0; r < rows; ++r) {
                for (std::int64_t i = 0; i < length; ++i) {
                  std::memcpy(wanted + (i * layout.to_element + r * layout.to_row) * size,
                              from.data() + (i * layout.from_element + r * layout.from_row) * size,
                              static_cast<std::size_t>(size));
                }
              }
              ASSERT_EQ(to, expected);
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace lectern::kernels::cpu
