#pragma once

#include <functional>

#include "device/cuda_driver.h"

namespace lectern::test {

/// Whether this thread records what it gives its current stream.
bool is_recording();

/// Does work of the current stream, or of the given one, at once, or records it.
void give(const std::function<void()>& work);
void give(cuda::StreamHandle stream, const std::function<void()>& work);

// What the driver of the simulated GPU does for its interface.

cuda::Status begin_recording(cuda::StreamHandle stream);
cuda::Status end_recording(cuda::StreamHandle stream, cuda::GraphHandle* graph);
cuda::Status run_recorded(cuda::GraphHandle graph, cuda::StreamHandle stream);
void destroy_recorded(cuda::GraphHandle graph);
/// To be asked before the host waits: what waits while it records is an error, and the recording is lost.
cuda::Status refuse_to_wait();
/// The same before the host waits for the whole device: the recordings of all threads are lost.
cuda::Status refuse_to_wait_for_device();
/// To be asked before the host gives a stream what cannot be recorded: if any thread records it, that is
/// lost.
void spoil(cuda::StreamHandle stream);

}  // namespace lectern::test
