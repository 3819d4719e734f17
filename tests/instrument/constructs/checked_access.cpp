// Directives that look where nothing is: an error is shown, and nothing else happens.
#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

struct Node {
  int value;
  Node* next;
  int at(int i) const { return i; }
};
struct OneBased {
  int operator[](int i) const { return i; }
  int size() const { return 3; }
};

struct Bits {
  unsigned one : 3, zero : 2;
};
struct Meters {
  int n;
  Meters operator+(const Meters& other) const { return n + other.n < 9 ? Meters{n + other.n} : throw far(); }
  explicit operator bool() const { return n >= 0 ? n > 0 : throw far(); }
  static std::runtime_error far() { return std::runtime_error("too far"); }
};

template <typename T>
T first_of(const std::vector<T>& list) {
  const T found = list.front();  // @inspect list[0] list[7]
  return found;
}

constexpr int sum_of(const std::array<int, 3>& numbers) {
  int sum = 0;
  for (unsigned i = 0; i < 3; ++i) sum += numbers[i];  // @inspect numbers[i]
  return sum;
}
static_assert(sum_of({1, 2, 3}) == 6);

int fails(int n) {
  if (n > 2) throw std::runtime_error("too many");
  return n;
}

int main() {
  std::vector<int> v{1, 2, 3};
  int i = -1;  // @inspect v[2] v[3] v[i] v.at(9) v.front()
  int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};  // @inspect grid[1][2] grid[2][0] grid[1][3]
  std::map<std::string, int> m{{"a", 1}};  // @inspect m["a"] m["b"] m.size()
  std::map<std::pair<int, int>, int> pairs{{{1, 2}, 3}};  // @inspect pairs[{1,2}] pairs[{2,1}]
  Node last{2, nullptr};
  Node node{1, &last};
  Node* p = &node;  // @inspect p->value p->next->value p->next->next->value (*p).at(3)
  p = nullptr;  // @inspect p->value (*p).value p
  std::optional<int> none;  // @inspect *none none.value()
  std::unique_ptr<Node> owner;  // @inspect owner->value
  std::string text = "ab";  // @inspect text[1] text[3]
  std::vector<int> empty;  // @inspect empty.front() empty.back() empty[0]
  OneBased own;  // @inspect own[3]
  std::vector<bool> flags{true};  // @inspect flags[0] flags[1]
  auto [x, y] = std::pair(v, p);  // @inspect x[1] x[5] y->value
  i = fails(1);  // @inspect fails(3) fails(2)
  Meters near{3}, far{-9};  // @inspect (near+near).n (near+near+near).n (bool)near (bool)far !far
  Bits bits{1, 0};  // @inspect v[bits.one] i/bits.one i%bits.zero (i/(i-1)) v[i%0] i%v[1] (i?v[0]:v[1]) 2.5/bits.one
  i += first_of(v);
  i += sum_of({1, 2, 3});
  std::printf("%zu %d\n", m.size(), i);
  (void)grid, (void)none, (void)owner, (void)own, (void)y, (void)near, (void)far, (void)bits;
}
