// What the parts of lecture 7 include, and the parts in their order; each has a file of its own.

#pragma once

#include <lectern/calculator.h>
#include <lectern/lecture.h>

using namespace lectern;

// The data sheet of an H100 SXM, and what its links move in one direction.
inline constexpr Hardware kH100 = *find_product("H100 SXM");
inline constexpr double kWithinNode = 450e9;   // bytes a second, NVLink
inline constexpr double kBetweenNodes = 50e9;  // bytes a second, 400 Gbit/s for each GPU

void the_question();  // question.cpp
void collectives();
void rings_and_trees();  // rings.cpp
void the_model();        // model.cpp
void data_parallel();
void sharded_state();
void divided_matrices();
void divided_layers();
void communication_beside_computation();  // overlap.cpp
void other_numbers_of_ranks();            // checkpoints.cpp
void what_breaks();
void which_when();
