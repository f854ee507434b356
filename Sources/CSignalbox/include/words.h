// words.h: atomic operations whose memory order is a number, which Swift's must not be: for the trait Explore, in which every order
// passes one place (ExploredWord.swift). Other builds use none of it.
#ifndef CSIGNALBOX_WORDS_H
#define CSIGNALBOX_WORDS_H

#include <stdint.h>

#ifndef SB_INLINE
// Always inlined, so never a frame in a stack that would have to be distinguished from the program's.
#define SB_INLINE static inline __attribute__((always_inline))
#endif

// The orders are the compiler's: 0 relaxed, 2 acquire, 3 release, 4 both, 5 sequentially consistent. A word has four bytes or eight.
enum sb_word_update { SB_WORD_EXCHANGE, SB_WORD_ADD, SB_WORD_OR };

SB_INLINE uint64_t sb_word_load(const void *_Nonnull word, int width, int order) {
#define SB_LOAD(order) \
  (width == 8 ? __atomic_load_n((const uint64_t *)word, order) : (uint64_t)__atomic_load_n((const uint32_t *)word, order))
  return order == __ATOMIC_RELAXED ? SB_LOAD(__ATOMIC_RELAXED) : order == __ATOMIC_SEQ_CST ? SB_LOAD(__ATOMIC_SEQ_CST) : SB_LOAD(__ATOMIC_ACQUIRE);
#undef SB_LOAD
}

SB_INLINE void sb_word_store(void *_Nonnull word, int width, int order, uint64_t value) {
#define SB_STORE(order) \
  (width == 8 ? __atomic_store_n((uint64_t *)word, value, order) : __atomic_store_n((uint32_t *)word, (uint32_t)value, order))
  if (order == __ATOMIC_RELAXED) SB_STORE(__ATOMIC_RELAXED);
  else if (order == __ATOMIC_SEQ_CST) SB_STORE(__ATOMIC_SEQ_CST);
  else SB_STORE(__ATOMIC_RELEASE);
#undef SB_STORE
}

// The value before; writes `desired` if that is `expected`.
SB_INLINE uint64_t sb_word_swap(void *_Nonnull word, int width, int order, uint64_t expected, uint64_t desired) {
  uint32_t narrow = (uint32_t)expected;
#define SB_SWAP(order, failed) \
  (width == 8 ? __atomic_compare_exchange_n((uint64_t *)word, &expected, desired, 0, order, failed) \
              : __atomic_compare_exchange_n((uint32_t *)word, &narrow, (uint32_t)desired, 0, order, failed))
  switch (order) {
    case __ATOMIC_RELAXED: (void)SB_SWAP(__ATOMIC_RELAXED, __ATOMIC_RELAXED); break;
    case __ATOMIC_ACQUIRE: (void)SB_SWAP(__ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE); break;
    case __ATOMIC_RELEASE: (void)SB_SWAP(__ATOMIC_RELEASE, __ATOMIC_RELAXED); break;
    case __ATOMIC_ACQ_REL: (void)SB_SWAP(__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE); break;
    default: (void)SB_SWAP(__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); break;
  }
#undef SB_SWAP
  return width == 8 ? expected : narrow;
}

// The value before.
SB_INLINE uint64_t sb_word_change(void *_Nonnull word, int width, int order, enum sb_word_update update, uint64_t operand) {
#define SB_CHANGE(name, order) \
  (width == 8 ? name((uint64_t *)word, operand, order) : (uint64_t)name((uint32_t *)word, (uint32_t)operand, order))
#define SB_ORDERED(name) \
  (order == __ATOMIC_RELAXED ? SB_CHANGE(name, __ATOMIC_RELAXED) : order == __ATOMIC_ACQUIRE ? SB_CHANGE(name, __ATOMIC_ACQUIRE) \
   : order == __ATOMIC_RELEASE ? SB_CHANGE(name, __ATOMIC_RELEASE) : order == __ATOMIC_ACQ_REL ? SB_CHANGE(name, __ATOMIC_ACQ_REL) \
                               : SB_CHANGE(name, __ATOMIC_SEQ_CST))
  switch (update) {
    case SB_WORD_EXCHANGE: return SB_ORDERED(__atomic_exchange_n);
    case SB_WORD_ADD: return SB_ORDERED(__atomic_fetch_add);
    default: return SB_ORDERED(__atomic_fetch_or);
  }
#undef SB_ORDERED
#undef SB_CHANGE
}

#endif
