// The parts of the guide, in its order.  @hide file

#pragma once

#include <lectern/lecture.h>

using namespace lectern;

void prose();
void figures();
void plots_and_tables();
void boxes();
void values_of_variables();
void values_of_your_own();
void steps();
void large_runs();
void claims_and_exercises();
void calculators();
void costs();
void before_it_is_published();

/// The source that follows the call, up to the next empty line, as a
/// block of Markdown.
std::string listing(const char* file = __builtin_FILE(),
                    int line = __builtin_LINE());
