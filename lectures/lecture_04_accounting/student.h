// Lecture 4, a small network that learns from a larger one.

#pragma once

#include <memory>

#include "parts.h"

// What an update is to be made with.
struct Recipe {
  std::string optimizer = "AdamW";  // or "SGD", "AdaGrad", "Lion"
  double lr = 1e-2;
  double floor = 0.1;  // the share of the rate at which its cosine ends; 1: constant
  int64_t steps = 200;
  std::uint64_t seed = 0;
};

// Two layers with a gelu between, from 16 inputs to 8 outputs.
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
