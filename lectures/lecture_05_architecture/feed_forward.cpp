// Lecture 5, gated feed-forward networks.

#include "model.h"

void feed_forward() {
  text("## Gated feed-forward networks");
  text(R"(
    After attention each token is processed by itself. GPT-2 takes its $d$ features up to $f = 4d$, applies gelu, and
    takes them down again. A **gated** network has a second matrix up, and multiplies the two results:

    $$\operatorname{FFN}(x) = W_\downarrow \operatorname{gelu}(W_\uparrow x)$$
    $$\operatorname{SwiGLU}(x) = W_\downarrow \left( \operatorname{silu}(W_g x) \odot W_\uparrow x \right)$$

    with $\operatorname{silu}(z) = z\, \sigma(z)$. The gate decides, feature by feature, how much of the other goes
    through.)"),
      link(works::glu_variants), link<FeedForward>();
  text(R"(
    These are three matrices of $d f$ numbers instead of two. To compare at the same size, the hidden layer becomes
    two thirds as wide: $3 d f' = 2 d \cdot 4d$ for $f' = \frac{8}{3} d$. For our width of 48 that is 128 instead of
    192.)");
  const Choices plain = {.biases = false};
  const Choices gated = {.hidden = 128, .biases = false, .gated = true};
  const int64_t of_plain = parameters_of(plain),
                of_gated = parameters_of(gated);  // @stepover @inspect of_plain of_gated
  assert(of_plain == of_gated);
  const int64_t flops_of_plain = forward_flops_of(plain, 1);  // @stepover @inspect flops_of_plain
  const int64_t flops_of_gated = forward_flops_of(gated, 1);  // @stepover @inspect flops_of_gated
  assert(flops_of_gated - flops_of_plain == plain.layers * plain.context * (2 * 128 - 192));
  text(R"(
    The products cost the same, then. Between them silu and the multiplication take $2 f'$ operations, where gelu took
    $f$.)");
  exercise("Llama 2 7B has a width of 4,096 and a hidden layer of 11,008. Where does this number come from?", R"(
    $\frac{8}{3} \cdot 4096 = 10{,}922.7$, rounded up to the next multiple of 256, so that a GPU's products have whole
    tiles: $43 \cdot 256$.)");
  const int64_t hidden = (8 * 4096 / 3 + 255) / 256 * 256;  // @inspect hidden
  assert(hidden == 11'008);
  text(R"(
    What does it buy? In the paper, gated variants of T5 have a slightly lower loss at the same cost. Its author
    offers no explanation why, and attributes it "to divine benevolence". Our model, at the end, is too small to
    tell.)");
}
