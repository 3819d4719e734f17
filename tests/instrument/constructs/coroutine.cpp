#include <cstdio>

#include <coroutine>

struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int n) {
      value = n;
      return {};
    }
    void return_void() {}
    void unhandled_exception() {}
    int value = 0;
  };
  std::coroutine_handle<promise_type> handle;
};

Task count() {
  for (int i = 1; i < 3; ++i) co_yield i;
}

int main() {
  Task task = count();
  for (task.handle.resume(); !task.handle.done(); task.handle.resume()) {
    std::printf("%d\n", task.handle.promise().value);
  }
  task.handle.destroy();
}
