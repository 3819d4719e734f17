#include <cstdio>

int counted(int n) {
  std::printf("member %d\n", n);
  return n;
}

struct Base {
  explicit Base(int n) : size(n) { std::puts("base"); }
  virtual ~Base() { std::puts("no base"); }
  int size;
};

struct Derived : Base {
  Derived() : Derived(7) { std::puts("delegated"); }
  explicit Derived(int n) : Base(counted(n)), twice([this] { return 2 * size; }()) {}
  ~Derived() override {
    std::puts("no derived");
  }
  int twice;
  int preset = 5;
};

int main() {
  Derived d;
  std::printf("%d %d\n", d.twice, d.preset);
}
