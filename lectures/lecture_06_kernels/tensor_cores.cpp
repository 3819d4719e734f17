// Lecture 6, the units that multiply small matrices.

#include "figures.h"
#include "parts.h"

namespace {

constexpr int kRows = 16, kInner = 16, kColumns = 8;  // of mma.m16n8k16

// Where an element of a matrix is.
struct Element {
  int row, column;
};

// The elements that a lane holds, by number: with g = lane / 4 and t = lane % 4, pairs of neighbours.  @stepover
Element place_in_a(int lane, int i) {
  return {lane / 4 + 8 * (i / 2 % 2), 2 * (lane % 4) + i % 2 + 8 * (i / 4)};
}
// @stepover
Element place_in_b(int lane, int i) {
  return {2 * (lane % 4) + i % 2 + 8 * (i / 2), lane / 4};
}
// @stepover
Element place_in_c(int lane, int i) {
  return {lane / 4 + 8 * (i / 2), 2 * (lane % 4) + i % 2};
}

// Gives each lane its elements of a matrix.  @stepover
std::vector<std::vector<float>> dealt(const Tensor& matrix, int each, Element (*place)(int, int)) {
  std::vector<std::vector<float>> lanes(32);
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < each; ++i) {
      const Element at = place(lane, i);
      lanes[lane].push_back(matrix[at.row][at.column].item());
    }
  }
  return lanes;
}

// The matrix that lanes hold; an element that none of them holds is NaN.  @stepover
Tensor collected(const std::vector<std::vector<float>>& lanes, int rows, int columns, Element (*place)(int, int)) {
  Tensor matrix = full({rows, columns}, std::nan(""));
  for (int lane = 0; lane < 32; ++lane) {
    for (std::size_t i = 0; i < lanes[lane].size(); ++i) {
      const Element at = place(lane, static_cast<int>(i));
      matrix[at.row][at.column] = lanes[lane][i];
    }
  }
  return matrix;
}

}  // namespace

void tensor_cores() {
  text("### Tensor cores");
  text(R"(
    One floor remains: the instruction. A fused multiply-add of a warp does 32 multiplications and 32 additions. A *tensor
    core* takes two small matrices from the registers of a whole warp and multiplies them with one instruction,
    `mma.m16n8k16`: 16 × 16 by 16 × 8 numbers of 16 bits, sums in float32.)"),
      link(works::parallel_thread_execution);
  const int by_mma = 2 * kRows * kColumns * kInner;  // @inspect by_mma
  const int by_fma = 2 * 32;                         // @inspect by_fma
  assert(by_mma == 4096 && by_mma == 64 * by_fma);
  text(R"(
    4,096 operations instead of 64. It does not run 64 times as fast, but by the data sheet of an H100 the rate of such
    products is)");
  const Hardware h100 = *find_product("H100 SXM");
  const double gain = h100.bits16 / h100.float32;  // @inspect gain
  assert(gain > 14.7 && gain < 14.8);
  text(R"(
    times that of float32. (All of it is reached only by Hopper's `wgmma`, by which four warps multiply together and take
    operands from shared memory; `mma` stays well below.) The price of `mma` is a layout. Its matrices lie in no memory:
    each of the 32 lanes holds a few of its elements, and the instruction prescribes which. Of a and b, 8 and 4 elements, of the result
    4. Together they must be all, each once:)"),
      link(place_in_a), link(place_in_b), link(place_in_c);
  assert(32 * 8 == kRows * kInner && 32 * 4 == kInner * kColumns && 32 * 4 == kRows * kColumns);
  const Tensor a = arange(0, kRows * kInner).view({kRows, kInner}).to(float32);
  const Tensor b = arange(0, kInner * kColumns).view({kInner, kColumns}).to(float32);
  const auto lanes_of_a = dealt(a, 8, place_in_a);                       // @stepover
  const auto lanes_of_b = dealt(b, 4, place_in_b);                       // @stepover
  const std::vector<float> lane_5 = lanes_of_a[5];                       // @inspect lane_5
  assert(lane_5[0] == 1 * 16 + 2);                                       // g = 1, t = 1: row 1, column 2
  assert(collected(lanes_of_a, kRows, kInner, place_in_a).equal(a));     // @stepover
  assert(collected(lanes_of_b, kInner, kColumns, place_in_b).equal(b));  // @stepover
  std::vector<std::vector<int>> lane_of_each(kRows, std::vector<int>(kColumns));
  for (int lane = 0; lane < 32; ++lane) {  // @stepover
    for (int i = 0; i < 4; ++i) {
      const Element held = place_in_c(lane, i);
      lane_of_each[held.row][held.column] = lane;
    }
  }
  image(lanes_of_result(lane_of_each),
        {.alt = "The 16 by 8 matrix of the result. Each cell has the number of the lane that "
                "holds it: 0 0 1 1 2 2 3 3 in the first row, 4 4 5 5 6 6 7 7 in the second; "
                "from the ninth row on the numbers begin again.",
         .caption = "Which lane holds what of a result of 16 × 8."});
  text(R"(
    The layout of the result has a purpose that attention will use. Two results side by side have just the form of a left
    operand: what one product gives can go into the next without leaving the registers. For the first eight columns:)");
  bool same = true;
  for (int lane = 0; lane < 32; ++lane) {  // @stepover
    for (int i = 0; i < 4; ++i) {
      const Element c = place_in_c(lane, i), left = place_in_a(lane, i);
      same = same && c.row == left.row && c.column == left.column;
    }
  }
  assert(same);
  exercise(
      R"(
    How many instructions `mma.m16n8k16` does a tile of 128 × 256 with 64 of the inner dimension take, and how many for
    each of eight warps?)",
      R"($\frac{128}{16} \cdot \frac{256}{8} \cdot \frac{64}{16} = 8 \cdot 32 \cdot 4 = 1{,}024$; 128 for each warp.)");
  assert((128 / kRows) * (256 / kColumns) * (64 / kInner) == 1024);
}
