// asked_frame.h: a call whose frame has a personality routine of its own, which the unwinder asks when an exception
// passes. Only assembly can name one without a C++ compiler. For libraries that share no code: each gets a function, in
// the section of its other code (own_code.h), by which reports tell it from the program's.
#ifndef CSIGNALBOX_ASKED_FRAME_H
#define CSIGNALBOX_ASKED_FRAME_H

// Defines `function`, which calls its first argument with the second and the third, and returns what that returns; the
// unwinder asks `personality`.
#if defined(__x86_64__)
#define SB_ASKED_FRAME(function, personality) \
  __asm__( \
      ".pushsection signalbox_text, \"ax\", @progbits\n" \
      ".p2align 4\n" \
      ".globl " #function "\n" \
      ".hidden " #function "\n" \
      ".type " #function ", @function\n" \
      #function ":\n" \
      ".cfi_startproc\n" \
      ".cfi_personality 0x1b, " #personality "\n" \
      "  pushq %rbp\n" \
      "  .cfi_def_cfa_offset 16\n" \
      "  .cfi_offset %rbp, -16\n" \
      "  movq %rsp, %rbp\n" \
      "  .cfi_def_cfa_register %rbp\n" \
      "  movq %rdi, %rax\n" \
      "  movq %rsi, %rdi\n" \
      "  movq %rdx, %rsi\n" \
      "  callq *%rax\n" \
      "  popq %rbp\n" \
      "  .cfi_def_cfa %rsp, 8\n  .cfi_restore %rbp\n" \
      "  retq\n" \
      ".cfi_endproc\n" \
      ".size " #function ", . - " #function "\n" \
      ".popsection\n")
#elif defined(__aarch64__)
#define SB_ASKED_FRAME(function, personality) \
  __asm__( \
      ".pushsection signalbox_text, \"ax\", @progbits\n" \
      ".p2align 4\n" \
      ".globl " #function "\n" \
      ".hidden " #function "\n" \
      ".type " #function ", %function\n" \
      #function ":\n" \
      ".cfi_startproc\n" \
      ".cfi_personality 0x1b, " #personality "\n" \
      "  stp x29, x30, [sp, #-16]!\n" \
      "  .cfi_def_cfa_offset 16\n" \
      "  .cfi_offset x29, -16\n" \
      "  .cfi_offset x30, -8\n" \
      "  mov x29, sp\n" \
      "  .cfi_def_cfa_register x29\n" \
      "  mov x8, x0\n" \
      "  mov x0, x1\n" \
      "  mov x1, x2\n" \
      "  blr x8\n" \
      "  ldp x29, x30, [sp], #16\n" \
      "  .cfi_def_cfa sp, 0\n" \
      "  .cfi_restore x29\n" \
      "  .cfi_restore x30\n" \
      "  ret\n" \
      ".cfi_endproc\n" \
      ".size " #function ", . - " #function "\n" \
      ".popsection\n")
#else
#error "asked_frame.h needs the call of this processor: see the two above"
#endif

#endif
