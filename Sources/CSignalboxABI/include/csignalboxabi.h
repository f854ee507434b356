// csignalboxabi.h: what the C face needs that Swift cannot say: data symbols of fixed names, blocks made by hand, functions with
// variable arguments, and the list of what is not built yet. No logic; that is SignalboxABI's.
//
// A target of its own, never part of a program that merely links Signalbox: its symbols are libdispatch's.
#ifndef CSIGNALBOXABI_H
#define CSIGNALBOXABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Hidden: two copies of these in one process (a program's own and the C face's library) must never meet.
#pragma GCC visibility push(hidden)

// The address that stands for the main queue. A program may hold a copy of the symbol: the address is that of the copy.
void *_Nonnull sb_abi_main_queue(void);

// The address that stands for DISPATCH_QUEUE_CONCURRENT.
void *_Nonnull sb_abi_attribute_concurrent(void);

// Attributes made by functions are addresses into a table that holds nothing: the index is the attribute.
#define SB_ABI_ATTRIBUTES 4096
void *_Nonnull sb_abi_attribute(size_t index);
// The index of an attribute's address, or -1.
intptr_t sb_abi_attribute_index(const void *_Nonnull address);

// The address that stands for DISPATCH_SOURCE_TYPE_TIMER.
void *_Nonnull sb_abi_source_type_timer(void);

// Whether the address is one of our data symbols: such objects are never retained or released.
int sb_abi_is_static(const void *_Nonnull address);

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
// The item that a block stands for, or null for any other block.
void *_Nullable sb_abi_block_item(const void *_Nonnull block);

// Runs a job of Swift's concurrency runtime: its class says how (see SwiftJobs.swift).
void sb_abi_run_swift_job(void *_Nullable job);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif
