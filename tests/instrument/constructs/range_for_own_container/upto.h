#pragma once

struct Upto {
  struct Iterator {
    int at;
    int operator*() const { return at; }
    Iterator& operator++() {
      ++at;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at != other.at; }
  };
  int n;
  Iterator begin() const { return {0}; }
  Iterator end() const { return {n}; }
};
