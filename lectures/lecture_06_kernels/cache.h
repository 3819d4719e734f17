// A model of a cache, to count with.

#pragma once

#include <cstdint>
#include <list>
#include <unordered_map>

// Memory is moved in lines. A cache keeps those that were used last, as many as fit, in any place. What is not there
// is fetched, and the line that has not been used for longest gives way; one that was written to is written back. So
// does a cache that is real, but for places: there a line may lie only in a few.
class Cache {
 public:
  Cache(int64_t bytes, int64_t line_bytes) : capacity_(bytes / line_bytes), line_bytes_(line_bytes) {}

  int64_t fetched = 0, written_back = 0;  // lines

  // Whether the byte's line was there; it is now.  @stepover
  bool read(int64_t address) { return use(address / line_bytes_, false); }
  // @stepover
  bool write(int64_t address) { return use(address / line_bytes_, true); }

  // The end: what was written to goes back to memory.
  // @stepover
  void flush() {
    for (const Line& line : lines_) written_back += line.changed ? 1 : 0;
    lines_.clear();
    places_.clear();
  }
  // @stepover
  int64_t bytes_moved() const { return (fetched + written_back) * line_bytes_; }

 private:
  struct Line {
    int64_t number;
    bool changed;
  };

  // @stepover
  bool use(int64_t number, bool changes) {
    const auto found = places_.find(number);
    if (found != places_.end()) {
      lines_.splice(lines_.begin(), lines_, found->second);  // to the front: used last
      lines_.front().changed |= changes;
      return true;
    }
    if (static_cast<int64_t>(lines_.size()) == capacity_) {
      written_back += lines_.back().changed ? 1 : 0;
      places_.erase(lines_.back().number);
      lines_.pop_back();
    }
    lines_.push_front({number, changes});
    places_[number] = lines_.begin();
    ++fetched;
    return false;
  }

  int64_t capacity_, line_bytes_;
  std::list<Line> lines_;  // those used last come first
  std::unordered_map<int64_t, std::list<Line>::iterator> places_;
};
