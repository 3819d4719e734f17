#include "checkpoint/safetensors.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "base/files.h"
#include "base/utf8.h"
#include "tensor/copy.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern {
namespace {

SafetensorsHeader make_header(const StateDict& tensors, const std::map<std::string, std::string>& metadata,
                              const std::filesystem::path& file) {
  SafetensorsHeader header;
  header.metadata = metadata;
  for (const auto& [name, value] : metadata) {
    if (!valid_utf8(name) || !valid_utf8(value))
      throw Error(Place{file.string()}, "metadata must be UTF-8: " + name + " or its value is not");
  }
  for (const auto& [name, tensor] : tensors) {
    if (name == "__metadata__" || !valid_utf8(name)) {
      throw Error(Place{file.string()},
                  "a tensor's name must be UTF-8, and not __metadata__; choose another for " + name);
    }
    header.entries.push_back({name, tensor.dtype(), tensor.sizes()});
  }
  return header;
}

std::string_view byte_view(const Tensor& contiguous) {
  return {static_cast<const char*>(contiguous.data_ptr()), static_cast<std::size_t>(contiguous.nbytes())};
}

}  // namespace

void save_file(const StateDict& tensors, const std::filesystem::path& file,
               const std::map<std::string, std::string>& metadata) {
  SafetensorsHeader header = make_header(tensors, metadata, file);
  const std::string head = make_safetensors_header(header);
  std::ranges::sort(header.entries, {}, [](const auto& entry) { return std::pair(entry.begin, entry.end); });
  write_file(file, [&](const Append& append) {
    append(head);
    for (const SafetensorsEntry& entry : header.entries) {
      const Tensor& tensor = tensors.at(entry.name);
      const bool in_place = tensor.device().is_cpu() && tensor.is_contiguous();
      append(byte_view(
          in_place ? tensor
                   : copied("save_file", tensor, tensor.dtype(), cpu, contiguous_strides(tensor.sizes()))));
    }
  });
}

SafetensorsFile::SafetensorsFile(const std::filesystem::path& file)
    : name_(file.string()), file_(file), header_(parse_safetensors_header(file_.text(), name_)) {}

Tensor SafetensorsFile::get_tensor(const SafetensorsEntry& entry, Device device) const {
  const std::byte* const at = file_.data() + header_.length + entry.begin;
  const std::size_t bytes = entry.end - entry.begin;
  // Any other byte is not a valid bool in C++.
  if (entry.dtype == bool_ && std::any_of(at, at + bytes, [](std::byte b) { return b > std::byte{1}; })) {
    throw Error(Place{name_}, "tensor " + entry.name + ": a bool is neither 0 nor 1; the file is damaged");
  }
  // Other writers may leave the data unaligned.
  const Tensor tensor = empty(entry.sizes, {.dtype = entry.dtype, .device = cpu});
  if (bytes > 0) std::memcpy(tensor.data_ptr(), at, bytes);
  if (device.is_cpu()) return tensor;
  return copied("load_file", tensor, entry.dtype, device, contiguous_strides(entry.sizes));
}

Tensor SafetensorsFile::get_tensor(std::string_view name, Device device) const {
  const auto found = std::ranges::find(entries(), name, &SafetensorsEntry::name);
  if (found == entries().end()) throw Error(Place{name_}, "there is no tensor named " + std::string(name));
  return get_tensor(*found, device);
}

StateDict load_file(const std::filesystem::path& file, Device device) {
  const SafetensorsFile source(file);
  StateDict tensors;
  for (const SafetensorsEntry& entry : source.entries())
    tensors.insert(entry.name, source.get_tensor(entry, device));
  return tensors;
}

}  // namespace lectern
