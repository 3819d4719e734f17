#include <cstdio>

#include <compare>
#include <cstdlib>

class Vector {
 public:
  Vector(int x, int y) : x_(x), y_(y) {}
  Vector operator+(const Vector& other) const { return {x_ + other.x_, y_ + other.y_}; }
  Vector& operator*=(int factor) {
    x_ *= factor;
    y_ *= factor;
    return *this;
  }
  int operator()(int shift) const { return x_ + y_ + shift; }
  int operator[](int i) const {
    if (i == 0) return x_;
    return y_;
  }
  explicit operator bool() const { return x_ != 0 || y_ != 0; }
  auto operator<=>(const Vector&) const = default;
  static Vector zero() { return {0, 0}; }
  friend Vector operator-(const Vector& v) { return {-v.x_, -v.y_}; }
  static void* operator new(std::size_t size) { return std::malloc(size); }
  static void operator delete(void* at) { std::free(at); }

 private:
  int x_, y_;
};

int main() {
  Vector v = Vector(1, 2) + Vector(3, 4);
  v *= 2;
  std::printf("%d\n", v(1));
  std::printf("%d\n", v[0]);
  std::printf("%d\n", static_cast<bool>(Vector::zero()));
  std::printf("%d\n", (-v)[1]);
  std::printf("%d\n", v > Vector::zero());
  const Vector* allocated = new Vector(v);
  delete allocated;
}
