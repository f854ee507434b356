// ending.c: how a program ends that Signalbox stops, after its report: by SIGABRT, and without the Swift runtime's own backtrace behind it,
// which would push the report off the screen. Other handlers of that signal run.
//
// C because the thread may be the only one in the child of a fork, where the locks of the loader and the heap may be held: this takes none.
#include "Shared/own_code.h"
#define _GNU_SOURCE
#include "csignalbox.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>

struct found_object {
  unsigned long long flags;
  void *start, *end;
  struct link_map *map;
  unsigned long long reserved[9];
};
extern int find_object(void *, struct found_object *) __asm__("_dl_find_object") __attribute__((weak));

// The runtime's library exports the first alone. So the second is bound where the runtime is linked into this image, and only there: it lies
// in one object file with the handler, which has no name of its own to bind.
extern _Bool exported(const char *) __asm__("_swift_backtrace_isThunkFunction") __attribute__((weak));
extern int installer(void) __asm__("_swift_installCrashHandler") __attribute__((weak));
enum { OBJECT_FILE = 16 << 10 };  // bytes; it has 4 kB on x86-64

static uintptr_t image_of(uintptr_t address) {
  struct found_object object;
  if (&find_object) return find_object((void *)address, &object) ? 0 : (uintptr_t)object.map;
  Dl_info image;
  return !sb_forked_child && dladdr((void *)address, &image) ? (uintptr_t)image.dli_fbase : 0;
}

int sb_is_backtracer(uintptr_t handler) {
  if (&installer) return handler - (uintptr_t)installer + OBJECT_FILE < 2 * OBJECT_FILE;
  return &exported && image_of(handler) && image_of(handler) == image_of((uintptr_t)exported);
}

void sb_end(void) {
  struct sigaction action;
  // One place holds both kinds of handler. The calls are ours (signals.c): they know what the program asked for while a source monitors.
  if (!sigaction(SIGABRT, NULL, &action) && action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN &&
      sb_is_backtracer((uintptr_t)action.sa_handler)) {
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigaction(SIGABRT, &plain, NULL);
  }
  abort();
}
