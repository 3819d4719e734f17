// Lecture 2, operations, and which of them cost nothing.

#include "../shared/tensor_storage_calculator.h"
#include "figures.h"
#include "parts.h"

// Whether two tensors look at the same memory.  @stepover
bool same_storage(const Tensor& x, const Tensor& y) {
  return x.storage().data_ptr() == y.storage().data_ptr();
}

void tensor_storage() {
  text("### Storage and strides");
  text(R"(
    A tensor is a pointer to memory that has been allocated, and a description of how to get from indices to
    elements. The numbers themselves lie in one row, the *storage*.)");
  Tensor x = tensor({{0., 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}});  // @inspect x
  image(strides_of(x), {.alt = "A 4 by 4 grid of the numbers 0 to 15 and below it the same 16 numbers in one row. A "
                               "step down in the grid is four steps in the row; a step to the right is one.",
                        .caption = "The grid is what one sees, the row is what is there."});
  text("To go down by one row, skip 4 elements in the storage; to go right by one column, skip 1.");
  assert(x.stride(0) == 4);
  assert(x.stride(1) == 1);
  text("So an element is found by a scalar product of indices and strides:");
  const int r = 1, c = 2;
  const int64_t index = r * x.stride(0) + c * x.stride(1);  // @inspect index
  assert(index == 6);
  assert(x.data<float>()[index] == x[r][c].item());
  // @stepover
  calculator("Where an element lies", strided_storage_inputs(), strided_storage, {strided_storage_presets()});
}

void tensor_slicing() {
  text("### Views");
  Tensor x = tensor({{1., 2, 3}, {4, 5, 6}});  // @inspect x
  text(R"(
    Many operations only look at the same numbers in another way. They give a *view*: a new description over the old
    storage. Nothing is copied, however large the tensor, and a change through one is seen through the other.)");
  text("Row 0:");
  Tensor y = x[0];  // @inspect y
  assert(y.equal(tensor({1., 2, 3})));
  assert(same_storage(x, y));
  text("Column 1, which is `x[:, 1]` in Python:");
  y = x.index({Slice(), 1});  // @inspect y
  assert(y.equal(tensor({2., 5})));
  assert(same_storage(x, y));
  text("The same six numbers as a 3×2 matrix:");
  y = x.view({3, 2});  // @inspect y
  assert(y.equal(tensor({{1., 2}, {3, 4}, {5, 6}})));
  assert(same_storage(x, y));
  text("Transposed:");
  y = x.transpose(1, 0);  // @inspect y
  assert(y.equal(tensor({{1., 4}, {2, 5}, {3, 6}})));
  assert(same_storage(x, y));
  text("A change of `x` shows in `y`:");
  x[0][0] = 100;  // @inspect x y
  assert(y[0][0].item() == 100);
  text(R"(
    Some views can't be walked through memory in order. The transposed matrix has strides 1 and 3: its rows
    are columns of the storage. A further view would need strides that do not exist.)");
  x = tensor({{1., 2, 3}, {4, 5, 6}});  // @inspect x
  y = x.transpose(1, 0);                // @inspect y
  assert(!y.is_contiguous());
  const std::string refusal = error_of([&] { y.view({2, 3}); });  // @stepover @inspect refusal
  assert(!refusal.empty());
  text("One has to copy first, which puts the numbers in order, in a storage of their own:");
  y = x.transpose(1, 0).contiguous().view({2, 3});  // @inspect y
  assert(y.equal(tensor({{1., 4, 2}, {5, 3, 6}})));
  assert(!same_storage(x, y));
  text("`reshape` does it in one call: a view where possible, else a copy. The hidden cost, measured:");
  const Tensor large = empty({1024, 1024});
  const int64_t before = memory_allocated();
  const Tensor seen = large.view({512, 2048});
  const int64_t cost_of_view = memory_allocated() - before;  // @inspect cost_of_view
  assert(cost_of_view == 0);
  const Tensor reshaped = large.t().reshape({512, 2048});
  const int64_t hidden_copy = memory_allocated() - before;  // @inspect hidden_copy
  assert(hidden_copy == 1024 * 1024 * 4);
  text("Views cost nothing; copies cost memory and time.");
}

void tensor_elementwise() {
  text("### Elementwise operations");
  text("These apply a function to every element, and give a new tensor of the same shape.");
  Tensor x = tensor({1., 4, 9});
  assert(x.pow(2).equal(tensor({1., 16, 81})));
  assert(x.sqrt().equal(tensor({1., 2, 3})));
  assert(x.rsqrt().allclose(tensor({1., 1 / 2., 1 / 3.})));  // 1 / sqrt(x)
  assert((x + x).equal(tensor({2., 8, 18})));
  assert((x * 2).equal(tensor({2., 8, 18})));
  assert((x / 0.5).equal(tensor({2., 8, 18})));
  text("`triu` keeps the upper triangle of a matrix:");
  x = ones({3, 3}).triu();  // @inspect x
  assert(x.equal(tensor({{1., 1, 1}, {0, 1, 1}, {0, 0, 1}})));
  text("It makes the mask of causal attention: entry $(i, j)$ is what position $i$ gives to position $j$.");
  text(R"(
    Shapes need not be equal. Sizes are matched from the last dimension on, and a size of 1 is *broadcast*:
    repeated, by a stride of 0, without a copy.)");
  const Tensor row = tensor({10., 20, 30});
  const Tensor sum = x + row;  // @inspect sum
  assert(sum.equal(tensor({{11., 21, 31}, {10, 21, 31}, {10, 20, 31}})));
  const Tensor repeated = row.expand({3, 3});  // @inspect repeated.strides()
  assert(repeated.stride(0) == 0);
  assert(same_storage(row, repeated));
}

void tensor_matmul() {
  text("### Matrix products");
  text("The bread and butter of deep learning is the matrix product.");
  const Tensor x = ones({16, 32});
  const Tensor w = ones({32, 2});
  const Tensor y = x.matmul(w);  // @inspect y.shape()
  assert(y.shape() == Sizes({16, 2}));
  assert(y[0][0].item() == 32);
  text("In a model, everything is done for each example of a batch and for each position of a sequence.");
  image("figures/lecture_02/batch_sequence.svg",
        {.alt = "A block of numbers with three edges: batch, sequence, and hidden. One slice of it, for one example, "
                "is a matrix with a row for each token.",
         .caption = "Activations of a batch: for each example and each token, a vector."});
  const Tensor batch = ones({4, 8, 16, 32});
  const Tensor products = batch.matmul(w);  // @inspect products.shape()
  assert(products.shape() == Sizes({4, 8, 16, 2}));
  text(R"(
    The product goes over the leading dimensions, and multiplies a 16×32 matrix with `w` for each pair of the first
    two. As `w` is the same for all of them, that is one product of a (4·8·16)×32 matrix, which is how it is
    computed.)");
  const int64_t flops = 2LL * (4 * 8 * 16) * 32 * 2;  // @inspect flops
  assert(flops == 65'536);
  text("Each of its 4·8·16·2 results takes 32 multiplications and as many additions.");
}

void tensor_operations() {
  text("## Operations");
  text("Most tensors are made by operations. Each has a price in memory and compute; some cost nothing.");
  tensor_storage();
  tensor_slicing();
  tensor_elementwise();
  tensor_matmul();
}
