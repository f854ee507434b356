// code.c: the marks that our modules leave in this image (OwnCode.swift in each): one address in the code of each. The linker gives their
// section its two ends.
#include "csignalbox.h"

extern const uintptr_t first_mark[] __asm__("__start_signalbox_code") __attribute__((weak, visibility("hidden")));
extern const uintptr_t last_mark[] __asm__("__stop_signalbox_code") __attribute__((weak, visibility("hidden")));

const uintptr_t *sb_code_marks(size_t *count) {
  *count = first_mark ? (size_t)(last_mark - first_mark) : 0;
  return first_mark;
}
