// below.c: what the processes do that the explored program has started itself.
#include "face.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

enum { MOST_LEVELS = 8 };

// The processor time that it has used; whether it wants the processor counts besides, if that is asked for.
static uint64_t ticks(int process, int counts_wishes) {
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", process);
  if (!sbx_read_text(path, text, sizeof text)) return 0;
  // The name may hold anything; behind it come the state, ten numbers, and the times of the process and of the children that it has reaped.
  const char *field = strrchr(text, ')');
  unsigned long long user = 0, system = 0, below_user = 0, below_system = 0;
  char state = 0;
  if (!field) return 0;
  sscanf(field + 2, "%c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu %llu", &state, &user, &system, &below_user, &below_system);
  // Each time that it is found waiting for the processor.
  static uint64_t wishes;
  if (state == 'R' && counts_wishes) wishes++;
  return user + system + below_user + below_system + (counts_wishes ? wishes : 0);
}

// Nothing is allocated: what comes after in the server's heap would lie elsewhere in the runs that follow.
static uint64_t work_below(int process, int level, int counts_wishes) {
  char path[64], entries[2048];
  snprintf(path, sizeof path, "/proc/%d/task", process);
  int folder = level < MOST_LEVELS ? (int)CALL(SYS_openat, AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, 0, 0) : -1;
  if (folder < 0) return 0;
  uint64_t sum = 0;
  for (long size; (size = CALL(SYS_getdents64, folder, entries, sizeof entries, 0, 0, 0)) > 0;) {
    for (long at = 0; at < size;) {
      const struct dirent64 *entry = (const struct dirent64 *)(entries + at);
      at += entry->d_reclen;
      // More than the text holds are not told apart: what matters is that one of them works.
      char children[4096], *next = children;
      snprintf(path, sizeof path, "/proc/%d/task/%d/children", process, atoi(entry->d_name));
      if (entry->d_name[0] == '.' || !sbx_read_text(path, children, sizeof children)) continue;
      for (long child; (child = strtol(next, &next, 10)) > 0;)
        sum += 1 + ticks((int)child, counts_wishes) + work_below((int)child, level + 1, counts_wishes);
    }
  }
  CALL(SYS_close, folder, 0, 0, 0, 0, 0);
  return sum;
}

// Of a machine that is busy with other things a process may get nothing for a while: that it wants it is work too.
uint64_t sbx_work_below(int process) { return work_below(process, 0, 1); }
uint64_t sbx_time_used(int process) {
  return (ticks(process, 0) + work_below(process, 0, 0)) * 1000 / (uint64_t)sysconf(_SC_CLK_TCK);
}

static int lives(int process) {
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/%d/stat", process);
  const char *field = sbx_read_text(path, text, sizeof text) ? strrchr(text, ')') : 0;
  return field && field[2] != 'Z' && field[2] != 'X';
}

int sbx_has_living_children(void) {
  siginfo_t ended;
  if (CALL(SYS_waitid, P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT, 0, 0) == -ECHILD) return 0;
  for (uint32_t i = 1; i <= sbx_state->thread_count; i++) {
    char path[64], children[4096];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", sbx_real_number((int)sbx_state->threads[i].tid));
    if (!sbx_state->threads[i].tid || !sbx_read_text(path, children, sizeof children)) continue;
    char *at = children;
    for (long child; (child = strtol(at, &at, 10)) > 0;) if (lives((int)child)) return 1;
  }
  return 0;
}

SANITIZED_AGAIN
