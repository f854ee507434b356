// InstructionCounter.c: a child process attaches to the calling thread and steps it from one mark to the next. For
// machines whose processor lends its own counters to no program, as most virtual ones do.
//
// Marks are breakpoint instructions in `marked`. The child is made before the first mark and says by a pipe that it has attached, so
// the thread meets the first mark traced; it detaches at the second. What it has counted it writes into memory that both share.
#define _GNU_SOURCE
#include "InstructionCounter.h"

#include <errno.h>

#if !defined(__x86_64__)

int instructionCounterRun(void (*body)(void *), void *context, long limit, struct instruction_counts *counts) {
  (void)context, (void)limit, (void)counts, (void)body;
  return ENOSYS;
}

#else

#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
  struct instruction_counts counts;
  int problem;
};

enum { breakpoint = 0xCC, known_size = 1 << 16 };

// What is known of an address: whether the instruction there locks. 0 in `at`: nothing.
struct known {
  uint64_t at;
  int locks;
};

// Whether these bytes begin an instruction that locks: by its prefix, or an exchange with memory.
static int is_locked(const uint8_t *code, size_t count) {
  size_t index = 0;
  for (; index < count; index++) {
    uint8_t byte = code[index];
    if (byte == 0xF0) return 1;
    int is_prefix = byte == 0x66 || byte == 0x67 || byte == 0xF2 || byte == 0xF3 || byte == 0x2E || byte == 0x36 || byte == 0x3E ||
                    byte == 0x26 || byte == 0x64 || byte == 0x65 || (byte & 0xF0) == 0x40;
    if (!is_prefix) break;
  }
  return index + 1 < count && (code[index] == 0x86 || code[index] == 0x87) && code[index + 1] < 0xC0;
}

static int locks_at(pid_t process, uint64_t address, struct known *table) {
  struct known *entry = &table[(address ^ address >> 16) & (known_size - 1)];
  if (entry->at == address) return entry->locks;
  uint8_t code[16] = {0};
  struct iovec here = {code, sizeof code}, there = {(void *)address, sizeof code};
  ssize_t count = process_vm_readv(process, &here, 1, &there, 1, 0);
  if (count < 0) {  // the end of a page
    there.iov_len = 4096 - (address & 4095);
    count = process_vm_readv(process, &here, 1, &there, 1, 0);
  }
  entry->at = address;
  entry->locks = count > 0 && is_locked(code, (size_t)count);
  return entry->locks;
}

// Lets the thread go on until it stops at a mark or a step; passes its own signals on to it. 0 once it has ended.
static int next_stop(pid_t thread, int request) {
  long passed = 0;
  for (;;) {
    if (ptrace(request, thread, 0, passed) != 0) return 0;
    int status = 0;
    while (waitpid(thread, &status, __WALL) < 0)
      if (errno != EINTR) return 0;
    if (!WIFSTOPPED(status)) return 0;
    if (WSTOPSIG(status) == SIGTRAP) return 1;
    passed = WSTOPSIG(status);
  }
}

static void count_steps(pid_t process, pid_t thread, long limit, struct shared *shared, struct known *table) {
  struct user_regs_struct registers;
  if (!next_stop(thread, PTRACE_CONT)) return;
  long steps = 0, locked = 0;
  for (; steps < limit; steps++) {
    if (ptrace(PTRACE_GETREGS, thread, 0, &registers) != 0) return;
    uint8_t first = 0;
    struct known *entry = &table[(registers.rip ^ registers.rip >> 16) & (known_size - 1)];
    if (entry->at != registers.rip) {
      struct iovec here = {&first, 1}, there = {(void *)registers.rip, 1};
      process_vm_readv(process, &here, 1, &there, 1, 0);
    }
    if (first == breakpoint) {
      shared->problem = 0;
      break;
    }
    locked += locks_at(process, registers.rip, table);
    if (!next_stop(thread, PTRACE_SINGLESTEP)) return;
  }
  if (steps == limit) shared->problem = ETIMEDOUT;
  shared->counts = (struct instruction_counts){steps, locked};
  // If no process traced the thread at the second mark, the mark would end it.
  next_stop(thread, PTRACE_CONT);
  ptrace(PTRACE_DETACH, thread, 0, 0);
}

// The second mark must be met traced and is left behind by the child; the body must not be inlined into what lies between the marks.
static __attribute__((noinline)) void marked(void (*body)(void *), void *context) {
  __asm__ volatile("int3" ::: "memory");
  body(context);
  __asm__ volatile("int3" ::: "memory");
}

int instructionCounterRun(void (*body)(void *), void *context, long limit, struct instruction_counts *counts) {
  size_t size = sizeof(struct shared) + known_size * sizeof(struct known);
  struct shared *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return errno;
  shared->problem = EPERM;
  int attached[2], allowed[2];
  if (pipe(attached) != 0) return munmap(shared, size), EMFILE;
  if (pipe(allowed) != 0) return close(attached[0]), close(attached[1]), munmap(shared, size), EMFILE;
  pid_t process = getpid(), thread = (pid_t)syscall(SYS_gettid);
  // A bare child: no handler of a library runs in it, and it calls nothing but the kernel.
  pid_t child = (pid_t)syscall(SYS_fork);
  if (child == 0) {
    char word = 0;
    close(allowed[1]);
    if (read(allowed[0], &word, 1) == 1 && ptrace(PTRACE_SEIZE, thread, 0, 0) == 0) {
      int status = 0;
      if (ptrace(PTRACE_INTERRUPT, thread, 0, 0) == 0 && waitpid(thread, &status, __WALL) == thread) {
        word = 1;
        if (write(attached[1], &word, 1) == 1)
          count_steps(process, thread, limit, shared, (struct known *)(shared + 1));
      }
    }
    _exit(0);
  }
  char word = 0;
  close(attached[1]);
  close(allowed[0]);
  prctl(PR_SET_PTRACER, child, 0, 0, 0);
  int is_attached = child > 0 && write(allowed[1], &word, 1) == 1;
  while (is_attached && read(attached[0], &word, 1) < 0 && errno == EINTR) continue;
  is_attached = is_attached && word == 1;
  if (is_attached) marked(body, context); else body(context);
  close(attached[0]);
  close(allowed[1]);
  int status;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  prctl(PR_SET_PTRACER, 0, 0, 0, 0);
  int problem = is_attached ? shared->problem : EPERM;
  *counts = shared->counts;
  munmap(shared, size);
  return problem;
}

#endif
