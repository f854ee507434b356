// data.c: the data symbols of libdispatch's ABI. Programs may copy them into their own image (copy relocations), so none is
// larger than the toolchain's, and only their addresses mean anything.
#include "csignalboxabi.h"

#define EXPORTED __attribute__((visibility("default")))

extern void *_NSConcreteGlobalBlock[32];

// Where the thread sanitizer finds a queue's target and width; ThreadSanitizer.swift lays queues out, and is compared with this.
enum { TARGET_OFFSET = 16, WIDTH_OFFSET = 24 };
// It reads the main queue's at the symbol: no target, and serial. Constants, so that a program's copy has them as well.
EXPORTED uint64_t _dispatch_main_q[16] = {[TARGET_OFFSET / 8] = 0, [WIDTH_OFFSET / 8] = 1};
EXPORTED uint64_t _dispatch_queue_attr_concurrent[8];
EXPORTED uint64_t _dispatch_source_type_timer[6];
EXPORTED uint64_t _dispatch_source_type_interval[6];
EXPORTED uint64_t _dispatch_source_type_data_add[6];
EXPORTED uint64_t _dispatch_source_type_data_or[6];
EXPORTED uint64_t _dispatch_source_type_data_replace[6];
EXPORTED uint64_t _dispatch_source_type_read[6];
EXPORTED uint64_t _dispatch_source_type_write[6];
EXPORTED uint64_t _dispatch_source_type_signal[6];
EXPORTED uint64_t _dispatch_data_empty[10];
EXPORTED uint64_t _dispatch_data_format_type_none[5];
EXPORTED uint64_t _dispatch_data_format_type_base32[5];
EXPORTED uint64_t _dispatch_data_format_type_base32hex[5];
EXPORTED uint64_t _dispatch_data_format_type_base64[5];
EXPORTED uint64_t _dispatch_data_format_type_utf16be[5];
EXPORTED uint64_t _dispatch_data_format_type_utf16le[5];
EXPORTED uint64_t _dispatch_data_format_type_utf8[5];
EXPORTED uint64_t _dispatch_data_format_type_utf_any[5];
// Blocks by type and layout, compared by address: never called. Not constant: the toolchain's Dispatch module counts references
// of these two, as if they were objects of Swift's, in the word after the first (its own library's are constant: it crashes).
struct destructor {
  void *isa;
  int32_t flags, reserved;
  void (*function)(void *);
  const void *descriptor;
};
static void do_nothing(void *block) { (void)block; }
static const uintptr_t destructor_descriptor[2] = {0, sizeof(struct destructor)};
enum { IS_GLOBAL = 1 << 28 };
#define DESTRUCTOR {_NSConcreteGlobalBlock, IS_GLOBAL, 0, do_nothing, destructor_descriptor}
static struct destructor free_block = DESTRUCTOR, munmap_block = DESTRUCTOR, none_block = DESTRUCTOR;
EXPORTED const void *const _dispatch_data_destructor_free = &free_block;
EXPORTED const void *const _dispatch_data_destructor_munmap = &munmap_block;
EXPORTED const void *const _dispatch_data_destructor_none = &none_block;
EXPORTED const void *_dispatch_block_special_invoke;
// Hooks for autorelease pools, which Linux has not: never called.
EXPORTED void *(*_dispatch_begin_NSAutoReleasePool)(void);
EXPORTED void (*_dispatch_end_NSAutoReleasePool)(void *);
// Where fields of a queue lie in memory, and how many bytes they have: none stands for a field that ours does not have. The
// order of the fields is that of every release of libdispatch.
enum { VERSION, WIDTH = 7, WIDTH_SIZE, TARGET = 13, TARGET_SIZE, FIELDS = 17 };
EXPORTED const uint16_t dispatch_queue_offsets[FIELDS] = {
  [VERSION] = 6, [WIDTH] = WIDTH_OFFSET, [WIDTH_SIZE] = 2, [TARGET] = TARGET_OFFSET, [TARGET_SIZE] = 8,
};

// A word may be read where the last one begins.
uint8_t sb_abi_attributes[SB_ABI_ATTRIBUTES + sizeof(uint64_t)];

int sb_abi_source_kind(const void *address) {
  // In the order of SourceKind, from 1. DISPATCH_SOURCE_TYPE_INTERVAL is private to Apple: nobody can ask for it.
  const void *const types[] = {_dispatch_source_type_timer, _dispatch_source_type_data_add, _dispatch_source_type_data_or,
                               _dispatch_source_type_data_replace, _dispatch_source_type_read, _dispatch_source_type_write,
                               _dispatch_source_type_signal};
  for (int i = 0; i < (int)(sizeof types / sizeof *types); i++)
    if (address == types[i]) return i + 1;
  return 0;
}

void *sb_abi_attribute(size_t index) { return &sb_abi_attributes[index]; }

enum sb_abi_destructor sb_abi_destructor(const void *block) {
  if (block == &free_block) return sb_abi_destructor_free;
  if (block == &munmap_block) return sb_abi_destructor_munmap;
  if (block == &none_block) return sb_abi_destructor_none;
  return sb_abi_destructor_own;
}

// In the order of DataFormat's numbers.
int sb_abi_data_format(const void *address) {
  const void *const formats[] = {
    _dispatch_data_format_type_none, _dispatch_data_format_type_base32, _dispatch_data_format_type_base32hex,
    _dispatch_data_format_type_base64, _dispatch_data_format_type_utf8, _dispatch_data_format_type_utf16le,
    _dispatch_data_format_type_utf16be, _dispatch_data_format_type_utf_any,
  };
  for (int index = 0; index < (int)(sizeof formats / sizeof *formats); index++) {
    if (formats[index] == address) return index;
  }
  return -1;
}
