// holder.c: the thread that has the baton, seen by whoever waits for the run's end and is not part of it.
#include "face.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

long sbx_read_text(const char *path, char *text, size_t size) {
  text[0] = 0;
  int file = (int)CALL(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
  if (file < 0) return 0;
  long count = CALL(SYS_read, file, text, size - 1, 0, 0, 0);
  CALL(SYS_close, file, 0, 0, 0, 0, 0);
  if (count <= 0) return 0;
  text[count] = 0;
  return count;
}

// The kernel's letter for what a thread does; 0 once it is gone.
static char state_of(int process, uint32_t thread) {
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/%d/task/%u/stat", process, thread);
  if (!sbx_read_text(path, text, sizeof text)) return 0;
  // The name before it may hold a parenthesis too.
  const char *end = strrchr(text, ')');
  return end ? end[2] : 0;
}

int sbx_is_asleep(int process, uint32_t thread) {
  char state = state_of(process, thread);
  return state == 'S' || state == 'D';
}

// Nothing is allocated, as in below.c: the server's heap is that of all runs that follow.
int sbx_any_runs(int process) {
  char path[64], entries[2048];
  snprintf(path, sizeof path, "/proc/%d/task", process);
  int folder = (int)CALL(SYS_openat, AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, 0, 0), runs = 0;
  if (folder < 0) return 0;
  for (long size; !runs && (size = CALL(SYS_getdents64, folder, entries, sizeof entries, 0, 0, 0)) > 0;) {
    for (long at = 0; at < size && !runs;) {
      const struct dirent64 *entry = (const struct dirent64 *)(entries + at);
      at += entry->d_reclen;
      runs = entry->d_name[0] != '.' && state_of(process, (uint32_t)atoi(entry->d_name)) == 'R';
    }
  }
  CALL(SYS_close, folder, 0, 0, 0, 0, 0);
  return runs;
}

void sbx_take_over(struct sbx_shared *s) {
  uint32_t holder = __atomic_load_n(&s->holder, __ATOMIC_RELAXED);
  for (uint32_t i = 1; i <= s->thread_count; i++) {
    struct sbx_thread *thread = &s->threads[i];
    if (i == holder || !thread->tid || (thread->state != SBX_READY && thread->state != SBX_WAITING)) continue;
    s->take_from = holder;
    __atomic_store_n(&thread->go, SBX_CHOOSE_FOR_OTHERS, __ATOMIC_RELAXED);
    CALL(SYS_futex, &thread->go, FUTEX_WAKE, 1, 0, 0, 0);
    return;
  }
}

SANITIZED_AGAIN
