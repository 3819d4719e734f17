#include "cli/commands.h"

int main(int argc, char** argv) {
  return lectern::cli::run(argc, argv);
}
