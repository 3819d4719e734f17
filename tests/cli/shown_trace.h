#pragma once

#include <string>

namespace lectern::cli {

/// A trace of one step, in LECTURE.cpp, that shows these renderings.
inline std::string trace_showing(const std::string& lecture, const std::string& renderings) {
  return R"({"format":"lectern-trace/1","lecture":")" + lecture + R"(","records":[
{"source":0,"path":")" +
         lecture + R"(.cpp","language":"cpp","lines":["void f() {","  show();","}"]},
{"function":0,"name":"f","source":0,"span":[1,1,3,2]},
{"site":0,"function":0,"span":[2,3,2,10],"kind":"hook"},
{"stack":0,"function":0},
{"at":0,"in":0,"enter":1,"show":[)" +
         renderings + R"(]},
{"end":"return","status":0,"steps":1}
]}
)";
}

}  // namespace lectern::cli
