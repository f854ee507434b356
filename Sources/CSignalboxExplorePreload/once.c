// once.c: what is done once, and is done anew if it is left by an exception or by the thread's end; C11's `call_once`.
//
// A frame that is only passed through by an exception has nothing to say in C. This one's own routine (asked_frame.h) is asked by the unwinder:
// it lets the exception pass and gives the once back.
#include "asked_frame.h"
#include "face.h"

#include <pthread.h>
#include <threads.h>
#include <unwind.h>

// The C library's value of a once that is through.
enum { ONCE_DONE = 2 };

// What the thread is in the midst of, the innermost first.
struct under_way { const pthread_once_t *once; struct under_way *outer; };
static __thread struct under_way *innermost __attribute__((tls_model("initial-exec")));

static void leave(void) {
  uint64_t once = KEY(innermost->once);
  innermost = innermost->outer;
  sbx_released(once);
  sbx_wake_all(once, ~0u);
}

// By then the C library's frame, which lies within, has made the once one that is still to be done.
__attribute__((visibility("hidden"), used)) _Unwind_Reason_Code sbx_once_personality(
    int version, _Unwind_Action actions, uint64_t kind, struct _Unwind_Exception *exception, struct _Unwind_Context *context) {
  (void)version, (void)kind, (void)exception, (void)context;
  if (actions & _UA_CLEANUP_PHASE) leave();
  return _URC_CONTINUE_UNWIND;
}

int sbx_call_once(int (*function)(pthread_once_t *, void (*)(void)), pthread_once_t *once, void (*body)(void));
SB_ASKED_FRAME(sbx_call_once, sbx_once_personality);

EXPORT int pthread_once(pthread_once_t *once, void (*body)(void)) {
  if (!is_on() || __atomic_load_n(once, __ATOMIC_ACQUIRE) == ONCE_DONE) return REAL(pthread_once)(once, body);
  point(SBX_ONCE, once, PLACE);
  while (__atomic_load_n(once, __ATOMIC_ACQUIRE) != ONCE_DONE) {
    if (!sbx_object_at(KEY(once), SBX_ONCE, PLACE)->owner) break;
    sbx_wait(SBX_ONCE, KEY(once), SBX_NEVER, ~0u, PLACE);
  }
  if (__atomic_load_n(once, __ATOMIC_ACQUIRE) == ONCE_DONE) return 0;
  sbx_owned(KEY(once), SBX_ONCE, PLACE);
  struct under_way here = {once, innermost};
  innermost = &here;
  int result = sbx_call_once(REAL(pthread_once), once, body);
  leave();
  return result;
}
EXPORT void call_once(once_flag *flag, void (*body)(void)) { pthread_once((pthread_once_t *)flag, body); }

SANITIZED_AGAIN
