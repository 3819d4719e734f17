#include <cstdio>

#include <vector>

template <template <typename...> class C, typename T>
struct Stack {
  C<T> items;
  template <typename U>
  Stack& push(U&& item) {
    items.push_back(static_cast<T>(item));
    return *this;
  }
  auto top() const -> const T& {
    return items.back();
  }
};

template <int N>
int fibonacci() {
  if constexpr (N < 2) return N;
  else return fibonacci<N - 1>() + fibonacci<N - 2>();
}

int main() {
  Stack<std::vector, int> stack;
  stack.push(1).push(2.5);
  std::printf("%d\n", stack.top());
  std::printf("%d\n", fibonacci<3>());
}
