// data.c: the data symbols of libdispatch's ABI. Programs may copy them into their own image (copy relocations), so none is
// larger than the toolchain's, and only their addresses mean anything.
#include "csignalboxabi.h"

#define EXPORTED __attribute__((visibility("default")))

EXPORTED uint64_t _dispatch_main_q[16];
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
// Blocks by type, compared by value: never called.
EXPORTED const void *_dispatch_data_destructor_free = &_dispatch_data_destructor_free;
EXPORTED const void *_dispatch_data_destructor_munmap = &_dispatch_data_destructor_munmap;
EXPORTED const void *_dispatch_data_destructor_none = &_dispatch_data_destructor_none;
EXPORTED const void *_dispatch_block_special_invoke;
// Hooks for autorelease pools, which Linux has not: never called.
EXPORTED void *(*_dispatch_begin_NSAutoReleasePool)(void);
EXPORTED void (*_dispatch_end_NSAutoReleasePool)(void *);
// Where a debugger or sanitizer would find the fields of a queue in memory: at no offset, since ours has none of them.
EXPORTED const uint16_t dispatch_queue_offsets[17];

static uint8_t attributes[SB_ABI_ATTRIBUTES];

void *sb_abi_main_queue(void) { return _dispatch_main_q; }
void *sb_abi_attribute_concurrent(void) { return _dispatch_queue_attr_concurrent; }
void *sb_abi_source_type_timer(void) { return _dispatch_source_type_timer; }
void *sb_abi_attribute(size_t index) { return &attributes[index]; }

intptr_t sb_abi_attribute_index(const void *address) {
  uintptr_t index = (uintptr_t)address - (uintptr_t)attributes;
  return index < SB_ABI_ATTRIBUTES ? (intptr_t)index : -1;
}

int sb_abi_is_static(const void *address) {
  return address == _dispatch_main_q || sb_abi_attribute_index(address) >= 0 || address == _dispatch_queue_attr_concurrent ||
         address == _dispatch_data_empty;
}
