// remote_mirror.c: libswiftRemoteMirror by the facts of its interface: it reads another process by functions that it is
// given, which copy memory here. Only what a test of tasks needs is declared.
#define _GNU_SOURCE
#include "remote_mirror.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>

// What a call returns, in the library's layout.
struct task_info {
  const char *error;
  uint32_t kind, queued_priority;
  bool is_child, is_future, is_group_child, is_async_let, is_immediate;
  // The library of Swift 6.3 leaves it 0.
  uint32_t priority;
  bool is_cancelled, is_locked, is_escalated, knows_running, is_running, is_queued;
  bool has_thread;
  uint32_t thread;
  uint64_t number, function, slab;
  uint32_t child_count;
  uint64_t *children;
  uint32_t frame_count;
  uint64_t *frames;
};
_Static_assert(sizeof(struct task_info) == 96 && offsetof(struct task_info, priority) == 24, "as the library lays it out");
_Static_assert(offsetof(struct task_info, is_running) == 32 && offsetof(struct task_info, number) == 40, "likewise");

// The numbers of its questions about how a process lays out memory.
enum { pointer_size, size_size, pointer_bits, object_bits, least_pointer };

typedef int layout_function(void *mirror, int question, void *in, void *out);
typedef void free_function(void *mirror, const void *bytes, void *with);
typedef const void *read_function(void *mirror, uint64_t address, uint64_t size, void **with);
typedef uint64_t length_function(void *mirror, uint64_t address);
typedef uint64_t symbol_function(void *mirror, const char *name, uint64_t length);
typedef void *create_function(
  void *mirror, layout_function *, free_function *, read_function *, length_function *, symbol_function *);

struct mirror {
  void *library, *context;
  pid_t process;
  size_t count;
  struct mirror_symbol *symbols;
  struct task_info (*task)(void *context, uint64_t address);
  void (*destroy)(void *context);
};

static int layout(void *mirror, int question, void *in, void *out) {
  (void)mirror, (void)in;
  switch (question) {
    case pointer_size:
    case size_size: *(uint8_t *)out = 8; return 1;
    case pointer_bits: *(uint64_t *)out = ~(uint64_t)0; return 1;
    case object_bits: *(uint8_t *)out = 0; return 1;
    case least_pointer: *(uint64_t *)out = 4096; return 1;
    default: return 0;
  }
}

static const void *copy(void *data, uint64_t address, uint64_t size, void **with) {
  const struct mirror *mirror = data;
  *with = NULL;
  void *bytes = malloc(size ? size : 1);
  if (!bytes) return NULL;
  struct iovec here = {bytes, size}, there = {(void *)(uintptr_t)address, size};
  if (process_vm_readv(mirror->process, &here, 1, &there, 1, 0) == (ssize_t)size) return bytes;
  free(bytes);
  return NULL;
}

static void give_back(void *mirror, const void *bytes, void *with) {
  (void)mirror, (void)with;
  free((void *)(uintptr_t)bytes);
}

static uint64_t length(void *data, uint64_t address) {
  for (uint64_t count = 0;; count++) {
    void *with;
    const char *byte = copy(data, address + count, 1, &with);
    if (!byte) return 0;
    char value = *byte;
    give_back(data, byte, with);
    if (value == 0) return count;
  }
}

static uint64_t symbol(void *data, const char *name, uint64_t length) {
  const struct mirror *mirror = data;
  for (size_t place = 0; place < mirror->count; place++) {
    const char *own = mirror->symbols[place].name;
    if (strlen(own) == length && memcmp(own, name, length) == 0) return mirror->symbols[place].address;
  }
  return 0;
}

struct mirror *mirror_open(const char *path, int32_t process, const struct mirror_symbol *symbols, size_t count) {
  struct mirror *mirror = calloc(1, sizeof *mirror);
  if (!mirror) return NULL;
  mirror->process = process;
  mirror->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  mirror->symbols = calloc(count ? count : 1, sizeof *symbols);
  for (; mirror->symbols && mirror->count < count; mirror->count++) {
    const struct mirror_symbol *one = &symbols[mirror->count];
    mirror->symbols[mirror->count] = (struct mirror_symbol){strdup(one->name), one->address};
  }
  if (mirror->library) {
    create_function *create = dlsym(mirror->library, "swift_reflection_createReflectionContextWithDataLayout");
    *(void **)&mirror->task = dlsym(mirror->library, "swift_reflection_asyncTaskInfo");
    *(void **)&mirror->destroy = dlsym(mirror->library, "swift_reflection_destroyReflectionContext");
    if (create && mirror->task && mirror->destroy) mirror->context = create(mirror, layout, give_back, copy, length, symbol);
  }
  if (mirror->context) return mirror;
  mirror_close(mirror);
  return NULL;
}

struct mirror_task mirror_task(struct mirror *mirror, uint64_t address) {
  struct task_info info = mirror->task(mirror->context, address);
  return (struct mirror_task){
    info.error, info.queued_priority, info.is_child, info.is_group_child, info.is_async_let, info.is_cancelled, info.is_running,
    info.is_queued, info.number, info.function, info.children, info.child_count, info.frames, info.frame_count,
  };
}

void mirror_close(struct mirror *mirror) {
  if (mirror->context) mirror->destroy(mirror->context);
  if (mirror->library) dlclose(mirror->library);
  for (size_t place = 0; place < mirror->count; place++) free((void *)(uintptr_t)mirror->symbols[place].name);
  free(mirror->symbols);
  free(mirror);
}
