// What the parts of lecture 4 include, and the parts in their order; each has a file of its own.

#pragma once

#include <lectern/calculator.h>
#include <lectern/lecture.h>

#include "../shared/references.h"
#include "../shared/with_commas.h"

using namespace lectern;

// The data sheet of an H100 SXM.
inline constexpr Hardware kH100 = *find_product("H100 SXM");

void the_question();          // question.cpp
void memory_of_a_step();      // memory.cpp
void operations_of_a_step();  // operations.cpp
void time_of_a_step();        // time.cpp
void mixed_precision();
void noise();
void recomputation();
void fused_attention();
void sharding();
void optimizers();
void learning_rates();
void int8_weights();
void a_worked_model();  // worked.cpp
void cheat_sheet();
