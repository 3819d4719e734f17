// Lecture 2, where random numbers come from.

#include <cstdlib>
#include <random>

#include "parts.h"

void generator_per_use() {
  text("### A generator for each use");
  text("One seed makes a program repeatable, not its parts independent. Say one generator draws examples:");
  Generator shared = Generator().manual_seed(7);
  const Tensor examples = randint(100, {4}, {}, &shared);  // @inspect examples
  text("Now dropout is switched on and draws from the same generator. The later examples change with it:");
  shared.manual_seed(7);
  const Tensor dropped = rand({1}, {}, &shared) < 0.1;
  const Tensor other_examples = randint(100, {4}, {}, &shared);  // @inspect other_examples
  assert(!other_examples.equal(examples));
  text("So each use gets a generator of its own: one varies the initialisation while the data stay.");
  Generator for_data = Generator().manual_seed(7), for_dropout = Generator().manual_seed(8);
  const Tensor also_dropped = rand({1}, {}, &for_dropout) < 0.1;
  const Tensor same_examples = randint(100, {4}, {}, &for_data);  // @inspect same_examples
  assert(same_examples.equal(examples));
  text(R"(
    Two more things differ between runs even so: sums whose order depends on the number of threads and, on a
    GPU, additions in the order in which threads happen to come. Both change last digits.)");
}

// A forward and a backward pass of attention.  @stepover
void attend(const Tensor& x) {
  const Tensor wanted = x.detach().requires_grad_();
  scaled_dot_product_attention(wanted, wanted, wanted, {.is_causal = true}).sum().backward();
}

void price_of_determinism() {
  text("### What determinism costs");
  text(R"(
    A mode asks for results that are the same bits each time. In PyTorch it takes another algorithm where an operation
    has two, often a slower one, and refuses operations that have none. Our operations have one each, which is
    deterministic: what several threads add to one number is sorted first. The gradient of long attention on a GPU has
    two. So three things change.)");
  text("**Memory that nobody wrote** is filled with NaN, so that a program which reads it fails alike each time:");
  const Device device = cuda::is_available() ? Device("cuda") : cpu;
  Generator generator = Generator(device).manual_seed(0);
  const Tensor x = randn({1, 8, 512, 64}, {.dtype = bfloat16, .device = device}, &generator);
  const auto make = [&] { (void)empty({4, 1024, 1024}, {.device = device}); };
  const double plain_empty = measure_seconds(make);                    // @stepover
  const double plain_attention = measure_seconds([&] { attend(x); });  // @stepover
  use_deterministic_algorithms(true);
  const Tensor unwritten = empty({4}, {.device = device});  // @inspect unwritten
  assert(unwritten.isnan().all().item<bool>());
  text("**Operations that add in any order** are errors, if they say that they do, by this call:");
  const std::string refusal = error_of([] { alert_not_deterministic("sum_by_atomics"); });  // @inspect refusal
  assert(refusal.starts_with("sum_by_atomics: it has no deterministic form"));
  text(R"(
    **Libraries that promise too little** are not called: on a GPU attention is our own kernel then, not cuDNN's. On a
    CPU it is the same algorithm either way, whose intermediate results are filled, too. The price:)");
  const double filled_empty = measure_seconds(make);                 // @stepover
  const double own_attention = measure_seconds([&] { attend(x); });  // @stepover
  use_deterministic_algorithms(false);
  const auto microseconds = [](double seconds) { return fmt::format("{:.1f} µs", 1e6 * seconds); };  // @stepover
  table({"Time", "Any algorithms", "Deterministic ones"},
        {{"`empty`, 17 MB", microseconds(plain_empty), microseconds(filled_empty)},
         {"attention and its gradients", microseconds(plain_attention), microseconds(own_attention)}});  // @volatile
  text(R"(
    A run that is made once gains little by it. Whoever looks for a mistake gains a day, since two runs that should be
    equal can be compared with `==`.)");
}

void randomness() {
  text("## Randomness");
  text(R"(
    Parameters begin with random numbers; data come in random order; dropout and sampling draw more. If a
    result is to be looked at twice, and a mistake to be found, these have to be the same numbers each time.
    So every source of them is given a seed.)");
  text(R"(
    In Python there are three places to do that: PyTorch, NumPy, and the module `random`. Forgetting one is a
    classic. Which are they in a C++ program?)");
  text("**The generators of the tensors**, one for each device:");
  const int seed = 0;
  manual_seed(seed);
  text(R"(
    **Engines of the standard library.** There is none of which everybody draws; each is an object that
    somebody made, and that begins at a fixed number when it is given no seed.)");
  std::mt19937 engine(seed);
  text("**C's `rand`**, one for the whole program. Better not to use it. But a library may:");
  std::srand(seed);
  text("`std::random_device` is no fourth: nobody can repeat its numbers. At most it chooses a seed.");
  text("What is guaranteed? What *engines* give, bit for bit: the 10,000th number of an `mt19937`, say.");
  std::mt19937 standard;
  standard.discard(9999);
  assert(standard() == 4123659995);
  text("PyTorch's generator on the CPU is the same algorithm, and so is ours:");
  Generator ours = Generator().manual_seed(5489);
  std::mt19937 theirs(5489);
  assert(ours.random() == theirs());
  callout(Callout::warning, R"(
    The *distributions* of the standard library are not fixed. `std::normal_distribution` makes other numbers
    of the same engine with another compiler's library. That is why tensors here have generators and
    distributions of their own, which are PyTorch's.)",
          "Only half of it is portable");
  generator_per_use();
  price_of_determinism();
  manual_seed(seed);
  text(R"(
    From here on, what is drawn without a generator of its own is what PyTorch draws after
    `torch.manual_seed(0)`, on the CPU, to the bit. That lets us compare.)");
}
