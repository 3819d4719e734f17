#ifndef PARTS_UNITS_H
#define PARTS_UNITS_H

namespace parts {

inline int offset() { return 1; }

template <typename T>
double to_metres(T centimetres) {
  return static_cast<double>(centimetres) / 100;
}

}  // namespace parts

#endif
