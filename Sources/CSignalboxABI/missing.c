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

MISSING(_dispatch_block_create)
MISSING(_dispatch_bug)
MISSING(_dispatch_iocntl)
MISSING(_dispatch_is_multithreaded)
MISSING(_dispatch_poll_for_events_4launchd)
MISSING(_dispatch_prohibit_transition_to_multithreaded)
MISSING(_dispatch_runloop_root_queue_create_4CF)
MISSING(_dispatch_runloop_root_queue_perform_4CF)
MISSING(_dispatch_runloop_root_queue_wakeup_4CF)
MISSING(_dispatch_wait_for_enqueuer)
MISSING(_dispatch_workloop_should_yield_4NW)
MISSING(_os_object_alloc)
MISSING(_os_object_alloc_realized)
MISSING(_os_object_dealloc)
MISSING(_os_object_release_internal)
MISSING(_os_object_release_internal_n)
MISSING(_os_object_retain_internal)
MISSING(_os_object_retain_internal_n)
MISSING(_os_object_retain_with_resurrect)
MISSING(dispatch_atfork_child)
MISSING(dispatch_atfork_parent)
MISSING(dispatch_atfork_prepare)
MISSING(dispatch_benchmark)
MISSING(dispatch_benchmark_f)
MISSING(dispatch_block_create_with_voucher)
MISSING(dispatch_block_create_with_voucher_and_qos_class)
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
MISSING(dispatch_queue_create_with_accounting_override_voucher)
MISSING(dispatch_queue_set_label_nocopy)
MISSING(dispatch_read)
MISSING(dispatch_read_f)
MISSING(dispatch_set_qos_class)
MISSING(dispatch_set_qos_class_fallback)
MISSING(dispatch_set_qos_class_floor)
MISSING(dispatch_source_cancel_and_wait)
MISSING(dispatch_source_get_extended_data)
MISSING(dispatch_source_merge_data)
MISSING(dispatch_source_set_mandatory_cancel_handler)
MISSING(dispatch_source_set_mandatory_cancel_handler_f)
MISSING(dispatch_workloop_copy_current)
MISSING(dispatch_workloop_create)
MISSING(dispatch_workloop_create_inactive)
MISSING(dispatch_workloop_is_current)
MISSING(dispatch_workloop_set_autorelease_frequency)
MISSING(dispatch_workloop_set_cpupercent)
MISSING(dispatch_workloop_set_qos_class)
MISSING(dispatch_workloop_set_qos_class_floor)
MISSING(dispatch_write)
MISSING(dispatch_write_f)
