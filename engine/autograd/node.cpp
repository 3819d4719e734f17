#include "autograd/node.h"

#include <algorithm>
#include <atomic>
#include <unordered_set>
#include <utility>

#include "autograd/operation_recorder.h"

namespace lectern::autograd {
namespace {

std::atomic<std::uint64_t> last_sequence{0};

/// Unreferenced nodes, while some are being destroyed: a graph may be a chain of any length, and nested
/// destructors would overflow the stack.
constinit thread_local std::vector<std::shared_ptr<Node>>* doomed = nullptr;

}  // namespace

Node::Node(std::string_view name, std::uint64_t sequence, InputNodes inputs)
    : name_(name), sequence_(sequence), inputs_(std::move(inputs)) {
  const OperationRecorder* const recorder = operation_recorder();
  if (recorder != nullptr && sequence > 0) recording_ = recorder->gradients();
}

Node::~Node() {
  if (doomed != nullptr) {
    for (auto& input : inputs_.all()) {
      if (input != nullptr) doomed->push_back(std::move(input));
    }
    return;
  }
  std::vector<std::shared_ptr<Node>> list;
  doomed = &list;
  for (auto& input : inputs_.all()) input.reset();
  while (!list.empty()) {
    const std::shared_ptr<Node> next = std::move(list.back());
    list.pop_back();
  }
  doomed = nullptr;
}

const std::shared_ptr<Hooks>& Node::hooks() {
  if (hooks_ == nullptr) hooks_ = std::make_shared<Hooks>();
  return hooks_;
}

std::vector<const Node*> reachable(std::span<const std::shared_ptr<Node>> roots) {
  std::unordered_set<const Node*> seen;
  std::vector<const Node*> nodes;
  const auto visit = [&](const std::shared_ptr<Node>& node) {
    if (node != nullptr && seen.insert(node.get()).second) nodes.push_back(node.get());
  };
  std::for_each(roots.begin(), roots.end(), visit);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto inputs = nodes[i]->inputs();
    std::for_each(inputs.begin(), inputs.end(), visit);
  }
  std::sort(nodes.begin(), nodes.end(),
            [](const Node* a, const Node* b) { return a->sequence() < b->sequence(); });
  return nodes;
}

std::uint64_t next_sequence() {
  return last_sequence.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace lectern::autograd
