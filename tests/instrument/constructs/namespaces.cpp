#include <cstdio>

namespace outer {
int one() { return 1; }
namespace inner::deep {
int two() { return one() + 1; }
}  // namespace inner::deep
namespace {
int hidden() { return 3; }
}  // namespace
inline namespace v2 {
int four() { return hidden() + 1; }
}  // namespace v2
}  // namespace outer
namespace outer::inline v3::shallow {
int five() { return 5; }
}  // namespace outer::inline v3::shallow

int main() {
  namespace d = outer::inner::deep;
  using outer::four;
  std::printf("%d\n", d::two());
  std::printf("%d\n", four());
  std::printf("%d\n", outer::shallow::five());
}
