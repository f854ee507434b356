// guarded-heap.c: a heap for tests, to be preloaded: whoever touches freed memory faults at that very instruction.
//
// Each object lies in pages of its own, whose addresses are never given out again. Freed pages go back to the kernel and stay
// closed. An object begins right behind its header, so what is read past its end mostly goes unnoticed: that is not what it is for.
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// An object's size stands in the last word before it.
enum { page = 4096, header = 16 };
static const size_t reserve = (size_t)1 << 42;
static _Atomic uintptr_t end_of_used;

static uintptr_t claim(size_t bytes) {
  if (atomic_load(&end_of_used) == 0) {
    void *made = mmap(NULL, reserve, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED) _exit(99);
    uintptr_t none = 0;
    if (!atomic_compare_exchange_strong(&end_of_used, &none, (uintptr_t)made)) munmap(made, reserve);
  }
  return atomic_fetch_add(&end_of_used, bytes);
}

static uintptr_t up(uintptr_t address, size_t step) { return (address + step - 1) & ~(uintptr_t)(step - 1); }
static size_t *size_of(void *object) { return (size_t *)object - 1; }
// The pages of an object.
static char *first_page(void *object) { return (char *)((uintptr_t)size_of(object) & ~(uintptr_t)(page - 1)); }
static size_t extent(void *object, size_t size) { return up((uintptr_t)object + size, page) - (uintptr_t)first_page(object); }

void *aligned_alloc(size_t alignment, size_t size) {
  if (alignment < header) alignment = header;
  void *object = (void *)up(claim(up(size + 2 * alignment + header, page)) + header, alignment);
  if (mprotect(first_page(object), extent(object, size), PROT_READ | PROT_WRITE)) {
    errno = ENOMEM;
    return NULL;
  }
  *size_of(object) = size;
  return object;
}

void free(void *object) {
  if (!object) return;
  int saved = errno;
  mmap(first_page(object), extent(object, *size_of(object)), PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  errno = saved;
}

void *malloc(size_t size) { return aligned_alloc(header, size); }
void *memalign(size_t alignment, size_t size) { return aligned_alloc(alignment, size); }
size_t malloc_usable_size(void *object) { return object ? *size_of(object) : 0; }

void *calloc(size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return NULL;
  }
  return malloc(bytes);  // fresh pages are zero
}

int posix_memalign(void **place, size_t alignment, size_t size) {
  void *object = aligned_alloc(alignment, size);
  if (object) *place = object;
  return object ? 0 : ENOMEM;
}

void *realloc(void *object, size_t size) {
  void *moved = malloc(size);
  if (!object || !moved) return moved;
  size_t old = malloc_usable_size(object);
  memcpy(moved, object, old < size ? old : size);
  free(object);
  return moved;
}
