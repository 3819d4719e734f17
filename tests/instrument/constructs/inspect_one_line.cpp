#include <cstdio>

int half(int n) { return n / 2; }  // @inspect n

int main() {
  const int v[] = {3, 4};
  int s = 0;
  for (int n : v) s += n;             // @inspect n s
  for (int n : v) { int k = n; s += k; }  // @inspect k s
  for (int n : v)
    s += n;  // @inspect n
  for (int i = 0; i < 2; ++i)
    for (int n : v) s += i * n;  // @inspect i n
  for (int i = 0; i < 2; ++i)
    for (int n : v) {
      s += n;
    }  // @inspect i s
  if (int k = half(s); k > 0) s -= k;  // @inspect k s
  if (int k = half(s)) { s -= k; } else { s = k; }  // @inspect k
  if (s > 1000) s = 0; else s += 1;  // @inspect s
  if (s > 1000) s = 0; else if (int k = half(s); k > 1000) s = 1; else s = k;  // @inspect s
  if (s > 1000)
    s = 0;
  else
    s += 2;  // @inspect s
  if (s > 1000) {
    s = 0;
  } else if (s > 2000) {
    s = 1;
  }  // @inspect s
  if (s > 1000) {
    s = 0;
  } else
    s += 3;  // @inspect s
  while (int k = half(s)) s = k;  // @inspect k s
  do s += 2; while (s < 5);  // @inspect s
  do
    s += 2;
  while (s < 8);  // @inspect s
  for (int i = 0; i < 2; ++i);  // @inspect i
  for (int i = 0; i < 2; ++i) {}  // @inspect i
  for (int n : v) switch (n) { case 3: s += n; }  // @inspect n s
  for (int n : v) if (n > 3) break;  // @inspect n
  for (int n : v) s += half(n);  // @stepover @inspect s
  if (s < 0) return s;  // @inspect s
  if (s < 0) s = 1; else if (s == 7) return s; else s += 1;  // @inspect s
  if (s > 0) for (int n : v) s += n;  // @inspect n s
  if (s > 0) { const int k = half(s); s -= k; }  // @inspect k s
  if (s < 0) { const int k = half(s); return k; }  // @inspect k
  if (s < 0) s = 1; else { const int k = half(s); s -= k; }  // @inspect k s
  std::printf("%d\n", s);
  if (s > 0) return 0;  // @inspect s
}
