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

uint8_t sb_abi_attributes[SB_ABI_ATTRIBUTES];

void *sb_abi_source_type_timer(void) { return _dispatch_source_type_timer; }
const char *sb_abi_missing_source_type(const void *address) {
  if (address == _dispatch_source_type_read) return "dispatch_source_create of DISPATCH_SOURCE_TYPE_READ";
  if (address == _dispatch_source_type_write) return "dispatch_source_create of DISPATCH_SOURCE_TYPE_WRITE";
  if (address == _dispatch_source_type_signal) return "dispatch_source_create of DISPATCH_SOURCE_TYPE_SIGNAL";
  if (address == _dispatch_source_type_data_add) return "dispatch_source_create of DISPATCH_SOURCE_TYPE_DATA_ADD";
  if (address == _dispatch_source_type_data_or) return "dispatch_source_create of DISPATCH_SOURCE_TYPE_DATA_OR";
  if (address == _dispatch_source_type_data_replace) return "dispatch_source_create of DISPATCH_SOURCE_TYPE_DATA_REPLACE";
  if (address == _dispatch_source_type_interval) return "dispatch_source_create of DISPATCH_SOURCE_TYPE_INTERVAL";
  return 0;
}

void *sb_abi_attribute(size_t index) { return &sb_abi_attributes[index]; }
