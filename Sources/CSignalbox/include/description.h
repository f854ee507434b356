// description.h: the table by which another process, or whoever has only a core dump, finds what this process's threads have left in
// memory. What each word says is ProcessDescription.swift; how the table is found, description.c.
#ifndef CSIGNALBOX_DESCRIPTION_H
#define CSIGNALBOX_DESCRIPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef SB_INLINE
// Always inlined, so never a frame in a stack that would have to be distinguished from the program's.
#define SB_INLINE static inline __attribute__((always_inline))
#endif

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(hidden)

enum { SB_DESCRIPTION_WORDS = 128 };
extern uint64_t sb_description[SB_DESCRIPTION_WORDS];

// release: who finds a word finds what was written before it.
SB_INLINE void sb_describe(int word, uint64_t value) { __atomic_store_n(&sb_description[word], value, __ATOMIC_RELEASE); }
SB_INLINE uint64_t sb_described(int word) { return __atomic_load_n(&sb_description[word], __ATOMIC_ACQUIRE); }
SB_INLINE uintptr_t sb_description_address(void) { return (uintptr_t)sb_description; }

// Copies memory of another process, by the number of one of its threads: how many bytes, or the negated errno.
int64_t sb_read_memory_of(int thread, uintptr_t address, void *_Nonnull buffer, size_t count);
// Whether the kernel shows this process's memory to others of its user.
bool sb_is_dumpable(void);
// Lets any process of this user read this one's memory, where the kernel's Yama asks for that.
void sb_allow_readers(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif
