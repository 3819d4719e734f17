#include "data/loader.h"

#include <utility>

#include "base/tensor_error.h"
#include "device/copy.h"
#include "device/threads.h"

namespace lectern {
namespace {

/// Not changed by the source's next batch, as its own tensors may be.
StateDict state_now(const BatchSource& source) {
  StateDict state;
  for (const auto& [name, tensor] : source.state_dict()) state.insert(name, tensor.clone());
  return state;
}

}  // namespace

DataLoader::DataLoader(std::shared_ptr<BatchSource> source, Device device, std::size_t prefetch)
    : source_(std::move(source)), device_(device), prefetch_(prefetch) {
  if (source_ == nullptr) throw TensorError("DataLoader", "there is no source");
  if (prefetch_ == 0) throw TensorError("DataLoader", "prefetch", "1 or more", "0");
  state_ = state_now(*source_);
  if (device_.is_cuda()) stream_.emplace(device_.index());
  start();
}

void DataLoader::start() {
  prefetcher_ = std::make_unique<Prefetcher<Batch>>([this] { return make(); }, prefetch_);
}

DataLoader::Batch DataLoader::make() const {
  set_num_threads(1);  // the other threads belong to the program
  Batch batch{source_->next(), state_now(*source_), {}};
  if (!stream_) return batch;
  const cuda::StreamGuard guard(*stream_);
  for (Tensor& tensor : batch.tensors) {
    if (tensor.device().is_cpu()) tensor = tensor.pin_memory().to(device_, true);
  }
  batch.arrived = stream_->record_event();
  return batch;
}

std::vector<Tensor> DataLoader::next() {
  if (prefetcher_ == nullptr)
    throw TensorError("DataLoader", "its source accepted neither the last state to be loaded nor its own");
  Batch batch = prefetcher_->next();
  state_ = std::move(batch.state);
  if (batch.arrived) {
    const cuda::Stream current = cuda::current_stream(device_.index());
    current.wait_event(*batch.arrived);
    for (const Tensor& tensor : batch.tensors) {
      if (tensor.is_cuda() && tensor.numel() > 0) cuda::record_stream(tensor.data_ptr(), current);
    }
  }
  return std::move(batch.tensors);
}

void DataLoader::load_state_dict(const StateDict& state) {
  prefetcher_.reset();
  try {
    source_->load_state_dict(state);
    state_ = state_now(*source_);
  } catch (...) {
    source_->load_state_dict(state_);
    start();
    throw;
  }
  start();
}

}  // namespace lectern
