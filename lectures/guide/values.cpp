// What readers see of variables.

#include <memory>
#include <set>

#include "parts.h"

int divisors(int number) {
  int found = 0;
  for (int d = 1; d <= number; ++d) {
    if (number % d == 0) ++found;  // @inspect d found
  }
  return found;
}

int gcd(int a, int b) {  // @inspect *
  while (b != 0) {
    const int rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

void values_of_variables() {
  text("## Values of variables");
  text(R"(
    A line of code stands on the page as it is. A comment behind it, a
    **directive**, shows values as they are once the statement is done; in a
    loop, in each pass:)");
  text(listing());
  const std::string word = "banana";
  std::map<char, int> counts;
  for (const char letter : word) {
    ++counts[letter];  // @inspect letter counts
  }
  const std::set<char> letters(
      word.begin(),
      word.end());  // @inspect letters counts['a'] word.size()

  text(R"(
    What has served its purpose is cleared, so that the panel stays small:)");
  text(listing());
  const int of_twelve = divisors(
      12);  // @clear counts letters counts['a'] word.size() @inspect of_twelve

  text(R"(
    Step into the call above: within it, the panel has the variables of the
    function. Of a value with more than 100 elements or 4 KB the beginning is
    shown, unless the directive asks for all of it. One that is not the same
    in each run is marked as such: it is shown, and never compared.)");
  text(listing());
  std::vector<int> squares(120);
  for (int i = 0; i < 120; ++i)  // @stepover
    squares[static_cast<size_t>(i)] = i * i;
  // @full squares @inspect place @volatile place
  const auto place = reinterpret_cast<std::uintptr_t>(squares.data());

  text(R"(
    A value that belongs into the text is shown there, in place of the line:)");
  text(listing());
  inspect(squares.front(), squares.back());

  text("Pointers show what they lead to:");
  text(listing());
  const auto shared = std::make_shared<std::string>("owned by two");
  const std::string* const nothing = nullptr;  // @inspect shared nothing

  text(R"(
    With an asterisk all variables of the scope are shown; on the first line
    of a function, after each of its statements what has changed. Step into
    this call:)");
  text(listing());
  assert(gcd(48, 18) == 6);
}

class Account {
 public:
  explicit Account(int cents) : cents_(cents) {}
  void add(int cents) { cents_ += cents; }

 private:
  int cents_;
};

struct Fraction {
  int above, below;
};
std::ostream& operator<<(std::ostream& out, const Fraction& f) {
  return out << f.above << '/' << f.below;
}

struct Interval {
  double from, to;
};
void to_value(ValueWriter& out, const Interval& i) {
  out.text("Interval", fmt::format("[{}, {}]", i.from, i.to));
}

void values_of_your_own() {
  text("## Values of your own types");
  text(R"(
    A class shows its fields, private ones too. There is nothing to write for
    it:)");
  text(listing());
  Account savings(1250);  // @inspect savings
  savings.add(50);        // @inspect savings
  text("The class is"), link<Account>(), text(".");

  text("One that has an `operator<<` is shown as it prints itself:");
  text(listing());
  const std::vector<Fraction> halves = {
      {1, 2}, {2, 4}, {3, 6}};  // @inspect halves

  text(R"(
    And where the page should have another form than the log, a function
    `to_value` gives it:)");
  text(listing());
  const Interval unit{0, 1};  // @inspect unit

  text(R"(
    A tensor shows shape, dtype, elements and a histogram. Its name in the
    panel, as that of any variable, opens all values that it had.)");
  text(listing());
  const Tensor grid = arange(0, 12, 1, {.dtype = float32})
                          .view({3, 4});  // @inspect grid grid.T().sum(0)
}
