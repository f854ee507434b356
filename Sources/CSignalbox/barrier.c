// barrier.c: a call that no exception leaves. Unwinding is stopped by the frame's own personality routine, which only a frame
// written in assembly can name without a C++ compiler.
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

#if defined(__x86_64__)
__asm__(
    ".text\n"
    ".p2align 4\n"
    ".globl sb_call_barred\n"
    ".hidden sb_call_barred\n"
    ".type sb_call_barred, @function\n"
    "sb_call_barred:\n"
    ".cfi_startproc\n"
    ".cfi_personality 0x1b, sb_barrier_personality\n"
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
    ".size sb_call_barred, . - sb_call_barred\n");
#elif defined(__aarch64__)
__asm__(
    ".text\n"
    ".p2align 4\n"
    ".globl sb_call_barred\n"
    ".hidden sb_call_barred\n"
    ".type sb_call_barred, %function\n"
    "sb_call_barred:\n"
    ".cfi_startproc\n"
    ".cfi_personality 0x1b, sb_barrier_personality\n"
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
    ".size sb_call_barred, . - sb_call_barred\n");
#else
#error "barrier.c needs the call of this processor: see the two above"
#endif
