#include <cstdio>
int main() {
	for (int i = 0; i < 2; ++i)
		std::printf("%d\n", i); }