#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>

// What headers declare for users, and what tests call: for tests that no operation goes without one.

namespace lectern::test {

/// Headers of engine/ops without operations for users.
inline const std::set<std::string> kInnerHeaders = {
    "autocast",           "class_operands", "convolution_composed",
    "compute_dtype",      "devices",        "dims",
    "elementwise_record", "index_access",   "operands",
    "random_draw",        "reduction",      "windows"};

/// The repository; empty where its sources are not.
std::filesystem::path repository();

/// What a header declares that returns tensors, or compares them: functions, or the methods of a class.
enum class Declares { functions, methods };
std::set<std::string> declared_operations(const std::filesystem::path& header, Declares what);
/// Those of the headers in a folder without the ones named.
std::set<std::string> operations_of_folder(const std::filesystem::path& folder,
                                           const std::set<std::string>& inner);
/// The functions of reductions, scans and row operations, which tables declare. (Elementwise operations are
/// tested by their table.)
std::set<std::string> operations_of_tables();

/// The code of the tests in a folder for which keep(name of the file, test) holds, without comments and what
/// stands in quotes.
std::string code_of_tests(const std::filesystem::path& folder,
                          const std::function<bool(const std::string&, const std::string&)>& keep);
/// Whether the code calls a function or method of this name.
bool is_called(const std::string& code, const std::string& name);

}  // namespace lectern::test
