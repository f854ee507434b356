// files.c: what changes the file system, and locks on files. Runs share it, so what one has removed the next must have made itself: a run
// begins at the latest before the program makes its first file or folder, or locks one.
#include "face.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>

#define CHANGES(result, name, parameters, arguments) \
  EXPORT result name parameters { \
    fork_here(); \
    return REAL(name) arguments; \
  }
CHANGES(int, mkdir, (const char *p, mode_t m), (p, m))
CHANGES(int, mkdirat, (int d, const char *p, mode_t m), (d, p, m))
CHANGES(char *, mkdtemp, (char *t), (t))
CHANGES(int, mkstemp, (char *t), (t))
CHANGES(int, mkostemp, (char *t, int f), (t, f))
CHANGES(int, unlink, (const char *p), (p))
CHANGES(int, unlinkat, (int d, const char *p, int f), (d, p, f))
CHANGES(int, rmdir, (const char *p), (p))
CHANGES(int, remove, (const char *p), (p))
CHANGES(int, rename, (const char *o, const char *n), (o, n))
CHANGES(int, link, (const char *o, const char *n), (o, n))
CHANGES(int, symlink, (const char *o, const char *n), (o, n))

// The mode is there only where a file may be made.
#define OPENS(name, parameters, arguments, flags) \
  EXPORT int name parameters { \
    mode_t mode = 0; \
    if (flags & (O_CREAT | __O_TMPFILE)) { \
      va_list list; \
      va_start(list, flags); \
      mode = va_arg(list, mode_t); \
      va_end(list); \
    } \
    if (flags & (O_CREAT | O_TRUNC)) fork_here(); \
    return REAL(name) arguments; \
  }
OPENS(open, (const char *p, int f, ...), (p, f, mode), f)
OPENS(open64, (const char *p, int f, ...), (p, f, mode), f)
OPENS(openat, (int d, const char *p, int f, ...), (d, p, f, mode), f)
OPENS(openat64, (int d, const char *p, int f, ...), (d, p, f, mode), f)

// --- locks on files ---

// One that is free is taken at once. Who has it otherwise may be another process: it is waited for in the kernel.
#define LOCKS_FILE(attempt, whole) \
  fork_here(); \
  if (!is_on()) return (whole); \
  point(SBX_FILE_LOCK, 0, PLACE); \
  int result = (attempt); \
  if (result == 0 || (errno != EAGAIN && errno != EACCES)) return result; \
  sbx_go_out(PLACE); \
  result = (whole); \
  int saved = errno; \
  sbx_come_back(); \
  errno = saved; \
  return result;

EXPORT int flock(int descriptor, int operation) {
  if (!is_on() || operation & (LOCK_NB | LOCK_UN)) return REAL(flock)(descriptor, operation);
  LOCKS_FILE(REAL(flock)(descriptor, operation | LOCK_NB), REAL(flock)(descriptor, operation))
}
#define LOCKS_PART(name, type) \
  EXPORT int name(int descriptor, int command, type size) { \
    if (!is_on() || command != F_LOCK) return REAL(name)(descriptor, command, size); \
    LOCKS_FILE(REAL(name)(descriptor, F_TLOCK, size), REAL(name)(descriptor, command, size)) \
  }
LOCKS_PART(lockf, off_t)
LOCKS_PART(lockf64, off64_t)
#define CONTROLS(name) \
  EXPORT int name(int descriptor, int command, ...) { \
    va_list list; \
    va_start(list, command); \
    void *argument = va_arg(list, void *); \
    va_end(list); \
    if (!is_on() || (command != F_SETLKW && command != F_OFD_SETLKW)) return REAL(name)(descriptor, command, argument); \
    LOCKS_FILE(REAL(name)(descriptor, command == F_SETLKW ? F_SETLK : F_OFD_SETLK, argument), \
               REAL(name)(descriptor, command, argument)) \
  }
CONTROLS(fcntl)
CONTROLS(fcntl64)

SANITIZED_AGAIN
