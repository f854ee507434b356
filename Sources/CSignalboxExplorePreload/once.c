// once.c: what is done once, and is done anew if it is left by an exception or by the thread's end; C11's `call_once`.
//
// A frame that is only passed through by an exception has nothing to say in C. This one's own routine is asked by the unwinder, which only
// assembly can name: it lets the exception pass and gives the once back.
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
#if defined(__x86_64__)
__asm__(
    ".text\n"
    ".p2align 4\n"
    ".globl sbx_call_once\n"
    ".hidden sbx_call_once\n"
    ".type sbx_call_once, @function\n"
    "sbx_call_once:\n"
    ".cfi_startproc\n"
    ".cfi_personality 0x1b, sbx_once_personality\n"
    "  pushq %rbp\n"
    "  .cfi_def_cfa_offset 16\n"
    "  .cfi_offset %rbp, -16\n"
    "  movq %rsp, %rbp\n"
    "  .cfi_def_cfa_register %rbp\n"
    "  movq %rdi, %rax\n"
    "  movq %rsi, %rdi\n"
    "  movq %rdx, %rsi\n"
    "  callq *%rax\n"
    "  popq %rbp\n"
    "  .cfi_def_cfa %rsp, 8\n  .cfi_restore %rbp\n"
    "  retq\n"
    ".cfi_endproc\n"
    ".size sbx_call_once, . - sbx_call_once\n");
#elif defined(__aarch64__)
__asm__(
    ".text\n"
    ".p2align 4\n"
    ".globl sbx_call_once\n"
    ".hidden sbx_call_once\n"
    ".type sbx_call_once, %function\n"
    "sbx_call_once:\n"
    ".cfi_startproc\n"
    ".cfi_personality 0x1b, sbx_once_personality\n"
    "  stp x29, x30, [sp, #-16]!\n"
    "  .cfi_def_cfa_offset 16\n"
    "  .cfi_offset x29, -16\n"
    "  .cfi_offset x30, -8\n"
    "  mov x29, sp\n"
    "  .cfi_def_cfa_register x29\n"
    "  mov x8, x0\n"
    "  mov x0, x1\n"
    "  mov x1, x2\n"
    "  blr x8\n"
    "  ldp x29, x30, [sp], #16\n"
    "  .cfi_def_cfa sp, 0\n"
    "  .cfi_restore x29\n"
    "  .cfi_restore x30\n"
    "  ret\n"
    ".cfi_endproc\n"
    ".size sbx_call_once, . - sbx_call_once\n");
#endif

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
