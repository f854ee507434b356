// debug.c: functions with variable arguments.
#include "csignalboxabi.h"

#include <stdarg.h>
#include <stdio.h>

#define EXPORTED __attribute__((visibility("default")))

// SignalboxABI: writes what the object is, as text, and returns how long that is.
extern size_t signalbox_describe(void *object, char *buffer, size_t size);

EXPORTED void dispatch_debugv(void *object, const char *format, va_list arguments) {
  char message[1024], description[1024];
  vsnprintf(message, sizeof message, format, arguments);
  signalbox_describe(object, description, sizeof description);
  fprintf(stderr, "signalbox: %s: %s\n", message, description);
}

EXPORTED void dispatch_debug(void *object, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  dispatch_debugv(object, format, arguments);
  va_end(arguments);
}

EXPORTED void _dispatch_log(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("signalbox: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
}
