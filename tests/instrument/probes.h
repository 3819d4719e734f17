// What an instrumented file includes first, precompiled for the fixtures (CMakeLists.txt). It is never
// included itself.

#include <cstdio>

#include "record/inspect.h"
