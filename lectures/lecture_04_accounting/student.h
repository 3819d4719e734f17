// Lecture 4, a small network that learns from a larger one.

#pragma once

#include <memory>

#include "parts.h"

// What an update is to be made with.
struct Recipe {
  std::string optimizer = "AdamW";  // or "SGD", "AdaGrad", "Lion"
  double lr = 1e-2;
  double floor = 0.1;  // what a cosine leaves of the rate at the end; 1: constant
  int64_t steps = 200;
  std::uint64_t seed = 0;
};

// gelu between two layers, of 16 numbers.
struct Student : nn::Module {
  nn::Linear up, down;

  explicit Student(int64_t width);
  Tensor operator()(const Tensor& x) const { return down(gelu(up(x))); }
};

// The teacher's answers: what a student is asked for.
Tensor answers(const Tensor& x);

// Trains a new student; its steps see points that no other step does.
Student trained(const Recipe& recipe);

// The mean squared error on points of its own.
double error_of_student(const Student& student);
