// runtime.c: what the runtime of Swift's tasks says of them to debuggers, by weak references: bound when this image is
// loaded, since asking the loader at report time could mean to wait for a lock that a deadlocked thread holds. Nothing
// of it is there in a program without tasks.
#include "Shared/own_code.h"
#define _GNU_SOURCE
#include "csignalbox.h"

#include <link.h>

#define WEAK __attribute__((weak))
extern const void *const kind __asm__("_swift_concurrency_debug_asyncTaskMetadata") WEAK;
extern const size_t size __asm__("_swift_concurrency_debug_asyncTaskSize") WEAK;
extern const uint32_t version __asm__("_swift_concurrency_debug_internal_layout_version") WEAK;
extern const void *const future __asm__("_swift_concurrency_debug_future_adapter") WEAK;
extern const void *const plain __asm__("_swift_concurrency_debug_non_future_adapter") WEAK;
extern const void *const value __asm__("_swift_concurrency_debug_task_future_wait_resume_adapter") WEAK;
extern const void *const throwing __asm__("_swift_concurrency_debug_task_wait_throwing_resume_adapter") WEAK;

int sb_read_task_runtime(struct sb_task_runtime *runtime) {
  if (!&kind || !&size || !&version || !&future || !&plain || !&value || !&throwing) return 0;
  *runtime = (struct sb_task_runtime){
    .kind = (uintptr_t)kind, .size = size, .version = version,
    .starters = {(uintptr_t)future, (uintptr_t)plain}, .resumers = {(uintptr_t)value, (uintptr_t)throwing},
  };
  return 1;
}

// ---- Its words of each thread: what the image of the runtime has of thread-local memory.

static struct sb_task_words words;

struct sb_task_words sb_task_words(void) { return words; }

// Both lie in the memory that a thread gets when it is made, at one distance in all threads, if the image was there
// when the program began. What comes later may lie anywhere else: far away.
enum { MOST_BYTES = 4096, MOST_DISTANCE = 1 << 16 };

static int find_words(struct dl_phdr_info *image, size_t size, void *function) {
  int is_here = 0;
  for (int i = 0; i < image->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &image->dlpi_phdr[i];
    is_here |= part->p_type == PT_LOAD && (uintptr_t)function - image->dlpi_addr - part->p_vaddr < part->p_memsz;
  }
  if (!is_here || size < offsetof(struct dl_phdr_info, dlpi_tls_data) + sizeof(void *)) return is_here;
  for (int i = 0; i < image->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &image->dlpi_phdr[i];
    if (part->p_type != PT_TLS || !image->dlpi_tls_data || part->p_memsz > MOST_BYTES) continue;
    intptr_t distance = (intptr_t)((uintptr_t)image->dlpi_tls_data - (uintptr_t)sb_thread_get());
    if (distance > -MOST_DISTANCE && distance < MOST_DISTANCE) words = (struct sb_task_words){distance, part->p_memsz};
  }
  return 1;
}

// At load time, when the loader's lock is the caller's.
__attribute__((constructor)) static void find_words_of_threads(void) {
  struct sb_task_runtime runtime;
  if (sb_read_task_runtime(&runtime)) dl_iterate_phdr(find_words, (void *)runtime.starters[0]);
}
