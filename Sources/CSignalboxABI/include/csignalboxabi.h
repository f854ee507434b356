// csignalboxabi.h: what the C face needs that Swift cannot say: data symbols of fixed names, blocks made by hand, functions with
// variable arguments. No logic; that is SignalboxABI's.
//
// A target of its own, never part of a program that merely links Signalbox: its symbols are libdispatch's.
#ifndef CSIGNALBOXABI_H
#define CSIGNALBOXABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Whether two of these symbols are the same one is asked at every call: where they lie is a load, not a call. The address may
// be that of a program's copy.
extern uint64_t _dispatch_main_q[16];
extern uint64_t _dispatch_queue_attr_concurrent[8];
extern uint64_t _dispatch_data_empty[10];

// Hidden: two copies of these in one process (a program's own and the C face's library) must never meet.
#pragma GCC visibility push(hidden)

// The address that stands for the main queue. A program may hold a copy of the symbol: the address is that of the copy.
static inline void *_Nonnull sb_abi_main_queue(void) { return _dispatch_main_q; }

// The address that stands for DISPATCH_QUEUE_CONCURRENT.
static inline void *_Nonnull sb_abi_attribute_concurrent(void) { return _dispatch_queue_attr_concurrent; }

// Attributes made by functions are addresses into a table that holds nothing: the index is the attribute.
#define SB_ABI_ATTRIBUTES 4096
extern uint8_t sb_abi_attributes[SB_ABI_ATTRIBUTES + sizeof(uint64_t)];
void *_Nonnull sb_abi_attribute(size_t index);
// The index of an attribute's address, or -1.
static inline intptr_t sb_abi_attribute_index(const void *_Nonnull address) {
  uintptr_t index = (uintptr_t)address - (uintptr_t)sb_abi_attributes;
  return index < SB_ABI_ATTRIBUTES ? (intptr_t)index : -1;
}

// Which kind of source the address stands for (SourceKind); 0 for an address that is no source type.
int sb_abi_source_kind(const void *_Nonnull address);

// The address that stands for dispatch_data_empty.
static inline void *_Nonnull sb_abi_data_empty(void) { return _dispatch_data_empty; }

// What a destructor given with data is: one of the constants, or the caller's own.
enum sb_abi_destructor { sb_abi_destructor_own, sb_abi_destructor_free, sb_abi_destructor_munmap, sb_abi_destructor_none };
enum sb_abi_destructor sb_abi_destructor(const void *_Nonnull block);

// The number of a format of data, from its address, or -1.
int sb_abi_data_format(const void *_Nullable address);

// Whether the address is one of our data symbols: such objects are never retained or released.
static inline int sb_abi_is_static(const void *_Nonnull address) {
  return address == _dispatch_main_q || sb_abi_attribute_index(address) >= 0 || address == _dispatch_queue_attr_concurrent ||
         address == _dispatch_data_empty;
}

// Blocks. The layout is public: clang's "Block Implementation Specification".
void *_Nonnull sb_abi_block_copy(const void *_Nonnull block);
void sb_abi_block_release(const void *_Nonnull block);
// The function that runs a block, which takes the block as its first argument.
static inline const void *_Nonnull sb_abi_block_function(const void *_Nonnull block) {
  return ((const void *_Nonnull const *)block)[2];
}
// Calls the block and releases it.
void sb_abi_block_consume(void *_Nullable block);
// A heap block that stands for a work item: `perform(item)` when it is called, `release(item)` when it is freed.
void *_Nonnull sb_abi_block_for_item(
    void *_Nonnull item, void (*_Nonnull perform)(void *_Nonnull), void (*_Nonnull release)(void *_Nonnull));
void sb_abi_block_run_item(void *_Nonnull block);
// The item that a block stands for, or null for any other block.
static inline void *_Nullable sb_abi_block_item(const void *_Nonnull block) {
  return sb_abi_block_function(block) == (const void *)sb_abi_block_run_item ? ((void *_Nonnull const *)block)[4] : 0;
}

// One call of what hears of reads and writes: a block, if `context` is one, or a function with its context.
enum { SB_ABI_TELL_IO, SB_ABI_TELL_DATA, SB_ABI_TELL_ERROR };  // (context, done, data, error), without done, without both
struct sb_abi_telling {
  const void *_Nonnull function;
  void *_Nullable context;
  void *_Nullable data;
  int shape;
  int done;
  int error;
};
void sb_abi_tell(void *_Nullable telling);

// Runs a job of Swift's concurrency runtime: its class says how (see SwiftJobs.swift).
void sb_abi_run_swift_job(void *_Nullable job);
// Whether what the job's class names as its function is one of the runtime's: else the class is laid out in another way.
int sb_abi_knows_swift_job(void *_Nonnull job);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif
