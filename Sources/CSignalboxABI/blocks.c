// blocks.c: blocks from the outside: copying, calling, and the one kind of block that we make by hand. The runtime of blocks is
// the toolchain's libBlocksRuntime.
#define _GNU_SOURCE
#include "csignalboxabi.h"

#include <dlfcn.h>
#include <stdbool.h>

extern void *_Block_copy(const void *block);
extern void _Block_release(const void *block);
extern void *_NSConcreteStackBlock[32];

enum { HAS_COPY_DISPOSE = 1 << 25 };

struct descriptor {
  uintptr_t reserved, size;
  void (*copy)(void *to, const void *from);
  void (*dispose)(const void *block);
};

struct item_block {
  void *isa;
  int32_t flags, reserved;
  void (*function)(void *);
  const struct descriptor *descriptor;
  void *item;
  void (*perform)(void *);
  void (*release)(void *);
};

void *sb_abi_block_copy(const void *block) { return _Block_copy(block); }
void sb_abi_block_release(const void *block) { _Block_release(block); }

void sb_abi_block_consume(void *block) {
  ((void (*)(void *))sb_abi_block_function(block))(block);
  _Block_release(block);
}

// Named so that reports can tell a block from a C function (csignalbox.h); of this library only.
__attribute__((visibility("hidden"))) const void *const sb_block_caller = (const void *)sb_abi_block_consume;

void sb_abi_block_run_item(void *block) {
  struct item_block *self = block;
  self->perform(self->item);
}
// The words were copied by the runtime; the reference to the item goes with them, since the original is on our stack.
static void copy(void *to, const void *from) { (void)to; (void)from; }
static void dispose(const void *block) {
  const struct item_block *self = block;
  self->release(self->item);
}
static const struct descriptor descriptor = {0, sizeof(struct item_block), copy, dispose};

void *sb_abi_block_for_item(void *item, void (*perform)(void *), void (*release)(void *)) {
  struct item_block block = {_NSConcreteStackBlock, HAS_COPY_DISPOSE, 0, sb_abi_block_run_item, &descriptor, item, perform, release};
  return _Block_copy(&block);
}

_Static_assert(offsetof(struct item_block, item) == 4 * sizeof(void *), "the header's sb_abi_block_item reads it there");

void sb_abi_tell(void *argument) {
  struct sb_abi_telling *telling = argument;
  void *context = telling->context;
  switch (telling->shape) {
    case SB_ABI_TELL_IO:
      ((void (*)(void *, bool, void *, int))telling->function)(context, telling->done, telling->data, telling->error);
      return;
    case SB_ABI_TELL_DATA:
      ((void (*)(void *, void *, int))telling->function)(context, telling->data, telling->error);
      return;
    case SB_ABI_TELL_ERROR:
      ((void (*)(void *, int))telling->function)(context, telling->error);
      return;
  }
}

// The fourth word of a job's class is the function that a queue is to call: (job, null, 0).
static void *job_function(void *job) { return (*(void ***)job)[3]; }

void sb_abi_run_swift_job(void *job) { ((void (*)(void *, void *, uint32_t))job_function(job))(job, 0, 0); }

int sb_abi_knows_swift_job(void *job) {
  Dl_info runtime, function;
  void *known = dlsym(RTLD_DEFAULT, "swift_job_run");
  return known && dladdr(known, &runtime) && dladdr(job_function(job), &function) && runtime.dli_fbase == function.dli_fbase;
}
