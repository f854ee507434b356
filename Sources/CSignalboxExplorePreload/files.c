// files.c: what changes the file system. Runs share it, so what one has removed the next must have made itself: a run begins at the
// latest before the program makes its first file or folder.
#include "face.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
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

SANITIZED_AGAIN
