#include <cstdio>

#include <cstdarg>
extern "C" {
int c_function(void) {
  return 4;
}
}
extern "C" int single(void) { return 5; }

int total(int count, ...) {
  va_list arguments;
  va_start(arguments, count);
  int sum = 0;
  while (count-- > 0) sum += va_arg(arguments, int);
  va_end(arguments);
  return sum;
}

int main(int argc, char** argv) {
  int (*f)(void) = &c_function;
  const int sum = total(2, 3, 4);
  std::printf("%d %d %d\n", f() + single(), sum, argc > 0 && argv != nullptr);
  return 0;
}
