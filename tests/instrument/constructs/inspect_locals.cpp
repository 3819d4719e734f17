#include <cstdio>
#include <map>
#include <string>
#include <utility>

namespace {

int fibonacci(int n) {  // @inspect *
  if (n < 2) return n;
  const int before = fibonacci(n - 2);
  int last = fibonacci(n - 1);
  last += before;
  return last;
}

struct Counter {
  int count = 0;
  // @inspect *
  int add(int by) {
    count += by;
    return count;
  }
};

template <typename T>
T largest(T a, T b) {  // @inspect *
  T result = a;
  if (b > a) result = b;
  return result;
}

constexpr int square(int n) {  // @inspect *
  int result = n;
  result *= n;
  return result;
}
static_assert(square(3) == 9);

#pragma GCC diagnostic ignored "-Wshadow"
int shadows(int x) {
  {
    const std::string x = "inner";
    std::printf("%s\n", x.c_str());  // @inspect *
  }
  for (int i = 0; i < 2; ++i) {
    const int x = i + 10;
    std::printf("%d\n", x);  // @inspect *
  }
  return x;  // @inspect *
}

int jumps(int n) {  // @inspect *
  int sum = 0;
  while (true) {
    if (n == 2) {
      --n;
      continue;
    }
    switch (int k = n % 3; k) {
      case 0:
        sum += k;
        [[fallthrough]];
      case 1: sum += 1; break;
      default: sum += 2;
    }
    if (--n < 0) break;
    try {
      if (n == 1) throw n;
    } catch (int caught) {
      sum += caught;
    }
  }
  goto end;
end:
  return sum;
}

}  // namespace

int main() {
  std::printf("%d\n", fibonacci(3));
  Counter counter;
  counter.add(2);
  std::printf("%d\n", largest(1, 2));
  std::printf("%s\n", largest(std::string("a"), std::string("b")).c_str());
  std::printf("%d\n", square(counter.count));
  std::printf("%d\n", shadows(1));
  std::printf("%d\n", jumps(4));
  const std::map<std::string, int> ages{{"Ada", 36}, {"Max", 7}};
  for (const auto& [name, age] : ages) {
    const auto older = [&, years = age](int by) {  // @inspect *
      const int result = years + by;
      return result;
    };
    std::printf("%s %d\n", name.c_str(), older(1));  // @inspect *
  }
  int later;
  later = counter.count;
  std::printf("%d\n", later);  // @inspect *
}
