#include <cstdio>

#include <string>

int main() {
  std::string 词 = "你好"; int länge = static_cast<int>(词.size()); // @inspect 词 länge
  std::printf("%s %d\n", 词.c_str(), länge);  // „zitiert“
}
