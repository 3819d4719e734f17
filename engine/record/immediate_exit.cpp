#include "record/immediate_exit.h"

#include <cstdlib>

#include <sys/syscall.h>
#include <unistd.h>

namespace lectern::probe {

constinit ExitObserver on_immediate_exit = nullptr;  // here, so that whoever sets it links these functions

}  // namespace lectern::probe

// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" void _exit(int status) {
  if (lectern::probe::on_immediate_exit != nullptr) lectern::probe::on_immediate_exit();
  for (;;) syscall(SYS_exit_group, status);
}
extern "C" void _Exit(int status) {
  _exit(status);
}
// NOLINTEND(bugprone-reserved-identifier)
