// stack.c: call stacks by unwind tables, which pass through code without frame pointers: the caller's own, and that of another
// thread, which a signal asks to walk its own. The signal handler is the reason that there is logic here.
#include "Shared/own_code.h"
#define _GNU_SOURCE
#include "csignalbox.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

// The unwinder is that of the Swift runtime's C++ library. Weak: no dependency of our own, and bound when this image is loaded.
// Asked for at report time, the loader could wait for a lock that a deadlocked thread holds.
#pragma weak _Unwind_Backtrace
#pragma weak _Unwind_GetIPInfo
#pragma weak _Unwind_GetCFA
#pragma weak _Unwind_GetGR
// With it (glibc 2.35) the unwinder finds its tables without any lock.
extern int find_object(void *, void *) __asm__("_dl_find_object") __attribute__((weak));

#if defined(__x86_64__)
enum { FRAME_POINTER = 6 };
#elif defined(__aarch64__)
enum { FRAME_POINTER = 29 };
#else
#error "stack.c needs the number of this processor's frame pointer"
#endif

struct walk {
  uintptr_t *frames;
  int capacity;
  int count;
  uintptr_t first;  // frames are left out until this address; 0: none
  // The last frame's registers: where its tables are missing, as they are for what the compiler makes of generic types, unwind.c goes on.
  uintptr_t stack, pointer;
};

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *argument) {
  struct walk *walk = argument;
  int interrupted = 0;
  uintptr_t address = _Unwind_GetIPInfo(context, &interrupted);
  if (walk->first) {
    if (address != walk->first) return _URC_NO_REASON;
    walk->first = 0;
  }
  if (!address || walk->count == walk->capacity) return _URC_END_OF_STACK;
  // All are return addresses to a reader, behind the instruction that is meant.
  walk->frames[walk->count++] = address + (interrupted ? 1 : 0);
  walk->stack = _Unwind_GetCFA(context);
  walk->pointer = _Unwind_GetGR(context, FRAME_POINTER);
  return _URC_NO_REASON;
}

static int walk_all(struct walk *walk) {
  _Unwind_Backtrace(step, walk);
  return walk->count ? sb_walk_on(walk->frames, walk->count, walk->capacity, walk->stack, walk->pointer) : 0;
}

int sb_unwind_ready(void) {
  return &_Unwind_Backtrace != 0 && &_Unwind_GetIPInfo != 0 && &_Unwind_GetCFA != 0 && &_Unwind_GetGR != 0 && &find_object != 0;
}

int sb_unwind_self(uintptr_t *frames, int capacity) {
  if (!sb_unwind_ready()) return -ENOSYS;
  struct walk walk = {.frames = frames, .capacity = capacity, .first = (uintptr_t)__builtin_return_address(0)};
  return walk_all(&walk);
}

// One request at a time. The word holds a phase, and above it the request's number, so that a late answer reaches nobody.
enum { FREE = 0, ASKED = 1, TAKING = 2, TAKEN = 3, PHASE = 3, NUMBER = 4 };
static struct {
  uint32_t word;
  int target;
  int count;
  uintptr_t frames[SB_UNWIND_FRAMES];
} request;

static uintptr_t program_counter(const ucontext_t *context) {
#if defined(__x86_64__)
  return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  return (uintptr_t)context->uc_mcontext.pc;
#else
#error "stack.c needs the place of this processor's program counter"
#endif
}

#if defined(__x86_64__)
// Calls that end early for any signal, whatever its handler says, and that have done nothing then. Not among them: close, which has
// given up the descriptor, and connect, which goes on by itself.
static int has_done_nothing(uint32_t call) {
  switch (call) {
    case SYS_nanosleep: case SYS_clock_nanosleep: case SYS_pause: case SYS_rt_sigsuspend: case SYS_rt_sigtimedwait:
    case SYS_poll: case SYS_ppoll: case SYS_select: case SYS_pselect6: case SYS_epoll_wait: case SYS_epoll_pwait:
    case SYS_epoll_pwait2: case SYS_futex: case SYS_accept: case SYS_accept4: case SYS_read: case SYS_readv: case SYS_recvfrom:
    case SYS_recvmsg: case SYS_recvmmsg: case SYS_write: case SYS_writev: case SYS_sendto: case SYS_sendmsg: case SYS_msgrcv:
    case SYS_msgsnd: case SYS_semop: case SYS_semtimedop: case SYS_io_getevents: return 1;
    default: return 0;
  }
}

// Whether the instructions from `at` to `end` only move words, and leave %eax alone.
static int only_moves(const uint8_t *at, const uint8_t *end) {
  while (at < end) {
    int prefix = (*at & 0xf0) == 0x40 ? *at++ : 0;
    uint8_t what = at[0], form = at[1], kind = form >> 6, base = form & 7;
    int writes = what == 0x8b ? (form >> 3 & 7) | (prefix & 4) << 1 : kind == 3 ? base | (prefix & 1) << 3 : -1;
    if ((what != 0x89 && what != 0x8b) || writes == 0 || kind == 2 || (kind == 0 && base >= 4)) return 0;
    at += 2 + (kind == 1) + (kind == 1 && base == 4);
  }
  return at == end;
}

// The thread was seen running, and fell asleep before the signal came: the call that the signal has ended begins anew, with the arguments
// that its registers still have. Its number is gone from them; it is in the instructions before, which the thread has just executed.
static void begin_anew(ucontext_t *context) {
  greg_t *registers = context->uc_mcontext.gregs;
  if (registers[REG_RAX] != -EINTR) return;
  const uint8_t *call = (const uint8_t *)registers[REG_RIP] - 2;
  if (call[0] != 0x0f || call[1] != 0x05) return;  // syscall
  for (const uint8_t *at = call - 5; at > call - 24; at--) {
    if (at[0] != 0xb8 || !only_moves(at + 5, call)) continue;  // mov $number, %eax
    uint32_t number = at[1] | at[2] << 8 | (uint32_t)at[3] << 16 | (uint32_t)at[4] << 24;
    if (!has_done_nothing(number)) return;
    registers[REG_RAX] = number;
    registers[REG_RIP] -= 2;
    return;
  }
}
#else
// Its first argument is gone from the registers.
static void begin_anew(ucontext_t *context) { (void)context; }
#endif

// Runs on the thread that is asked. Signal-safe: a few loads and swaps, and an unwinder that takes no lock.
static void walk_here(int number, siginfo_t *information, void *context) {
  (void)number, (void)information;
  int saved = errno;
  // acquire S1: pairs with S2; the target is that of this request.
  uint32_t word = __atomic_load_n(&request.word, __ATOMIC_ACQUIRE);
  if ((word & PHASE) == ASKED && request.target == sb_gettid() &&
      __atomic_compare_exchange_n(&request.word, &word, word + (TAKING - ASKED), 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
    uintptr_t here = program_counter(context);
    struct walk walk = {.frames = request.frames, .capacity = SB_UNWIND_FRAMES, .first = here};
    request.count = walk_all(&walk);
    if (!request.count) request.frames[request.count++] = here + 1;
    // release S3: publishes the frames to S4.
    __atomic_store_n(&request.word, word + (TAKEN - ASKED), __ATOMIC_RELEASE);
    sb_futex_wake(&request.word, 1, UINT32_MAX);
  }
  begin_anew(context);
  errno = saved;
}

static void await_change(uint32_t word, int milliseconds) {
  struct timespec end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_sec += milliseconds / 1000;
  end.tv_nsec += milliseconds % 1000 * 1000000L;
  if (end.tv_nsec >= 1000000000) end.tv_sec++, end.tv_nsec -= 1000000000;
  while (__atomic_load_n(&request.word, __ATOMIC_ACQUIRE) == word)
    if (sb_futex_wait(&request.word, word, &end, 0, UINT32_MAX) == -ETIMEDOUT) return;
}

// Waits for the answer; the request is over afterwards, unless the thread is in the middle of its walk.
static int take_answer(uint32_t asked, int milliseconds, uintptr_t *frames, int capacity) {
  await_change(asked, milliseconds);
  uint32_t word = asked;
  if (__atomic_compare_exchange_n(&request.word, &word, asked - ASKED, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return -ETIMEDOUT;
  if ((word & PHASE) == TAKING) await_change(word, milliseconds);
  // acquire S4: pairs with S3.
  word = __atomic_load_n(&request.word, __ATOMIC_ACQUIRE);
  if ((word & PHASE) != TAKEN) return -EBUSY;
  int count = request.count < capacity ? request.count : capacity;
  for (int i = 0; i < count; i++) frames[i] = request.frames[i];
  return count;
}

int sb_unwinds(uintptr_t address) { return address == (uintptr_t)&walk_here; }

int sb_unwind_thread(int tid, int number, int milliseconds, uintptr_t *frames, int capacity) {
  if (!sb_unwind_ready()) return -ENOSYS;
  uint32_t old = __atomic_load_n(&request.word, __ATOMIC_ACQUIRE);
  // A thread that was asked earlier and is still in its walk writes to the buffer.
  if ((old & PHASE) == TAKING) return -EBUSY;
  uint32_t asked = ((old & ~(uint32_t)PHASE) + NUMBER) | ASKED;
  request.target = tid;
  struct sigaction action = {.sa_sigaction = walk_here, .sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER}, before, now;
  // Nothing is blocked in the handler: a thread that is just leaving it would seem deaf to the next request.
  sigemptyset(&action.sa_mask);
  if (sigaction(number, &action, &before)) return -errno;
  // release S2: publishes the target to S1.
  __atomic_store_n(&request.word, asked, __ATOMIC_RELEASE);
  int count = syscall(SYS_tgkill, getpid(), tid, number) ? -errno : 0;
  if (count) __atomic_store_n(&request.word, asked - ASKED, __ATOMIC_RELEASE);
  else count = take_answer(asked, milliseconds, frames, capacity);
  // A signal still on its way would end the program under the default disposition: the handler stays then, and does nothing.
  if (count != -ETIMEDOUT && sigaction(number, NULL, &now) == 0 && now.sa_sigaction == walk_here) sigaction(number, &before, NULL);
  return count;
}
