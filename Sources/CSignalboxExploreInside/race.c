// race.c: the thread sanitizer reports a race: its schedule is reported with it.
#include "core.h"
#include "csignalbox_explore_inside.h"
#include "face.h"

static uint32_t races;
uint32_t sbx_inside_races(void) { return races; }

#ifdef SBX_SANITIZED
// Called by the sanitizer for each report, before the program goes on or, with halt_on_error, ends.
EXPORT void __tsan_on_report(void *report);
EXPORT void __tsan_on_report(void *report) {
  (void)report;
  if (!sbx_self || !sbx_state->is_active) return;
  races++;
  int was_inside = (int)sbx_self->is_inside;
  sbx_self->is_inside = 1;
  sbx_inside_tell("explore: the race that is reported here came", 0);
  sbx_self->is_inside = (uint32_t)was_inside;
}
#endif

SANITIZED_AGAIN
