#include <cstdio>

#define PLUS +
#define EACH(i, n) for (int i = 0; i < (n); ++i)

namespace shapes {

template <class T>
class Pile {
 public:
  void push(T value) {
    if (size_ == 2) throw value;
    values_[size_++] = value;
    top_ = size_ > 0 ? value : throw value;
  }
  int kind() const {
    switch (size_)
    case 1:
      return 10;
    return 20;
  }
  int sum() const try {
    int s = 0;
    EACH(i, size_)
      switch (i) default: s += values_[i];
    return s;
  } catch (...) {
    return -1;
  }

 private:
  T values_[2] = {};
  int size_ = 0;
  T top_ = T{} PLUS T{};
};

}  // namespace shapes

int from = [] {
  int k = 1;
  switch (k) case 1: k = 4;
  return k;
}();

int main() {
  shapes::Pile<int> pile;
  pile.push(3);
  pile.push(4);
  std::printf("%d\n", pile.kind());
  std::printf("%d\n", pile.sum() + from);
  int x = 0;
  goto inside;
  for (;;) {
    x++;
    inside: switch (x) default: x++;
    if (x > 2) break;
  }
  if (int n = x; n > 2) switch (n) default: n = int{1} PLUS int{2};
  std::printf("%d\n", x);
}
