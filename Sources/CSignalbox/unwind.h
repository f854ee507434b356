// unwind.h: what unwind.c has for sleeping.c: the rule that leads from an address to its caller, and the function at an address.
#ifndef CSIGNALBOX_UNWIND_H
#define CSIGNALBOX_UNWIND_H

#include "csignalbox.h"

#pragma GCC visibility push(hidden)

// The canonical frame address (CFA) is the stack pointer before the call: all offsets count from there.
//   63        48 47       32 31          3 2         1    0
//  +------------+-----------+-------------+---------+-----------+
//  | address/8  |  frame/8  |    CFA/8    | FP kept |   kind    |
//  +------------+-----------+-------------+---------+-----------+
//  CFA: how far above the stack pointer or the frame pointer, as the kind says. frame, address: where the frame pointer and the
//  return address are saved, as distances from the CFA.
enum { UNKNOWN = 0, FROM_STACK = 1, FROM_FRAME = 2, OUTERMOST = 3, KIND = 3 };
enum { KEPT = 4 };  // the function has not touched the frame pointer

// Where a function keeps its frame pointer and its return address if it has a frame pointer.
static const uint64_t BY_FRAME = (uint64_t)0xFFFF << 48 | (uint64_t)0xFFFE << 32 | 16;

static inline uintptr_t sb_rule_cfa(uint64_t rule) { return (uint32_t)rule & ~7u; }
static inline uintptr_t sb_rule_frame(uint64_t rule) { return (uintptr_t)(int64_t)(int16_t)(rule >> 32) * 8; }
static inline uintptr_t sb_rule_address(uint64_t rule) { return (uintptr_t)((int64_t)rule >> 48) * 8; }

// The rule for one address, remembered from the second time on.
uint64_t sb_rule_for(uintptr_t address);

// Where the function lies that an unwind table has at the address; and whether it is what a signal's handler returns to.
struct sb_function {
  uintptr_t start, size;
  int is_signal;
};
int sb_function_of(uintptr_t address, struct sb_function *_Nonnull function);

// The same by a table that another process's file has: its header, and the bytes of this process that the table may be read from. Nothing is
// remembered. The address, and the function's, are those of the place where the bytes are.
struct sb_table {
  const uint8_t *_Nonnull header, *_Nonnull low, *_Nonnull high;
};
uint64_t sb_rule_by(const struct sb_table *_Nonnull table, uintptr_t address);
int sb_function_by(const struct sb_table *_Nonnull table, uintptr_t address, struct sb_function *_Nonnull function);

// An address in the function that this is part of, behind its beginning.
__attribute__((always_inline)) static inline uintptr_t sb_here(void) {
  uintptr_t here;
#if defined(__x86_64__)
  __asm__ __volatile__("leaq 0(%%rip), %0" : "=r"(here));
#elif defined(__aarch64__)
  __asm__ __volatile__("adr %0, ." : "=r"(here));
#endif
  return here;
}

// A return address without its signature.
static inline uintptr_t sb_plain(uintptr_t address) {
#if defined(__aarch64__)
  register uintptr_t link __asm__("x30") = address;
  __asm__("hint #7" : "+r"(link));  // takes the signature off; does nothing where there are none
  return link;
#else
  return address;
#endif
}

#pragma GCC visibility pop

#endif
