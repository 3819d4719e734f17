#include <cstdio>

#define API __attribute__((visibility("default")))
#define STRUCT(name) struct name
#define RECORD struct
#define NAMESPACE(name) namespace name
#define FUNCTION(name) static int name()

class API Account {
 public:
  explicit Account(int opening) : balance(opening) { balance += 1; }
  int doubled() const { return balance * 2; }
  int balance = 3;
};

class API Savings : public Account {
 public:
  using Account::Account;
  int tripled() const { return balance * 3; }
};

template <typename T>
struct API Box {
  T value;
  T get() const { return value; }
};

union API Number {
  int whole;
  float real;
};

struct Outer {
  struct API Inner {
    int n = 1;
    int next() { return ++n; }
  };
};

STRUCT(Bar) { int z = 4; };
RECORD Row { int z = 5; };
NAMESPACE(inner) {
  int six() { return 6; }
}
FUNCTION(seven) {
  int n = 7;
  return n;
}

int main() {
  struct API Local {
    int n = 8;
    int get() { return n; }
  };
  Account account(1);
  Savings savings(2);
  Box<int> box{5};
  Outer::Inner outer;
  Number number{9};
  std::printf("%d\n", account.doubled());
  std::printf("%d\n", savings.tripled());
  std::printf("%d\n", box.get());
  std::printf("%d %d\n", outer.next(), number.whole);
  std::printf("%d %d\n", Bar().z + Row().z, inner::six());
  std::printf("%d\n", seven());
  std::printf("%d\n", Local().get());
}
