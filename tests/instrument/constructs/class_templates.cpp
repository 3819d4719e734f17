#include <cstdio>

template <typename T, int N>
class Ring {
 public:
  void push(T value);
  T sum() const {
    T total{};
    for (int i = 0; i < N; ++i) total += slots_[i];
    return total;
  }

 private:
  T slots_[N] = {};
  int next_ = 0;
};

template <typename T, int N>
void Ring<T, N>::push(T value) {
  slots_[next_] = value;
  next_ = (next_ + 1) % N;
}

int main() {
  Ring<int, 2> ring;
  for (int i = 1; i <= 3; ++i) ring.push(i);
  std::printf("%d\n", ring.sum());
}
