#include <cstdio>

int main() { std::puts("marked"); }
