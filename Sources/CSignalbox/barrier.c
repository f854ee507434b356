// barrier.c: a call that no exception leaves. Unwinding is stopped by the frame's own personality routine (asked_frame.h).
#include "Shared/own_code.h"
#include "Shared/asked_frame.h"
#include "csignalbox.h"

#include <unwind.h>

// Asked by the unwinder whether this frame handles the exception. In the search phase the answer is an error: the search ends
// here, and the runtime that threw calls its terminate handler with every frame still in place. A forced unwind (the end of
// the thread) goes on.
__attribute__((visibility("hidden"), used)) _Unwind_Reason_Code sb_barrier_personality(
    int version, _Unwind_Action actions, uint64_t kind, struct _Unwind_Exception *exception, struct _Unwind_Context *context) {
  (void)version; (void)kind; (void)exception; (void)context;
  return (actions & _UA_SEARCH_PHASE) ? _URC_FATAL_PHASE1_ERROR : _URC_CONTINUE_UNWIND;
}

SB_ASKED_FRAME(sb_call_barred, sb_barrier_personality);
