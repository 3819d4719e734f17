#include <cstdio>

#include <vector>

int main() {
  int sum = 0;
  for (std::vector<int> v{1, 2, 3}; int n : v) sum += n * static_cast<int>(v.size());
  for (int scale = 2; const int n : {5, 6}) {
    sum += scale * n;
  }
  std::printf("%d\n", sum);
}
