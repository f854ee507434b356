// code.c: the marks that our modules leave in this image (OwnCode.swift in each): one address in the code of each. The linker gives their
// section its two ends.
#include "Shared/own_code.h"
#include "csignalbox.h"

extern const uintptr_t first_mark[] __asm__("__start_signalbox_code") __attribute__((weak, visibility("hidden")));
extern const uintptr_t last_mark[] __asm__("__stop_signalbox_code") __attribute__((weak, visibility("hidden")));

// Beginning and end of the code that own_code.h is for, in the image that contains this one.
extern const char own_begin[] __asm__("__start_signalbox_text") __attribute__((weak, visibility("hidden")));
extern const char own_end[] __asm__("__stop_signalbox_text") __attribute__((weak, visibility("hidden")));

int sb_is_own_code(uintptr_t address) { return address >= (uintptr_t)own_begin && address < (uintptr_t)own_end; }

const uintptr_t *sb_code_marks(size_t *count) {
  *count = first_mark ? (size_t)(last_mark - first_mark) : 0;
  return first_mark;
}
