// Loaded before a program (LD_PRELOAD): the n-th call that changes a file below a folder kills, or fails.
//   LECTERN_FAIL_UNDER  the folder, absolute
//   LECTERN_FAIL_CALLS  a file of one int: how many such calls the run's processes made so far, together
//   LECTERN_FAIL_AT     n, from 1
//   LECTERN_FAIL_WITH   "kill" the process, "kill all" of its group, or the number of an error

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static const char* under;
static atomic_int* calls;
static int fail_at;
static const char* fail_with;

__attribute__((constructor)) static void begin(void) {
  const char* const file = getenv("LECTERN_FAIL_CALLS");
  const char* const at = getenv("LECTERN_FAIL_AT");
  fail_with = getenv("LECTERN_FAIL_WITH");
  if (file == NULL || at == NULL || fail_with == NULL) return;
  int (*const real_open)(const char*, int, ...) = dlsym(RTLD_NEXT, "open");
  const int descriptor = real_open(file, O_RDWR | O_CLOEXEC);
  void* const memory = mmap(NULL, sizeof *calls, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  close(descriptor);
  if (memory == MAP_FAILED) abort();
  calls = memory;
  fail_at = atoi(at);
  under = getenv("LECTERN_FAIL_UNDER");
}

// Counts a call on this absolute path. Returns whether it is to fail, with errno set.
static int fails(const char* path) {
  if (under == NULL || strncmp(path, under, strlen(under)) != 0) return 0;
  if (atomic_fetch_add(calls, 1) + 1 != fail_at) return 0;
  if (strcmp(fail_with, "kill") == 0) kill(getpid(), SIGKILL);
  if (strcmp(fail_with, "kill all") == 0) kill(0, SIGKILL);
  errno = atoi(fail_with);
  return 1;
}

static int fails_descriptor(int descriptor) {
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const int before = errno;
  const ssize_t size = readlink(link, path, sizeof path - 1);
  errno = before;
  if (size < 0) return 0;
  path[size] = '\0';
  return fails(path);
}

static int fails_at(int folder, const char* name) {
  if (name[0] == '/') return fails(name);
  char link[64], path[2 * PATH_MAX];
  if (folder == AT_FDCWD) {
    snprintf(link, sizeof link, "/proc/self/cwd");
  } else {
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
  }
  const ssize_t size = readlink(link, path, PATH_MAX);
  if (size < 0) return 0;
  snprintf(path + size, sizeof path - (size_t)size, "/%s", name);
  return fails(path);
}

static int fails_path(const char* path) {
  return fails_at(AT_FDCWD, path);
}

#define REAL(name) ((__typeof__(name)*)dlsym(RTLD_NEXT, #name))

// A function of the C library that changes what `check` looks at.
#define CHANGING(type, name, parameters, arguments, check, failure) \
  type name parameters {                                            \
    if (check) return failure;                                      \
    return REAL(name) arguments;                                    \
  }

CHANGING(ssize_t, write, (int fd, const void* text, size_t size), (fd, text, size), fails_descriptor(fd), -1)
CHANGING(ssize_t, writev, (int fd, const struct iovec* parts, int count), (fd, parts, count),
         fails_descriptor(fd), -1)
CHANGING(ssize_t, pwrite, (int fd, const void* text, size_t size, off_t at), (fd, text, size, at),
         fails_descriptor(fd), -1)
CHANGING(ssize_t, pwrite64, (int fd, const void* text, size_t size, off64_t at), (fd, text, size, at),
         fails_descriptor(fd), -1)
CHANGING(int, ftruncate, (int fd, off_t size), (fd, size), fails_descriptor(fd), -1)
CHANGING(int, ftruncate64, (int fd, off64_t size), (fd, size), fails_descriptor(fd), -1)
CHANGING(int, fallocate, (int fd, int mode, off_t at, off_t size), (fd, mode, at, size), fails_descriptor(fd),
         -1)
CHANGING(int, fallocate64, (int fd, int mode, off64_t at, off64_t size), (fd, mode, at, size),
         fails_descriptor(fd), -1)
CHANGING(int, fchmod, (int fd, mode_t mode), (fd, mode), fails_descriptor(fd), -1)
CHANGING(ssize_t, sendfile, (int to, int from, off_t* at, size_t size), (to, from, at, size),
         fails_descriptor(to), -1)
CHANGING(int, truncate, (const char* path, off_t size), (path, size), fails_path(path), -1)
CHANGING(int, chmod, (const char* path, mode_t mode), (path, mode), fails_path(path), -1)
CHANGING(int, rename, (const char* from, const char* to), (from, to), fails_path(to), -1)
CHANGING(int, renameat, (int a, const char* from, int b, const char* to), (a, from, b, to), fails_at(b, to),
         -1)
CHANGING(int, link, (const char* from, const char* to), (from, to), fails_path(to), -1)
CHANGING(int, symlink, (const char* from, const char* to), (from, to), fails_path(to), -1)
CHANGING(int, unlink, (const char* path), (path), fails_path(path), -1)
CHANGING(int, unlinkat, (int folder, const char* name, int flags), (folder, name, flags),
         fails_at(folder, name), -1)
CHANGING(int, remove, (const char* path), (path), fails_path(path), -1)
CHANGING(int, rmdir, (const char* path), (path), fails_path(path), -1)
CHANGING(int, mkdir, (const char* path, mode_t mode), (path, mode), fails_path(path), -1)
CHANGING(int, mkdirat, (int folder, const char* name, mode_t mode), (folder, name, mode),
         fails_at(folder, name), -1)
CHANGING(int, utimensat, (int folder, const char* name, const struct timespec times[2], int flags),
         (folder, name, times, flags), fails_at(folder, name), -1)
CHANGING(FILE*, fopen, (const char* path, const char* mode), (path, mode),
         strpbrk(mode, "wa+") != NULL && fails_path(path), NULL)
CHANGING(FILE*, fopen64, (const char* path, const char* mode), (path, mode),
         strpbrk(mode, "wa+") != NULL && fails_path(path), NULL)

// Opening for reading changes nothing.
#define OPENING(name)                                                                \
  int name(const char* path, int flags, ...) {                                       \
    va_list rest;                                                                    \
    va_start(rest, flags);                                                           \
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;           \
    va_end(rest);                                                                    \
    if ((flags & (O_WRONLY | O_RDWR | O_CREAT)) != 0 && fails_path(path)) return -1; \
    return REAL(name)(path, flags, mode);                                            \
  }

OPENING(open)
OPENING(open64)

// Nothing waits for the disk: what it keeps when the power goes is not what is tested here.
#define FLUSHING(name)                    \
  int name(int fd) {                      \
    return fails_descriptor(fd) ? -1 : 0; \
  }

FLUSHING(fsync)
FLUSHING(fdatasync)
