// tasks.c: a Swift task goes over to an actor, or comes back. Where nobody is in its way the runtime does that on the same thread
// without a job, so that no queue sees it; but the call itself is the program's.
//
// swift_task_switch has a calling convention that C cannot say (the task's context is in a register of its own, and it is jumped to, not
// called), so the way to the runtime's function is a few instructions that keep all it is given.
#include "face.h"

__attribute__((used, visibility("hidden"))) void *sbx_task_switch(void *resumed, void *executor) {
  void *runtimes = REAL_NAMED(void *, "swift_task_switch", 0);
  if (is_on() && sbx_state->run.flags & SBX_API_POINTS && sbx_is_quiet(KEY(resumed)) != SBX_QUIET_TESTS)
    sbx_point(SBX_ENGINE_ACTOR, KEY(executor), KEY(resumed) + 1);
  return runtimes;
}

#if defined(__x86_64__)
__asm__(
    ".text\n"
    ".globl swift_task_switch\n"
    ".type swift_task_switch, @function\n"
    "swift_task_switch:\n"
    "  .cfi_startproc\n"
    "  pushq %rdi\n  .cfi_adjust_cfa_offset 8\n"
    "  pushq %rsi\n  .cfi_adjust_cfa_offset 8\n"
    "  pushq %rdx\n  .cfi_adjust_cfa_offset 8\n"
    "  call sbx_task_switch\n"
    "  popq %rdx\n  .cfi_adjust_cfa_offset -8\n"
    "  popq %rsi\n  .cfi_adjust_cfa_offset -8\n"
    "  popq %rdi\n  .cfi_adjust_cfa_offset -8\n"
    "  jmp *%rax\n"
    "  .cfi_endproc\n"
    ".size swift_task_switch, .-swift_task_switch\n");
#elif defined(__aarch64__)
__asm__(
    ".text\n"
    ".globl swift_task_switch\n"
    ".type swift_task_switch, %function\n"
    "swift_task_switch:\n"
    "  .cfi_startproc\n"
    "  stp x29, x30, [sp, #-48]!\n"
    "  .cfi_def_cfa_offset 48\n  .cfi_offset x29, -48\n  .cfi_offset x30, -40\n"
    "  mov x29, sp\n"
    "  stp x0, x1, [sp, #16]\n"
    "  str x2, [sp, #32]\n"
    "  bl sbx_task_switch\n"
    "  mov x16, x0\n"
    "  ldr x2, [sp, #32]\n"
    "  ldp x0, x1, [sp, #16]\n"
    "  ldp x29, x30, [sp], #48\n"
    "  .cfi_def_cfa_offset 0\n  .cfi_restore x29\n  .cfi_restore x30\n"
    "  br x16\n"
    "  .cfi_endproc\n"
    ".size swift_task_switch, .-swift_task_switch\n");
#endif

SANITIZED_AGAIN
