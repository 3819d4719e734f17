#include <cstdio>

#include <algorithm>
#include <vector>

int main() {
  std::vector<int> v{3, 1, 2};
  std::sort(v.begin(), v.end(), [](int a, int b) {
    if (a == b)
      return false;
    return a > b;
  });
  std::for_each(v.begin(), v.end(), [](int n) { std::printf("%d\n", n); });
}
