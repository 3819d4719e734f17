// Lecture 2, dimensions with names.

#include "parts.h"

void einops_motivation() {
  text("How similar is each position of `x` to each of `y`? A product with the transpose, per example:");
  const Tensor x = ones({2, 2, 3});                // batch, sequence, hidden @inspect x
  const Tensor y = ones({2, 2, 3});                // batch, sequence, hidden @inspect y
  const Tensor z = x.matmul(y.transpose(-2, -1));  // @inspect z
  assert(z.equal(full({2, 2, 2}, 3.)));
  text(R"(
    What are −2 and −1? One has to know what `y` holds and to count from the end. Had the wrong two been
    exchanged, the shapes could still have fit: batch and sequence are both 2 here.)");
  const Tensor wrong = y.transpose(0, 1);  // batch and sequence exchanged
  assert(wrong.shape() == y.shape());
}

void annotated_types() {
  text("### Names in the type");
  text("The first remedy is to write the names down. A comment does that, until it is no longer true:");
  Tensor x = ones({2, 2, 1, 3});  // batch seq heads hidden @inspect x
  text(R"(
    Better is a type that says the same, and holds the tensor to it. Python has jaxtyping for that; here the
    names are an argument of a template.)"),
      link(works::jaxtyping);
  const Float<"batch seq heads hidden"> annotated = ones({2, 2, 1, 3});  // @inspect annotated
  x = annotated;                                                         // @inspect x
  assert(annotated.size(2) == 1);
  text("In Python that is documentation unless a checker reads it. Ours refuses a tensor that is not so:");
  // @stepover @inspect refusal
  const std::string refusal = error_of([&] { const Float<"batch seq hidden"> other = x; });
  assert(!refusal.empty());
}

void einops_einsum() {
  text("### einsum: products");
  text("`einsum` is a matrix product that keeps its books: dimensions of operands and result have names.");
  const Float<"batch seq1 hidden"> x = ones({2, 3, 4});  // @inspect x
  const Float<"batch seq2 hidden"> y = ones({2, 3, 4});  // @inspect y
  text("As before:");
  Tensor z = x.matmul(y.transpose(-2, -1));  // batch seq1 seq2 @inspect z
  assert(z.equal(full({2, 3, 3}, 4.)));
  text(R"(
    And with names. What stands on the left only, `hidden`, is summed; what stands in both operands and on the
    right, `batch`, goes along.)");
  z = einsum(x, y, "batch seq1 hidden, batch seq2 hidden -> batch seq1 seq2");  // @inspect z
  assert(z.equal(full({2, 3, 3}, 4.)));
  text("`...` stands for any number of dimensions, so a function works whatever comes before its own:");
  z = einsum(x, y, "... seq1 hidden, ... seq2 hidden -> ... seq1 seq2");  // @inspect z
  assert(z.equal(full({2, 3, 3}, 4.)));
  text(R"(
    The notation costs nothing. It is computed by the same products, and with more than two operands in the
    order that needs the fewest multiplications. Take a vector through two matrices:)");
  const Tensor v = ones({1, 512}), a = ones({512, 512}), b = ones({512, 512});
  const CountScope by_names;
  const Tensor through = einsum(v, a, b, "one i, i j, j k -> one k");
  const int64_t in_good_order = by_names.counted().flops;  // @inspect in_good_order
  const CountScope by_hand;
  const Tensor same = v.matmul(a.matmul(b));
  const int64_t in_bad_order = by_hand.counted().flops;  // @inspect in_bad_order
  assert(through.equal(same));
  assert(in_good_order == 2 * (2 * 512 * 512));
  assert(in_bad_order == 2LL * 512 * 512 * 512 + 2 * 512 * 512);
}

void einops_reduce() {
  text("### reduce: sums and means");
  text("`reduce` drops the dimensions that are missing on the right.");
  const Float<"batch seq hidden"> x = ones({2, 3, 4});  // @inspect x
  text("As before:");
  Tensor y = x.mean({-1});  // @inspect y
  assert(y.equal(ones({2, 3})));
  text("And with names:");
  y = reduce(x, "... hidden -> ...", "mean");
  assert(y.equal(ones({2, 3})));
  text("By another name it is another reduction; a sum of four ones is 4.");
  y = reduce(x, "... hidden -> ...", "sum");  // @inspect y
  assert(y.equal(full({2, 3}, 4.)));
}

void einops_rearrange() {
  text("### rearrange: one dimension that is two");
  text(R"(
    Often one dimension stands for two, and an operation is to work on one of them. The heads of attention lie
    side by side like that in one vector:)");
  Float<"batch seq total_hidden"> x = ones({2, 3, 8});  // @inspect x
  text("`total_hidden` is heads × hidden1, flattened. Each head shall be multiplied with a matrix:");
  const Float<"hidden1 hidden2"> w = ones({4, 4});
  text("Take it apart. One of the two sizes has to be given, the other follows.");
  Tensor heads = rearrange(x, "... (heads hidden1) -> ... heads hidden1", {{"heads", 2}});  // @inspect heads
  assert(heads.shape() == Sizes({2, 3, 2, 4}));
  assert(heads.storage().data_ptr() == x.storage().data_ptr());  // a view @volatile
  text("Transform every head:");
  heads = einsum(heads, w, "... hidden1, hidden1 hidden2 -> ... hidden2");  // @inspect heads
  text("And put it together again:");
  x = rearrange(heads, "... heads hidden2 -> ... (heads hidden2)");  // @inspect x
  assert(x.equal(full({2, 3, 8}, 4.)));
  text("What cannot be is refused by its name:");
  const auto into_thirds = [&] { rearrange(x, "... (heads hidden) -> ... heads hidden", {{"heads", 3}}); };
  const std::string refusal = error_of(into_thirds);  // @stepover @inspect refusal
  assert(!refusal.empty());
}

void tensor_einops() {
  text("## Dimensions with names");
  text(R"(
    Shapes are where most mistakes of this trade are made. A dimension has a meaning, such as batch, position,
    or head; the code has a number for it. **einops** writes the names into the operations. It is a notation
    of Einstein's, made usable for tensors, and we have it, too.)"),
      link(works::einops_notation);
  einops_motivation();
  annotated_types();
  einops_einsum();
  einops_reduce();
  einops_rearrange();
}
