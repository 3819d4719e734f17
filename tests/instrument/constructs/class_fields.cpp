// Classes whose fields are shown, private ones too.
#include <cstdio>
#include <string>

class Account {
  double balance_ = 1.5;
  class Owner { std::string name_ = "Ada"; };
  Owner owner_;

 public:
  static int count;
  double balance() const { return balance_; }
};
int Account::count = 1;

struct Empty {};
struct Bits {
  unsigned low : 3;
  unsigned high : 5;
};
struct Initialized {
  unsigned first = 1;
  mutable unsigned used : 3 = 5, low : 2{1}; int : 0; bool last : 1 = true;
};
class Conditional {
#ifdef NOTHING
  int left_out = 1;
#else
  int there = 2;
#endif
 public:
  int get() const { return there; }
};
struct References {
  int& number;
  const Account* account;
};
union Either { int i; float f; };
struct Tagged {
  int tag;
  union {
    int i;
    float f;
  };
};

template <typename T>
class Box final : private Account, public Empty {
  T held_{};
  T many_[2] = {};

 public:
  explicit Box(T held) : held_(held) {}
  struct Inner { T a, b; };
};
template <>
class Box<char> {
  char only_ = 'c';

 public:
  char get() const { return only_; }
};
template class Box<long>;

template <typename... Bases>
struct Joined : Bases... { int last = 9; };

template <int N>
int locally() {
  class Local {
    int hidden_ = N;

   public:
    int get() const { return hidden_; }
  };
  Local local;
  return local.get();  // @inspect local
}

constexpr int in_constexpr() {
  struct Pair { int x, y; } pair{1, 2};
  return pair.x + pair.y;  // @inspect pair
}
static_assert(in_constexpr() == 3);

typedef struct { int unnamed; } Alias;
template <typename T>
struct OfUnnamed {
  struct { T low = 1, high = 2; } range;
  class { public: int one = 3; } shown;
  struct { int each = 4; } many[2];
  union { struct { int x, y; } point; int first; } both = {{5, 6}};
};
struct { int field; } global{1};
#define FIELD(type, name) type name = {}
struct OfMacros { FIELD(int, first); FIELD(int, second); };

int main() {
  int n = 7;
  Account account;
  Tagged tagged{1, {2}};
  Box<int> box(4);
  Box<char> other;  // @inspect account tagged box other
  Bits bits{5, 17};
  References references{n, &account};
  Joined<Bits, Tagged> joined{{1, 2}, {3, {4}}};
  Alias alias{8};  // @inspect bits references joined alias
  Initialized initialized;
  Conditional conditional;  // @inspect initialized conditional
  n += conditional.get() + static_cast<int>(initialized.first);
  Box<int>::Inner inner{1, 2};  // @inspect inner
  auto lambda = [] { struct InLambda { int x = 3; } in; return in.x; };
  struct { int field; } local{2};
  OfUnnamed<int> unnamed;  // @inspect unnamed unnamed.range local global
  n += local.field + global.field + unnamed.both.first + unnamed.shown.one + unnamed.many[1].each;
  OfMacros macros;
  n += locally<3>();
  n += in_constexpr() + lambda();
  std::printf("%d %.1f %d %d\n", n, account.balance(), macros.first, alias.unnamed);  // @inspect macros
  (void)bits, (void)references, (void)joined, (void)inner, (void)other.get(), (void)box, (void)tagged;
}
