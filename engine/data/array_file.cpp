#include "data/array_file.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "base/files.h"
#include "base/noun.h"
#include "tensor/copy.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern {
namespace {

/// A non-empty zip archive: numpy.savez writes these.
bool is_zip(std::string_view bytes) {
  return bytes.starts_with("PK\3\4");
}

/// The header of raw data.
NpyHeader raw_header(std::string_view bytes, std::string_view dtype, const std::string& file) {
  if (is_zip(bytes)) {
    throw Error(Place{file},
                "it is a zip archive, such as .npz, not an array; write each of its arrays to its own file, "
                "with numpy.save(\"x.npy\", archive[\"x\"])");
  }
  if (dtype.empty()) {
    throw Error(Place{file},
                "it is not a .npy file, and raw data has no dtype; pass it, as in ArrayFile(file, "
                "\"uint16\")");
  }
  NpyHeader header;
  header.dtype = file_dtype(dtype);
  const auto size = static_cast<std::size_t>(element_size(header.dtype));
  if (bytes.size() % size != 0) {
    throw Error(Place{file}, "its " + with_noun(bytes.size(), "byte is", "bytes are") +
                                 " not a multiple of the " + std::to_string(size) + " of a " +
                                 std::string(dtype) + " element; is the dtype wrong, or the file truncated?");
  }
  header.sizes = {static_cast<std::int64_t>(bytes.size() / size)};
  return header;
}

NpyHeader read_header(std::string_view bytes, std::string_view dtype, const std::string& file) {
  if (!is_npy(bytes)) return raw_header(bytes, dtype, file);
  NpyHeader header = parse_npy_header(bytes, file);
  if (!dtype.empty() && header.dtype != file_dtype(dtype)) {
    throw Error(Place{file}, "it holds " + std::string(name(header.dtype)) + ", not " + std::string(dtype));
  }
  return header;
}

}  // namespace

ArrayFile::ArrayFile(const std::filesystem::path& file, std::string_view dtype)
    : name_(file.string()),
      file_(std::make_shared<const FileMapping>(file)),
      header_(read_header(file_->text(), dtype, name_)) {}

const std::byte* ArrayFile::data() const {
  return file_->data() + header_.length;
}

Tensor ArrayFile::tensor() const {
  const std::optional<Dtype> dtype = tensor_dtype(header_.dtype);
  if (!dtype) {
    throw Error(Place{name_}, "tensors do not support " + std::string(lectern::name(header_.dtype)) +
                                  "; read it as tokens (data/tokens.h), or convert it in NumPy");
  }
  const std::size_t bytes = file_->size() - header_.length;
  if (dtype == bool_ && std::any_of(data(), data() + bytes, [](std::byte b) { return b > std::byte{1}; }))
    throw Error(Place{name_}, "a bool is neither 0 nor 1; the file is damaged");
  Sizes sizes = header_.sizes;
  if (header_.fortran_order) std::ranges::reverse(sizes);
  const bool is_aligned = header_.length % static_cast<std::size_t>(element_size(header_.dtype)) == 0;
  Tensor view;
  if (bytes == 0 || is_aligned) {
    std::byte* const at = bytes == 0 ? nullptr : file_->data() + header_.length;
    view = from_blob(at, sizes, [file = file_] {}, {.dtype = dtype, .device = cpu});
  } else {  // NumPy aligns the data; unaligned access is not supported
    view = empty(sizes, {.dtype = dtype, .device = cpu});
    std::memcpy(view.data_ptr(), data(), bytes);
  }
  if (!header_.fortran_order) return view;
  Sizes reversed;
  for (std::int64_t d = view.dim(); d-- > 0;) reversed.push_back(d);
  return view.permute(reversed);
}

void save_npy(const Tensor& tensor, const std::filesystem::path& file) {
  const FileDtype dtype = [&] {
    try {
      return file_dtype(name(tensor.dtype()));
    } catch (const Error&) {
      throw Error(Place{file.string()}, "NumPy has no " + std::string(name(tensor.dtype())) +
                                            "; convert the tensor first, or write it with save_file");
    }
  }();
  const Tensor dense = copied("save_npy", tensor, tensor.dtype(), cpu, contiguous_strides(tensor.sizes()));
  write_file(file, [&](const Append& append) {
    append(make_npy_header(dtype, tensor.sizes()));
    append({static_cast<const char*>(dense.data_ptr()), static_cast<std::size_t>(dense.nbytes())});
  });
}

}  // namespace lectern
