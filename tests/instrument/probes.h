#pragma once

// What an instrumented file includes first, precompiled for the fixtures (CMakeLists.txt).

#include <cstdio>

#include "record/inspect.h"
