// AllocationCounter.c: stands in front of glibc's allocator. Linked into an executable, these definitions win over the C
// library's for every shared library of the process, too; each forwards to the allocator's own name and counts on the way.
// Only for the bench's executable: no library target may depend on it.
#include "AllocationCounter.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define ALLOCATOR_IS_TAKEN 1
#endif
#endif

static atomic_int isCounting;
static atomic_long count;

void allocationCounterStart(void) {
  atomic_store_explicit(&count, 0, memory_order_relaxed);
  atomic_store_explicit(&isCounting, 1, memory_order_release);
}

long allocationCounterStop(void) {
  atomic_store_explicit(&isCounting, 0, memory_order_release);
  return atomic_load_explicit(&count, memory_order_relaxed);
}

#if defined(ALLOCATOR_IS_TAKEN) || !defined(__GLIBC__)

int allocationCounterWorks(void) { return 0; }

#else

int allocationCounterWorks(void) { return 1; }

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t members, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

// relaxed: a statistic; the workload under count has ended, by its own synchronisation, before the count is read.
static inline void note(void) {
  if (__builtin_expect(atomic_load_explicit(&isCounting, memory_order_relaxed), 0))
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
}

void *malloc(size_t size) {
  note();
  return __libc_malloc(size);
}

void *calloc(size_t members, size_t size) {
  note();
  return __libc_calloc(members, size);
}

void *realloc(void *block, size_t size) {
  note();
  return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
  note();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  note();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  note();
  int saved = errno;
  void *block = __libc_memalign(alignment, size);
  errno = saved;
  if (block == NULL) return ENOMEM;
  *result = block;
  return 0;
}

#endif
