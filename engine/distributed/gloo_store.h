#pragma once

#include <string>
#include <thread>
#include <vector>

#include <gloo/rendezvous/store.h>

#include "base/tensor_error.h"
#include "distributed/store.h"

namespace lectern::distributed {

/// A store as Gloo sees it, while it connects the ranks.
class GlooStore final : public gloo::rendezvous::Store {
 public:
  GlooStore(distributed::Store& store, Milliseconds timeout)
      : store_(store), deadline_(Clock::now() + timeout) {}

  void set(const std::string& key, const std::vector<char>& data) override {
    store_.add("gloo." + key, std::string(data.begin(), data.end()));
  }
  std::vector<char> get(const std::string& key) override {
    while (true) {
      if (const auto value = store_.find("gloo." + key)) return {value->begin(), value->end()};
      if (Clock::now() >= deadline_)
        throw TensorError("init_process_group", "a rank ended before all were connected; its key is " + key);
      std::this_thread::sleep_for(Milliseconds(1));
    }
  }
  void wait(const std::vector<std::string>& keys) override {
    for (const std::string& key : keys) get(key);
  }
  void wait(const std::vector<std::string>& keys, const Milliseconds& /*timeout*/) override { wait(keys); }

 private:
  distributed::Store& store_;
  Clock::time_point deadline_;
};

}  // namespace lectern::distributed
