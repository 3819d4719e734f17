// Variables of no type keep the program from compiling, or make it another one, when all of them are inspected.
#include <array>
#include <atomic>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

struct Incomplete;
Incomplete& somewhere() {
  alignas(16) static char memory[16];
  return reinterpret_cast<Incomplete&>(memory);
}

struct Abstract {
  virtual ~Abstract() = default;
  virtual int value() const = 0;
};
struct Concrete : Abstract {
  int value() const override { return 3; }
};

struct Bits {
  unsigned low : 3;
  unsigned high : 5;
};

struct Immovable {
  Immovable() = default;
  Immovable(const Immovable&) = delete;
  Immovable& operator=(const Immovable&) = delete;
  Immovable* operator&() = delete;
  bool operator,(int) = delete;
};

struct Fields {
  int only;
};

union Either {
  int number;
  float real;
};

enum class Color { red, green };
enum Plain { first, second };

int twice(int n) {
  return 2 * n;
}

// @inspect *
int of_references(Incomplete& incomplete, const Abstract& abstract, int (&array)[2], int (&function)(int),
                  std::unique_ptr<int>&& owned, int (&open)[], auto&& any) {
  volatile int flag = 9;
  auto& again = incomplete;
  auto* address = &incomplete;
  std::printf("%d\n", static_cast<void*>(&again) == static_cast<void*>(address));
  return abstract.value() + array[1] + function(1) + *owned + open[0] + any + flag;
}

// @inspect *
int of_pointers(int* null, const char* text, void* nowhere) {
  int target = 4;
  int* to = &target;
  int** to_pointer = &to;
  int* dangling = new int(5);
  delete dangling;
  dangling = reinterpret_cast<int*>(16);
  std::string* const unreadable = reinterpret_cast<std::string*>(24);
  const char* unterminated = reinterpret_cast<const char*>(8);
  int (*function)(int) = twice;
  int (*uninitialized)(int);
  const volatile void* either_way = nowhere;
  int Fields::*none = nullptr;
  int (Concrete::*member)() const = &Concrete::value;
  std::nullptr_t empty = nullptr;
  uninitialized = nullptr;
  std::printf("%s\n", text);
  return null == nullptr && either_way == nowhere && none == nullptr && empty == nullptr && uninitialized == nullptr &&
                 dangling != nullptr && unreadable != nullptr && unterminated != nullptr
             ? **to_pointer + function(1) + (Concrete().*member)()
             : 0;
}

// @inspect *
int of_classes() {
  Immovable fixed;
  std::mutex mutex;
  std::atomic<int> atomic{1};
  std::vector<std::unique_ptr<int>> owners(1);
  auto moved = std::make_unique<std::string>("moved");
  auto taken = std::move(moved);
  std::string emptied = "emptied";
  const std::string kept = std::move(emptied);
  std::optional<std::string> nothing;
  std::function<int(int)> call = twice;
  std::string_view view = kept;
  std::span<const char> span = view;
  Either either{.number = 1};
  Bits bits{1, 2};
  auto& [low, high] = bits;
  auto [copied_low, copied_high] = bits;
  constexpr int known = 3;
  static int counted = 0;
  ++counted;
  const auto both = [low = low, high = high](auto n) {  // @inspect *
    auto sum = low + high + static_cast<unsigned>(n);
    return sum;
  };
  struct {
    int x = 1;
  } unnamed; struct { int set = 1, unset; } partly;
  std::array<std::vector<bool>, 2> flags{{{true}, {}}};
  int matrix[2][2] = {{1, 2}, {3, 4}};
  char word[] = "word";
  Color color = Color::green;
  Plain plain = second;
  std::initializer_list<int> list = {1, 2};
  static_cast<void>(fixed), static_cast<void>(partly);
  std::lock_guard<std::mutex> lock(mutex);
  return either.number + static_cast<int>(low + high + copied_low + copied_high + both(known)) + counted + unnamed.x +
         flags[0][0] + matrix[1][1] + word[0] + static_cast<int>(color) + plain + static_cast<int>(list.size()) +
         atomic + call(1) + static_cast<int>(span.size() + owners.size() + taken->size()) + !nothing;
}

}  // namespace

int main() {
  int array[2] = {1, 2}, open[] = {7};
  std::printf("%d\n",
              of_references(somewhere(), Concrete(), array, twice, std::make_unique<int>(5), open, 8));
  std::printf("%d\n", of_pointers(nullptr, "text", nullptr));
  std::printf("%d\n", of_classes());
}
