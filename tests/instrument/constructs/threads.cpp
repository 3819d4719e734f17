#include <cstdio>

#include <thread>

int work(int n) {
  int result = n * 2;
  return result;
}

int main() {
  int got = 0;
  std::thread worker([&got] { got = work(4); });
  worker.join();
  std::printf("%d\n", got);
}
