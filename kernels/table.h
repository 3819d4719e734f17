#pragma once

// What tables of rows X(name, …) are expanded with.

/// The names, as enumerators.
#define LECTERN_NAME(name, ...) name,

/// How many rows there are, after a 0.
#define LECTERN_COUNT(...) +1
