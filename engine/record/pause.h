#pragma once

namespace lectern::record {

/// While one exists, calls into traced code record nothing and their time is not the step's. For code that
/// may call operators of the lecture's own, as showing a value does.
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
