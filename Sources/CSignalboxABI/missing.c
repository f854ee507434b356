// missing.c: what the toolchain's library exports and this one does not have yet. Each stops the program and says its name.
#include "csignalboxabi.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void sb_abi_stop_not_built(const char *name) {
  static const char text[] = "signalbox: not built yet: ";
  if (write(2, text, sizeof text - 1) < 0 || write(2, name, strlen(name)) < 0 || write(2, "\n", 1) < 0) abort();
  abort();
}

#define MISSING(name) \
  __attribute__((visibility("default"))) void name(void) { sb_abi_stop_not_built(#name); }

MISSING(dispatch_io_barrier)
MISSING(dispatch_io_barrier_f)
MISSING(dispatch_io_close)
MISSING(dispatch_io_create)
MISSING(dispatch_io_create_f)
MISSING(dispatch_io_create_with_io)
MISSING(dispatch_io_create_with_io_f)
MISSING(dispatch_io_create_with_path)
MISSING(dispatch_io_create_with_path_f)
MISSING(dispatch_io_get_descriptor)
MISSING(dispatch_io_read)
MISSING(dispatch_io_read_f)
MISSING(dispatch_io_set_high_water)
MISSING(dispatch_io_set_interval)
MISSING(dispatch_io_set_low_water)
MISSING(dispatch_io_write)
MISSING(dispatch_io_write_f)
MISSING(dispatch_read)
MISSING(dispatch_read_f)
MISSING(dispatch_write)
MISSING(dispatch_write_f)
