// Prints in every way there is; the argument chooses.
#include <cstdio>
#include <cstdlib>
#include <cwchar>
#include <iomanip>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "hand.h"

namespace {

constexpr hand::Function functions[] = {hand::function("main", 1)};
constexpr hand::Site sites[] = {hand::at(0, 10), hand::at(0, 11), hand::at(0, 12)};
hand::Source source = hand::source("printing.cpp", functions, sites);
const bool registered = lectern::probe::add_source(source);

}  // namespace

int main(int, char** arguments) {
  const std::string what = arguments[1];
  if (what == "early") std::cout << "before the first step\n";
  hand::Frame frame(source, 0);
  frame.at(0);
  if (what == "mixed") {
    std::cout << "one ";
    std::printf("two ");
    std::fputs("three ", stdout);
    std::cout << "four" << std::endl;
    std::cerr << "wrong ";
    std::fprintf(stderr, "%d", 5);
    std::clog << " logged";
  }
  if (what == "wide") {
    std::cout << "one ";
    std::wcout << L"tw\u00f6 " << L'3' << std::flush;
    const bool printed = std::wprintf(L" %ls %d", L"f\u00f6ur", 5) == 7 &&
                         std::fputws(L" six", stdout) >= 0 && std::fputwc(L' ', stdout) == L' ' &&
                         std::putwchar(L'7') == L'7';
    std::printf(printed ? " all" : " not all");
    std::wcerr << L"wrong ";
    std::fwprintf(stderr, L"%d", 5);
    std::wclog << L" logged \U0001F600";
    FILE* file = std::fopen(arguments[2], "w");
    std::fwprintf(file, L"%ls", L"elsewhere");
    std::fclose(file);
  }
  if (what == "wide and reopened") {
    std::wcout << L"captured\n";
    frame.at(1);
    if (std::freopen(arguments[2], "w", stdout) == nullptr) return 1;
    std::wprintf(L"into ");
    std::wcout << L"the file\n";
  }
  if (what == "unsynchronised") {
    std::ios::sync_with_stdio(false);
    std::cin.tie(nullptr);
    std::cout << "fast " << std::setw(6) << std::setfill('.') << std::fixed << std::setprecision(2) << 1.005
              << '|' << std::hex << 255 << '\n';
  }
  if (what == "reopened") {
    std::cout << "captured\n";
    frame.at(1);
    if (std::freopen(arguments[2], "w", stdout) == nullptr) return 1;
    std::printf("into ");
    std::cout << "the file\n";
  }
  if (what == "split") {
    std::cout << "\xc3";
    frame.at(1);
    std::cout << "\xa9";
  }
  if (what == "bytes") std::cout << "ab\xff";
  if (what == "huge") {
    for (int i = 0; i < 30000; ++i) std::cout << "caf\xc3\xa9";
  }
  if (what == "endless") {
    const std::string much(40'000, 'x');
    for (int i = 0; i < 500; ++i) {
      frame.at(1);
      std::cout << much;
    }
  }
  if (what == "children") {
    std::cout << "own\n";
    if (std::system("echo child; echo wrong >&2") != 0) return 1;
    if (write(STDOUT_FILENO, "raw\n", 4) != 4) return 1;
  }
  if (what == "threads") {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([] {
        for (int i = 0; i < 500; ++i) std::cout << "x";
      });
    }
    for (int i = 0; i < 2000; ++i) frame.at(1);
    for (std::thread& thread : threads) thread.join();
  }
  frame.at(2);
}
