// Lecture 2, where a tensor lies.

#include "parts.h"

void pinned_pages() {
  text("### Why pages are pinned");
  text(R"(
    How fast a copy to the GPU is depends on the host's memory, too. The system deals memory out in *pages*, mostly of
    4 KiB, and ordinary ones are *pageable*: when memory runs short, it writes a page to disk and gives its place to
    another program. That is *swapping*. A program never notices. It knows addresses of its own only, and when it
    touches a page that is gone, it is stopped until the page is back, perhaps elsewhere.)");
  text(R"(
    A GPU cannot be stopped like that. Its copy engine reads the host's memory by itself, at the places where the pages
    really lie (*direct memory access*, DMA), while the processor does something else. If a page moved meanwhile, it
    would read what another program wrote. So the driver copies pageable memory first, piece by piece, to a buffer of
    its own that must not move: each byte is copied twice, and the processor is busy with the first copy.)"),
      link(works::cuda_data_transfers);
  text(R"(
    Memory that is *pinned*, or page-locked, has the system's promise to stay where it is. The engine fetches it
    directly, and the program goes on. The price: as long as it is pinned, nobody else can have it, and pinning takes
    longer than allocating. One pins the few buffers through which all batches go, not everything.)");
  exercise("A batch is used once. Is it worth while to pin its memory first, and then to copy it to the GPU?",
           R"(
    Not if memory is allocated and pinned for that batch alone: it must be copied to the pinned buffer by the processor,
    which is just what the driver would have done. It pays when the buffer is used again for each batch, and filled
    while the GPU computes.)");
}

void gpu_transfers() {
  text("### What the road carries");
  const Tensor pageable = zeros({64, 1024, 1024});
  const Tensor pinned = pageable.pin_memory();
  const Tensor there = empty_like(pageable, {.device = "cuda"});
  assert(pinned.is_pinned() && !pageable.is_pinned());
  assert(pageable.nbytes() == 268435456);
  const double gigabytes = static_cast<double>(pageable.nbytes()) / 1e9;
  const double from_pageable = measure_seconds([&] { there.copy_(pageable); });       // @stepover
  const double from_pinned = measure_seconds([&] { there.copy_(pinned); });           // @stepover
  const double to_pinned = measure_seconds([&] { pinned.copy_(there); });             // @stepover
  const double on_the_gpu = measure_seconds([&] { there.clone(); });                  // @stepover
  const auto rate = [&](double seconds) { return std::round(gigabytes / seconds); };  // @stepover
  table({"Copy of 268 MB", "GB/s"}, {{"pageable memory to the GPU", rate(from_pageable)},
                                     {"pinned memory to the GPU", rate(from_pinned)},
                                     {"the GPU to pinned memory", rate(to_pinned)},
                                     {"within the GPU, each byte counted once", rate(on_the_gpu)}});  // @volatile
  text(R"(
    With pageable memory the processor decides. CUDA's driver fills its buffer with one thread; Lectern has buffers of
    its own for tensors as large as this one, and fills them with all threads. They compute nothing meanwhile.)");
  text(R"(
    A copy from pinned memory does not keep the GPU from computing: on a stream of its own it overlaps with a
    product. That is how batches of data arrive while the one before them is being learned from.)");
  const Tensor a = zeros({4096, 4096}, {.device = "cuda"});
  const cuda::Stream copies;
  const auto copy = [&] {
    const cuda::StreamGuard on(copies);
    there.copy_(pinned, /*non_blocking=*/true);
  };
  const auto multiply = [&] { (void)a.matmul(a); };
  const double copying = measure_seconds(copy);          // @stepover
  const double multiplying = measure_seconds(multiply);  // @stepover
  // @stepover
  const double both = measure_seconds([&] {
    copy();
    multiply();
  });
  const auto milliseconds = [](double seconds) { return fmt::format("{:.2f}", 1e3 * seconds); };  // @stepover
  table({"Work", "ms", "GB/s copied"},
        {{"the copy alone", milliseconds(copying), rate(copying)},
         {"a product of 4,096×4,096 alone", milliseconds(multiplying), "–"},
         {"one after the other would be", milliseconds(copying + multiplying), rate(copying + multiplying)},
         {"both at once", milliseconds(both), rate(both)}});  // @volatile
}

void tensors_on_gpus() {
  text("## Where a tensor lies");
  text("Tensors are made in the memory of the CPU, unless one says otherwise.");
  Tensor x = zeros({32, 32});
  assert(x.device() == cpu);
  image("figures/lecture_02/cpu_gpu.svg",
        {.alt = "A CPU with its memory on the left, a GPU with its memory on the right, and between them a narrow bus. "
                "Next to each of the three connections stands how many bytes a second pass.",
         .caption = "Two memories and the road between them. Rates of a current server, to one digit."});
  text(R"(
    A GPU has a memory of its own. A tensor has to be brought there before the GPU can compute with it, and
    the way is the narrowest in the whole machine.)");
  pinned_pages();
  if (!cuda::is_available()) {
    text("This run had no GPU, so the part which measures it was left out. All else is the same with one.");
    return;
  }
  text("### What GPUs there are");
  std::vector<TableRow> gpus;
  for (int i = 0; i < cuda::device_count(); ++i) {  // @stepover
    const auto gpu = cuda::get_device_properties(i);
    gpus.push_back({gpu.name, fmt::format("{}.{}", gpu.major, gpu.minor), gpu.multi_processor_count,
                    gpu.total_memory / 1'000'000, gpu.l2_cache_size / 1'000'000});
  }
  table({"GPU", "Compute capability", "Multiprocessors", "Memory, MB", "L2 cache, MB"}, gpus);  // @volatile
  const int64_t before = memory_allocated("cuda");
  const Tensor y = x.to("cuda");  // a copy, over the bus
  assert(y.device() == Device("cuda"));
  const Tensor z = zeros({32, 32}, {.device = "cuda"});     // made where it is needed
  const int64_t taken = memory_allocated("cuda") - before;  // @inspect taken
  assert(taken == 2 * (32 * 32 * 4));
  text(R"(
    Two matrices of 32×32 numbers of 4 bytes: what was allocated on the GPU grew by just that. The first was
    copied over the bus; the second never saw it.)");
  gpu_transfers();
}
