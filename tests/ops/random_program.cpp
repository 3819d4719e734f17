#include "ops/random_program.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/tensor_error.h"
#include "ops/elementwise.h"
#include "ops/reductions.h"
#include "tensor/creation.h"

namespace lectern::test {
namespace {

constexpr std::size_t kMostElements = 4096;

/// What a tensor means: for each element, in row-major order, where it stands in a list of numbers that views
/// share.
struct Model {
  std::shared_ptr<std::vector<double>> storage;
  Sizes sizes;
  std::vector<std::size_t> places;

  double at(std::size_t i) const { return (*storage)[places[i]]; }
  bool overlaps_itself() const {
    return std::set<std::size_t>(places.begin(), places.end()).size() != places.size();
  }
  bool is_same(const Model& other) const { return storage == other.storage && places == other.places; }
  bool overlaps(const Model& other) const {
    return storage == other.storage && std::ranges::any_of(places, [&](std::size_t place) {
             return std::ranges::find(other.places, place) != other.places.end();
           });
  }
};

std::size_t numel(const Sizes& sizes) {
  std::size_t count = 1;
  for (const std::int64_t size : sizes) count *= static_cast<std::size_t>(size);
  return count;
}

/// The indices of the `i`-th element in row-major order, and back.
Sizes indices_of(std::size_t i, const Sizes& sizes) {
  Sizes indices = sizes;
  for (std::size_t d = sizes.size(); d-- > 0;) {
    const auto size = static_cast<std::size_t>(sizes[d]);
    indices[d] = static_cast<std::int64_t>(i % size);
    i /= size;
  }
  return indices;
}
std::size_t number_of(const Sizes& indices, const Sizes& sizes) {
  std::size_t i = 0;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    i = i * static_cast<std::size_t>(sizes[d]) + static_cast<std::size_t>(indices[d]);
  }
  return i;
}

using IndexMap = std::function<Sizes(const Sizes&)>;

/// The view whose element at `indices` is the one at `source(indices)`.
Model view_of(const Model& model, const Sizes& sizes, const IndexMap& source) {
  Model view{model.storage, sizes, {}};
  for (std::size_t i = 0; i < numel(sizes); ++i) {
    view.places.push_back(model.places[number_of(source(indices_of(i, sizes)), model.sizes)]);
  }
  return view;
}

Model fresh(const Sizes& sizes, std::vector<double> numbers) {
  Model model{std::make_shared<std::vector<double>>(std::move(numbers)), sizes, {}};
  for (std::size_t i = 0; i < numel(sizes); ++i) model.places.push_back(i);
  return model;
}

/// The number that stands for a broadcast element.
double broadcast(const Model& model, const Sizes& indices) {
  const std::size_t lead = indices.size() - model.sizes.size();
  Sizes own = model.sizes;
  for (std::size_t d = 0; d < own.size(); ++d) own[d] = model.sizes[d] == 1 ? 0 : indices[lead + d];
  return model.at(number_of(own, model.sizes));
}

bool broadcasts_to(const Sizes& from, const Sizes& to) {
  if (from.size() > to.size()) return false;
  const std::size_t lead = to.size() - from.size();
  for (std::size_t d = 0; d < from.size(); ++d) {
    if (from[d] != 1 && from[d] != to[lead + d]) return false;
  }
  return true;
}

class RandomProgram {
 public:
  explicit RandomProgram(std::span<const std::byte> bytes) : bytes_(bytes) {}

  void run() {
    create();
    while (!bytes_.empty() && steps_ < 60) {
      ++steps_;
      act();
      for (std::size_t i = 0; i < pool_.size(); ++i) compare(i);
    }
  }

 private:
  struct Pair {
    Tensor tensor;
    Model model;
  };

  std::int64_t draw(std::int64_t below) {
    if (bytes_.empty() || below <= 1) return 0;
    const auto value = static_cast<std::int64_t>(bytes_.front());
    bytes_ = bytes_.subspan(1);
    return value % below;
  }

  [[noreturn]] void fail(const std::string& what) const { throw std::logic_error(log_ + "=> " + what); }

  Sizes draw_sizes() {
    Sizes sizes;
    const std::int64_t rank = draw(5);
    for (std::int64_t d = 0; d < rank; ++d) sizes.push_back(draw(5));
    return sizes;
  }

  void create() {
    const Sizes sizes = draw_sizes();
    std::vector<double> numbers;
    for (std::size_t i = 0; i < numel(sizes); ++i) numbers.push_back(static_cast<double>(draw(256)) - 100);
    log_ += "tensor " + to_string(sizes) + "\n";
    add({tensor(numbers, {.dtype = float64}).view(sizes), fresh(sizes, numbers)});
  }

  void add(Pair pair) {
    if (pair.model.places.size() > kMostElements) return;
    if (pool_.size() < 5) {
      pool_.push_back(std::move(pair));
    } else {
      pool_[static_cast<std::size_t>(draw(5))] = std::move(pair);
    }
  }

  Pair& pick() { return pool_[static_cast<std::size_t>(draw(static_cast<std::int64_t>(pool_.size())))]; }

  void compare(std::size_t which) const {
    const auto& [tensor, model] = pool_[which];
    if (tensor.sizes() != model.sizes)
      fail("shape " + to_string(tensor.sizes()) + ", not " + to_string(model.sizes));
    const Tensor here = tensor.cpu();
    const double* const data = here.data<double>();
    for (std::size_t i = 0; i < model.places.size(); ++i) {
      const Sizes indices = indices_of(i, model.sizes);
      std::int64_t offset = 0;
      for (std::size_t d = 0; d < indices.size(); ++d) offset += indices[d] * here.strides()[d];
      if (data[offset] != model.at(i)) {
        fail("tensor " + std::to_string(which) + " at " + to_string(indices) + " is " +
             std::to_string(data[offset]) + ", not " + std::to_string(model.at(i)));
      }
    }
  }

  void act() {
    switch (draw(16)) {
      case 0:
        return create();
      case 1:
      case 2:
        return pick_element_or_slice();
      case 3:
        return exchange_dimensions();
      case 4:
        return change_sizes_of_one();
      case 5:
        return repeat();
      case 6:
        return regroup();
      case 7:
        return take_diagonal();
      case 8:
        return copy();
      case 9:
      case 10:
        return fill();
      case 11:
      case 12:
        return write_from_another();
      case 13:
        return combine();
      case 14:
        return apply();
      default:
        return add_up();
    }
  }

  void pick_element_or_slice() {
    const Pair from = pick();
    const auto rank = static_cast<std::int64_t>(from.model.sizes.size());
    if (rank == 0) return;
    const std::int64_t dim = draw(rank);
    const auto d = static_cast<std::size_t>(dim);
    const std::int64_t size = from.model.sizes[d];
    if (draw(2) == 0) {
      if (size == 0) return;
      const std::int64_t at = draw(size);
      Sizes sizes = from.model.sizes;
      sizes.erase(d);
      log_ += "select " + std::to_string(dim) + " " + std::to_string(at) + "\n";
      add({from.tensor.select(dim - rank, at - size), view_of(from.model, sizes, [&](Sizes indices) {
             indices.insert(d, at);
             return indices;
           })});
    } else {
      const std::int64_t start = draw(size + 1), stop = start + draw(size - start + 1), step = 1 + draw(3);
      Sizes sizes = from.model.sizes;
      sizes[d] = (stop - start + step - 1) / step;
      log_ += "slice " + std::to_string(dim) + " " + std::to_string(start) + ":" + std::to_string(stop) +
              ":" + std::to_string(step) + "\n";
      add({from.tensor.slice(dim, start, stop, step), view_of(from.model, sizes, [&](Sizes indices) {
             indices[d] = start + indices[d] * step;
             return indices;
           })});
    }
  }

  void exchange_dimensions() {
    const Pair from = pick();
    const auto rank = static_cast<std::int64_t>(from.model.sizes.size());
    if (rank == 0) return;
    Sizes order;
    for (std::int64_t d = 0; d < rank; ++d) order.push_back(d);
    for (std::int64_t d = rank - 1; d > 0; --d)
      std::swap(order[static_cast<std::size_t>(d)], order[static_cast<std::size_t>(draw(d + 1))]);
    Sizes sizes = from.model.sizes;
    for (std::size_t d = 0; d < order.size(); ++d)
      sizes[d] = from.model.sizes[static_cast<std::size_t>(order[d])];
    log_ += "permute " + to_string(order) + "\n";
    add({from.tensor.permute(order), view_of(from.model, sizes, [&](const Sizes& indices) {
           Sizes source = indices;
           for (std::size_t d = 0; d < order.size(); ++d)
             source[static_cast<std::size_t>(order[d])] = indices[d];
           return source;
         })});
  }

  void change_sizes_of_one() {
    const Pair from = pick();
    Sizes sizes = from.model.sizes;
    const auto at = static_cast<std::size_t>(draw(static_cast<std::int64_t>(sizes.size()) + 1));
    if (draw(2) == 0 && sizes.size() < 8) {
      sizes.insert(at, 1);
      log_ += "unsqueeze " + std::to_string(at) + "\n";
      add({from.tensor.unsqueeze(static_cast<std::int64_t>(at)),
           view_of(from.model, sizes, [&](Sizes indices) {
             indices.erase(at);
             return indices;
           })});
    } else if (at < sizes.size() && sizes[at] == 1) {
      sizes.erase(at);
      log_ += "squeeze " + std::to_string(at) + "\n";
      add({from.tensor.squeeze(static_cast<std::int64_t>(at)), view_of(from.model, sizes, [&](Sizes indices) {
             indices.insert(at, 0);
             return indices;
           })});
    }
  }

  void repeat() {
    const Pair from = pick();
    Sizes sizes = from.model.sizes;
    for (std::int64_t& size : sizes) {
      if (size == 1) size = draw(4);
    }
    if (sizes.size() < 8 && draw(2) == 0) sizes.insert(0, draw(4));
    if (numel(sizes) > kMostElements) return;
    const std::size_t lead = sizes.size() - from.model.sizes.size();
    log_ += "expand " + to_string(sizes) + "\n";
    add({from.tensor.expand(sizes), view_of(from.model, sizes, [&](const Sizes& indices) {
           Sizes source = from.model.sizes;
           for (std::size_t d = 0; d < source.size(); ++d) source[d] = source[d] == 1 ? 0 : indices[lead + d];
           return source;
         })});
  }

  /// Another shape of as many elements: reshape always, view where it can.
  void regroup() {
    const Pair from = pick();
    Sizes sizes;
    std::int64_t left = static_cast<std::int64_t>(from.model.places.size());
    if (left == 0) return;
    for (std::int64_t d = draw(4); d > 0; --d) {
      std::int64_t size = 1 + draw(6);
      while (left % size != 0) --size;
      sizes.push_back(size);
      left /= size;
    }
    sizes.push_back(left);
    log_ += "reshape " + to_string(sizes) + "\n";
    const Tensor reshaped = from.tensor.reshape(sizes);
    Tensor viewed;
    try {
      viewed = from.tensor.view(sizes);
    } catch (const TensorError&) {
      if (reshaped.storage() == from.tensor.storage()) fail("reshape gave a view, and view refused");
    }
    if (viewed.defined()) {
      add({viewed, Model{from.model.storage, sizes, from.model.places}});
      return;
    }
    if (from.tensor.is_contiguous()) fail("view refused a contiguous tensor");
    std::vector<double> numbers;
    for (std::size_t i = 0; i < from.model.places.size(); ++i) numbers.push_back(from.model.at(i));
    add({reshaped, fresh(sizes, numbers)});
  }

  void take_diagonal() {
    const Pair from = pick();
    if (from.model.sizes.size() < 2) return;
    const std::int64_t offset = draw(9) - 4;
    const std::int64_t rows = from.model.sizes[0], columns = from.model.sizes[1];
    Sizes sizes = from.model.sizes;
    sizes.erase(0);
    sizes.erase(0);
    const std::int64_t length =
        offset >= 0 ? std::min(rows, columns - offset) : std::min(rows + offset, columns);
    sizes.push_back(std::max<std::int64_t>(length, 0));
    log_ += "diagonal " + std::to_string(offset) + "\n";
    add({from.tensor.diagonal(offset), view_of(from.model, sizes, [&](Sizes indices) {
           const std::int64_t along = indices.back();
           indices.erase(indices.size() - 1);
           indices.insert(0, along + std::max<std::int64_t>(offset, 0));
           indices.insert(0, along + std::max<std::int64_t>(-offset, 0));
           return indices;
         })});
  }

  void copy() {
    const Pair from = pick();
    const bool clone = draw(2) == 0;
    log_ += clone ? "clone\n" : "contiguous\n";
    const Tensor copied = clone ? from.tensor.clone() : from.tensor.contiguous();
    if (!clone && from.tensor.is_contiguous()) {
      add({copied, from.model});
      return;
    }
    std::vector<double> numbers;
    for (std::size_t i = 0; i < from.model.places.size(); ++i) numbers.push_back(from.model.at(i));
    add({copied, fresh(from.model.sizes, numbers)});
  }

  /// `write` must be refused when an element of the tensor would be written twice, and may be when one that
  /// it reads would be written.
  bool refused(const Pair& to, const Pair& from, const std::function<void()>& write) const {
    try {
      write();
    } catch (const TensorError& error) {
      if (to.model.overlaps_itself() || to.model.overlaps(from.model)) return true;
      fail(std::string("refused: ") + error.what());
    }
    if (to.model.overlaps_itself()) fail("wrote to a tensor whose elements overlap");
    return false;
  }

  void fill() {
    const Pair& to = pick();
    const double value = static_cast<double>(draw(200));
    log_ += "fill_ " + std::to_string(value) + "\n";
    to.tensor.fill_(value);  // one number, so that elements may overlap
    for (const std::size_t place : to.model.places) (*to.model.storage)[place] = value;
  }

  void write_from_another() {
    const Pair& to = pick();
    const Pair& from = pick();
    if (!broadcasts_to(from.model.sizes, to.model.sizes)) return;
    std::vector<double> numbers;
    for (std::size_t i = 0; i < to.model.places.size(); ++i) {
      numbers.push_back(broadcast(from.model, indices_of(i, to.model.sizes)));
    }
    const std::int64_t how = draw(3);
    if (how == 0 && to.model.is_same(from.model)) return;  // nothing to copy, even where elements overlap
    log_ += how == 0 ? "copy_\n" : how == 1 ? "add_\n" : "maximum_\n";
    if (refused(to, from, [&] {
          if (how == 0) to.tensor.copy_(from.tensor);
          if (how == 1) to.tensor.add_(from.tensor);
          if (how == 2) to.tensor.maximum_(from.tensor);
        })) {
      return;
    }
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      double& number = (*to.model.storage)[to.model.places[i]];
      number = how == 0 ? numbers[i] : how == 1 ? number + numbers[i] : std::max(number, numbers[i]);
    }
  }

  void combine() {
    const Pair a = pick();
    const Pair b = pick();
    Sizes sizes;
    try {
      sizes = broadcast_sizes("combine", a.model.sizes, b.model.sizes);
    } catch (const TensorError&) {
      return;
    }
    if (numel(sizes) > kMostElements) return;
    const std::int64_t how = draw(3);
    log_ += how == 0 ? "a + b\n" : how == 1 ? "a - b\n" : "minimum\n";
    std::vector<double> numbers;
    for (std::size_t i = 0; i < numel(sizes); ++i) {
      const Sizes indices = indices_of(i, sizes);
      const double x = broadcast(a.model, indices), y = broadcast(b.model, indices);
      numbers.push_back(how == 0 ? x + y : how == 1 ? x - y : std::min(x, y));
    }
    add({how == 0   ? a.tensor + b.tensor
         : how == 1 ? a.tensor - b.tensor
                    : a.tensor.minimum(b.tensor),
         fresh(sizes, numbers)});
  }

  void apply() {
    const Pair from = pick();
    const bool negate = draw(2) == 0;
    log_ += negate ? "neg\n" : "abs\n";
    std::vector<double> numbers;
    for (std::size_t i = 0; i < from.model.places.size(); ++i) {
      numbers.push_back(negate ? -from.model.at(i) : std::abs(from.model.at(i)));
    }
    add({negate ? from.tensor.neg() : from.tensor.abs(), fresh(from.model.sizes, numbers)});
  }

  /// Of whole numbers of moderate size, whose sum is exact in any order.
  void add_up() {
    const Pair from = pick();
    const auto rank = static_cast<std::int64_t>(from.model.sizes.size());
    if (rank == 0) return;
    for (std::size_t i = 0; i < from.model.places.size(); ++i) {
      if (std::abs(from.model.at(i)) > 1e12) return;
    }
    const std::int64_t dim = draw(rank);
    const bool keep = draw(2) == 0;
    Sizes kept = from.model.sizes;
    kept[static_cast<std::size_t>(dim)] = 1;
    std::vector<double> sums(numel(kept), 0);
    for (std::size_t i = 0; i < from.model.places.size(); ++i) {
      Sizes indices = indices_of(i, from.model.sizes);
      indices[static_cast<std::size_t>(dim)] = 0;
      sums[number_of(indices, kept)] += from.model.at(i);
    }
    Sizes sizes = kept;
    if (!keep) sizes.erase(static_cast<std::size_t>(dim));
    log_ += "sum " + std::to_string(dim) + "\n";
    add({from.tensor.sum({dim}, keep), fresh(sizes, sums)});
  }

  std::span<const std::byte> bytes_;
  std::vector<Pair> pool_;
  std::string log_;
  int steps_ = 0;
};

}  // namespace

void run_random_program(std::span<const std::byte> bytes) {
  RandomProgram(bytes).run();
}

}  // namespace lectern::test
