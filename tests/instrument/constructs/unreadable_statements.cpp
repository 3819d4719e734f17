#include <cstdio>

bool both(bool a, bool b) { return a && b; }

int next(int n) {
  n += 1;
  return n;
}

int choose(int n) {
  n = next(n);
  switch (n) case 3: n = next(n);
  n = next(n);
  if (n > 4) {
    int a = 1, b = 2, c = 3, d = 4;
    both(a < b, c > d);
    n += both(a < b, d > c);
  }
  for (int i = 0; int left = 2 - i; ++i) n += left;
  return n > 0 ? n : throw n;
}

int main() {
  auto twice = [](int n) {
    switch (n) default: n = next(n);
    return 2 * n;
  };
  std::printf("%d\n", choose(2));
  std::printf("%d\n", twice(1));
}
