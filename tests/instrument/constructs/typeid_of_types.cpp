#include <cstdio>
#include <typeindex>
#include <typeinfo>

bool same(std::type_index a, std::type_index b) {
  return a == b;
}

int main() {
  std::type_index ti = typeid(int);
  const std::type_info& wide = typeid(unsigned long*);
  std::printf("%d %d\n", same(ti, typeid(const int&)), wide == typeid(ti));
}
