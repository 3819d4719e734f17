#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace lectern {

/// Calls make() on a background thread, up to `ahead` times ahead of next(), which returns the items in
/// order. An exception of make() is thrown by next(), at its place in the order and from then on.
template <typename Item>
class Prefetcher {
 public:
  Prefetcher(std::function<Item()> make, std::size_t ahead)
      : make_(std::move(make)), ahead_(ahead), thread_([this] { run(); }) {}
  /// Waits for a running make().
  ~Prefetcher() {
    {
      const std::scoped_lock lock(mutex_);
      is_stopped_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  Item next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !items_.empty() || problem_ != nullptr; });
    if (items_.empty()) std::rethrow_exception(problem_);
    Item item = std::move(items_.front());
    items_.pop_front();
    lock.unlock();
    changed_.notify_all();
    return item;
  }

 private:
  void run() {
    try {
      for (;;) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return items_.size() < ahead_ || is_stopped_; });
        if (is_stopped_) return;
        lock.unlock();
        Item item = make_();
        lock.lock();
        items_.push_back(std::move(item));
        lock.unlock();
        changed_.notify_all();
      }
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      problem_ = std::current_exception();
    }
    changed_.notify_all();
  }

  std::function<Item()> make_;
  std::size_t ahead_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  std::exception_ptr problem_;
  bool is_stopped_ = false;
  std::thread thread_;  ///< the last member: it uses the others
};

}  // namespace lectern
