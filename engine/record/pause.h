#pragma once

namespace lectern::record {

/// While one lives, calls into traced code record nothing and their time is not the step's: values are shown
/// through operators that may be the lecture's own.
class Pause {
 public:
  Pause();
  ~Pause();
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

 private:
  bool active_;
};

}  // namespace lectern::record
