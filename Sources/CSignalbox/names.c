// names.c: the Swift runtime's own ways with names, by weak references: bound when this image is loaded, since asking the loader at
// report time could mean to wait for a lock that a deadlocked thread holds. Null in a program without them.
#include "Shared/own_code.h"
#include "csignalbox.h"

extern char *simplified(const char *, size_t, char *, size_t *) __asm__("_swift_backtrace_demangle") __attribute__((weak));
extern _Bool thunk(const char *) __asm__("_swift_backtrace_isThunkFunction") __attribute__((weak));
extern char *whole(const char *, size_t, char *, size_t *, uint32_t) __asm__("swift_demangle") __attribute__((weak));

char *sb_name_for_people(const char *name, size_t length) {
  size_t size = 0;
  return &simplified ? simplified(name, length, NULL, &size) : NULL;
}

char *sb_name_in_full(const char *name, size_t length) { return &whole ? whole(name, length, NULL, NULL, 0) : NULL; }

int sb_is_thunk(const char *name) { return &thunk ? thunk(name) : 0; }
