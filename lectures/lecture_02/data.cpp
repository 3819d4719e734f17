// Lecture 2, where batches come from.

#include <fstream>
#include <memory>

#include "../shared/scratch_folder.h"
#include "figures.h"
#include "parts.h"

// Writes numbers one after the other, without anything else.
void write_raw(const std::filesystem::path& file, const std::vector<std::int32_t>& numbers) {
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<const char*>(numbers.data()),
            static_cast<std::streamsize>(numbers.size() * sizeof(std::int32_t)));
}

void mapped_files(const ScratchFolder& folder) {
  const std::vector<std::int32_t> orig_data = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  write_raw(folder / "data.bin", orig_data);  // @stepover
  text(R"(
    The file may be far larger than memory; the tokens that LLaMA was trained on take 2.8 TB. So one does not
    read it. One *maps* it: the file becomes a part of the address space, and the system fetches a page of it
    when somebody looks there. NumPy calls that a memmap.)");
  const ArrayFile file(folder / "data.bin", "int32");
  const Tensor data = file.tensor();  // @inspect data
  assert(data.equal(tensor(orig_data)));
  text("A gibibyte that nobody reads costs nothing. This file is all holes, which the tensor cannot know:");
  std::ofstream(folder / "large.bin").close();
  std::filesystem::resize_file(folder / "large.bin", 1 << 30);
  const int64_t before = memory_allocated();
  const Tensor large = ArrayFile(folder / "large.bin", "int32").tensor();
  assert(large.numel() == 268'435'456);
  const int64_t taken = memory_allocated() - before;  // @inspect taken
  assert(taken == 0);
}

void npy_trap(const ScratchFolder& folder) {
  text("### A name is not a format");
  text("`.npy` is NumPy's format for an array: a header that says type and shape, then the numbers.");
  save_npy(arange(1, 11, 1, {.dtype = int32}), folder / "array.npy");
  const ArrayFile array(folder / "array.npy");  // no dtype is needed
  assert(array.tensor().numel() == 10);
  const auto raw_bytes = std::filesystem::file_size(folder / "data.bin");   // @inspect raw_bytes
  const auto npy_bytes = std::filesystem::file_size(folder / "array.npy");  // @inspect npy_bytes
  assert(raw_bytes == 10 * 4);
  assert(npy_bytes == 128 + 10 * 4);
  text(R"(
    NumPy's `tofile` writes the numbers alone, whatever the file is called. Call it `data.npy`, and two
    mistakes lie ahead. Who *loads* it finds no header, and fails, which is the lucky case:)");
  std::filesystem::copy_file(folder / "data.bin", folder / "data.npy");
  const std::string refusal = error_of([&] { ArrayFile(folder / "data.npy"); });  // @stepover
  assert(!refusal.empty());
  text("Who *maps* a true `.npy` file gets its header, too, as 32 tokens that nobody wrote. Nothing fails:");
  std::ifstream in(folder / "array.npy", std::ios::binary);
  std::int32_t first_token = 0;
  in.read(reinterpret_cast<char*>(&first_token), sizeof first_token);  // @inspect first_token
  assert(first_token == 0x4D554E93);                                   // "\x93NUM"
}

// Sequences of L numbers that begin anywhere in the data.
Tensor draw_batch(const Tensor& data, int64_t B, int64_t L, Device device) {
  const Tensor start_indices = randint(data.size(0) - L, {B});  // @inspect start_indices
  assert(start_indices.shape() == Sizes({B}));
  std::vector<Tensor> sequences;
  for (const Tensor start : start_indices) {
    sequences.push_back(data.slice(0, start.item(), start.item() + L));
  }
  Tensor x = stack(sequences);
  if (device != cpu) x = x.pin_memory().to(device, /*non_blocking=*/true);
  return x;
}

void batches() {
  text("### Batches");
  text(R"(
    A batch is some sequences of the data that begin at random places. The numbers of B places are drawn, and
    as many pieces of L tokens are put on top of each other:)");
  const Tensor data = arange(1, 11, 1, {.dtype = int32});
  const int B = 2;  // batch size
  const int L = 4;  // length of a sequence
  const Device device = cuda::is_available() ? Device("cuda") : cpu;
  const Tensor x = draw_batch(data, B, L, device);  // @inspect x
  assert(x.shape() == Sizes({B, L}));
  assert(x[0].cpu().equal(tensor({3, 4, 5, 6}, {.dtype = int32})));
  assert(x[1].cpu().equal(tensor({4, 5, 6, 7}, {.dtype = int32})));
  image(windows_of(data, x.cpu()),
        {.alt = "The ten numbers of the data in a row, and below them the two sequences that were drawn, each under "
                "the place from where it comes.",
         .caption = "The data, and the sequences of the batch below where they come from. They may overlap."});
  text(R"(
    If there is a GPU, the batch is put into pinned memory first, so that it is copied there while the program
    goes on. One can then prepare a batch while the one before it is being learned from.)");
}

void targets() {
  text("### And targets");
  text(R"(
    There were {} places to begin at. Ten tokens have seven sequences of four; where is the last one? A
    language model learns to say what comes *next*. For each token of the input the target is the one after
    it, so one more token is needed than the sequence has. Without targets, `n - L` would be one too few.)",
       10 - 4);
  Generator generator = Generator().manual_seed(1);
  const Tokens tokens(arange(1, 11, 1, {.dtype = int32}));
  const TokenBatch batch = get_batch(tokens, 2, 4, &generator);  // @inspect batch.inputs batch.targets
  assert(batch.targets.equal(batch.inputs + 1));                 // as the tokens are 1, 2, 3, …
}

void loader() {
  text("### A loader that goes ahead");
  text(R"(
    In training, a thread makes batches while the model learns from earlier ones. The source has a generator
    of its own, and the loader can say where it stands, not counting what was made ahead and not used:)");
  const Tokens tokens(arange(1, 11, 1, {.dtype = int32}));
  const auto source = [&](std::uint64_t seed) { return std::make_shared<RandomTokenBatches>(tokens, 2, 4, seed); };
  DataLoader loader(source(1));
  const Tensor first = loader.next()[0];  // @inspect first
  const StateDict state = loader.state_dict();
  const Tensor second = loader.next()[0];  // @inspect second
  DataLoader resumed(source(2));
  resumed.load_state_dict(state);
  assert(resumed.next()[0].equal(second));
}

void data_loading() {
  text("## Data");
  text("To a language model, data are a sequence of tokens, integers that lie in a file as plain numbers.");
  const ScratchFolder folder;  // @stepover
  mapped_files(folder);
  npy_trap(folder);
  batches();
  targets();
  loader();
}
