// csignalbox.c: the bodies of the wrappers declared in csignalbox.h. One call each; errno becomes a negative result.
#include "Shared/own_code.h"
#define _GNU_SOURCE
#include "csignalbox.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/magic.h>
#include <linux/membarrier.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

__thread struct sb_thread sb_thread_self __attribute__((tls_model("initial-exec")));
uint64_t sb_instruments;
sb_subscriber sb_subscriber_table[8];
uint8_t sb_forked_child;
uint8_t sb_slot_generations[SB_SLOT_COUNT];
uint16_t sb_slot_free[SB_SLOT_COUNT];
struct sb_slot sb_slots[SB_SLOT_COUNT];
struct sb_places sb_queue_places __attribute__((aligned(64)));
struct sb_wait sb_waits[SB_SLOT_COUNT];
uint64_t sb_held[SB_SLOT_COUNT];
struct sb_block_hook sb_block_hook;

static long result(long value) { return value < 0 ? -errno : value; }

int sb_futex_wait(const uint32_t *word, uint32_t expected, const struct timespec *deadline, int realtime, uint32_t set) {
  int operation = FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG | (realtime ? FUTEX_CLOCK_REALTIME : 0);
  return (int)result(syscall(SYS_futex, word, operation, expected, deadline, NULL, set));
}

int sb_futex_wake(const uint32_t *word, int count, uint32_t set) {
  return (int)result(syscall(SYS_futex, word, FUTEX_WAKE_BITSET | FUTEX_PRIVATE_FLAG, count, NULL, NULL, set));
}

int64_t sb_read_memory(uintptr_t address, void *buffer, size_t count) {
  struct iovec here = {buffer, count}, there = {(void *)address, count};
  // By the calling thread's own number: once the first thread has ended the process's number names no memory.
  return result(process_vm_readv(sb_gettid(), &here, 1, &there, 1, 0));
}

int sb_membarrier_register(void) { return (int)result(syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0)); }

int sb_membarrier(void) { return (int)result(syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0)); }

int sb_gettid(void) { return (int)syscall(SYS_gettid); }
int sb_thread_exists(int thread) { return result(syscall(SYS_tgkill, getpid(), thread, 0)) != -ESRCH; }

int sb_thread_probe(int tid) { return (int)result(syscall(SYS_tgkill, getpid(), tid, 0)); }

int sb_processor(void) { return sched_getcpu(); }

void sb_set_timer_slack(unsigned long nanoseconds) { prctl(PR_SET_TIMERSLACK, nanoseconds, 0, 0, 0); }

int sb_set_thread_name(const char *name) { return (int)result(prctl(PR_SET_NAME, name, 0, 0, 0)); }

const char *sb_file_defining(const char *symbol) {
  Dl_info image;
  void *address = dlsym(RTLD_DEFAULT, symbol);
  return address && dladdr(address, &image) ? image.dli_fname : NULL;
}

const char *sb_own_library(void) {
  static char name[64];
  static int known;
  if (__atomic_load_n(&known, __ATOMIC_ACQUIRE)) return name;
  Dl_info image;
  const char *file = dladdr((void *)sb_own_library, &image) && image.dli_fname ? image.dli_fname : "";
  const char *slash = strrchr(file, '/');
  if (slash) file = slash + 1;
  // Two threads that come here at once write the same bytes.
  if (strstr(file, ".so")) strncpy(name, file, sizeof name - 1);
  __atomic_store_n(&known, 1, __ATOMIC_RELEASE);
  return name;
}

// What a thread does to itself stays open: a crash handler must hear of it, and the kernel ends a program whose thread has it
// blocked. All else is for the program's own threads.
void sb_worker_mask(sigset_t *mask) {
  static const int own[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGPIPE, SIGSYS, SIGPROF};
  sigfillset(mask);
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(mask, own[i]);
}

static int start_thread(void *(*body)(void *), void *argument, size_t stack_size) {
  pthread_attr_t attributes;
  int error = pthread_attr_init(&attributes);
  if (error) return -error;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (stack_size) {
    error = pthread_attr_setstacksize(&attributes, stack_size);
    if (error) { pthread_attr_destroy(&attributes); return -error; }
  }
  pthread_t thread;
  error = pthread_create(&thread, &attributes, body, argument);
  pthread_attr_destroy(&attributes);
  return -error;
}

int sb_thread_spawn(void *(*body)(void *), void *argument, size_t stack_size) {
  // Set across the creation, so that the new thread starts with it and no other signal can reach it first.
  sigset_t mask, before;
  sb_worker_mask(&mask);
  pthread_sigmask(SIG_SETMASK, &mask, &before);
  int result = start_thread(body, argument, stack_size);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return result;
}

uint64_t sb_own_signals(void) {
  uint64_t mask = 0;
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, NULL, &mask, sizeof mask);
  return mask;
}

int sb_thread_spawn_open(void *(*body)(void *), void *argument, size_t stack_size, uint64_t signals) {
  // The kernel's mask is the first word of the C library's. Mostly the caller has it already.
  sigset_t mask, before;
  sigemptyset(&mask);
  memcpy(&mask, &signals, sizeof signals);
  pthread_sigmask(SIG_SETMASK, &mask, &before);
  int result = start_thread(body, argument, stack_size);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return result;
}

void sb_thread_exit(void) { pthread_exit(NULL); }

int sb_set_niceness(int thread, int niceness) { return setpriority(PRIO_PROCESS, (id_t)thread, niceness) ? -errno : 0; }

int sb_niceness(int thread) {
  errno = 0;
  int value = getpriority(PRIO_PROCESS, (id_t)thread);
  return errno ? -1 : 20 - value;
}

int sb_settle_thread(int thread, int is_batch, int niceness, uint64_t slice) {
  // The kernel's first version of the structure, which the C library does not know.
  struct {
    uint32_t size, policy;
    uint64_t flags;
    int32_t niceness;
    uint32_t priority;
    uint64_t runtime, deadline, period;
  } wanted = {.size = 48, .policy = is_batch ? SCHED_BATCH : SCHED_OTHER, .niceness = niceness, .runtime = slice};
  return (int)result(syscall(SYS_sched_setattr, thread, &wanted, 0));
}

static pthread_once_t exit_once = PTHREAD_ONCE_INIT;
static pthread_key_t exit_key;
static int exit_key_error;
static void (*exit_handler)(void);
static void run_exit_handler(void *unused) {
  (void)unused;
  void (*handler)(void) = __atomic_load_n(&exit_handler, __ATOMIC_RELAXED);
  if (handler) handler();
}
static void make_exit_key(void) { exit_key_error = pthread_key_create(&exit_key, run_exit_handler); }

int sb_thread_at_exit(void (*handler)(void)) {
  __atomic_store_n(&exit_handler, handler, __ATOMIC_RELAXED);
  pthread_once(&exit_once, make_exit_key);
  if (exit_key_error) return -exit_key_error;
  return -pthread_setspecific(exit_key, &sb_thread_self);
}

int sb_stack_bounds(uintptr_t *low, uintptr_t *high) {
  pthread_attr_t attributes;
  int error = pthread_getattr_np(pthread_self(), &attributes);
  if (error) return -error;
  void *base;
  size_t size;
  error = pthread_attr_getstack(&attributes, &base, &size);
  pthread_attr_destroy(&attributes);
  if (error) return -error;
  *low = (uintptr_t)base;
  *high = (uintptr_t)base + size;
  return 0;
}

int sb_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void)) {
  return -pthread_atfork(before, in_parent, in_child);
}

int sb_at_fork_child(void (*handler)(void)) { return -pthread_atfork(NULL, NULL, handler); }

int sb_affinity_count(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (int)online : 1;
}

int sb_epoll_create(void) { return (int)result(epoll_create1(EPOLL_CLOEXEC)); }

int sb_epoll_control(int epoll, int operation, int descriptor, uint32_t events, uint64_t data) {
  struct epoll_event event = {.events = events, .data = {.u64 = data}};
  return (int)result(epoll_ctl(epoll, operation, descriptor, &event));
}

int sb_epoll_wait(int epoll, uint64_t *data, uint32_t *events, int capacity, const struct timespec *timeout) {
  struct epoll_event buffer[64];
  if (capacity > 64) capacity = 64;
  long count = result(syscall(SYS_epoll_pwait2, epoll, buffer, capacity, timeout, NULL, 0));
  if (count == -ENOSYS || count == -EPERM) {
    // Kernels before 5.11 and strict seccomp profiles: milliseconds, rounded up so that nothing fires early.
    int milliseconds = -1;
    if (timeout) {
      long long total = (long long)timeout->tv_sec * 1000 + (timeout->tv_nsec + 999999) / 1000000;
      milliseconds = total > INT_MAX ? INT_MAX : (int)total;
    }
    count = result(epoll_wait(epoll, buffer, capacity, milliseconds));
  }
  for (long i = 0; i < count; i++) { data[i] = buffer[i].data.u64; events[i] = buffer[i].events; }
  return (int)count;
}

int sb_status(int descriptor, struct sb_status *status) {
  struct stat file;
  if (fstat(descriptor, &file)) return -errno;
  *status = (struct sb_status){file.st_dev, file.st_ino, file.st_rdev, file.st_size, file.st_mode & S_IFMT};
  return 0;
}

int64_t sb_offset(int descriptor) { return result(lseek(descriptor, 0, SEEK_CUR)); }

int sb_bytes_readable(int descriptor) {
  int count = 0;
  return ioctl(descriptor, FIONREAD, &count) ? -errno : count;
}

int sb_bytes_unsent(int descriptor) {
  int count = 0;
  return ioctl(descriptor, TIOCOUTQ, &count) ? -errno : count;
}

int sb_send_buffer(int descriptor) {
  int size = 0;
  socklen_t length = sizeof size;
  return getsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, &length) ? -errno : size;
}

int sb_pipe_capacity(int descriptor) { return (int)result(fcntl(descriptor, F_GETPIPE_SZ)); }

int sb_is_in_memory(int descriptor) {
  struct statfs facts;
  return fstatfs(descriptor, &facts) == 0 && facts.f_type == TMPFS_MAGIC;
}

int sb_eventfd(void) { return (int)result(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }

int sb_timerfd(int clock) { return (int)result(timerfd_create(clock, TFD_CLOEXEC | TFD_NONBLOCK)); }

int sb_timerfd_arm(int descriptor, int64_t seconds, int64_t nanoseconds, int cancel_on_set) {
  struct itimerspec when = {.it_value = {.tv_sec = seconds, .tv_nsec = nanoseconds}};
  return (int)result(timerfd_settime(descriptor, TFD_TIMER_ABSTIME | (cancel_on_set ? TFD_TIMER_CANCEL_ON_SET : 0), &when, NULL));
}

int64_t sb_read(int descriptor, void *buffer, size_t count) { return result(read(descriptor, buffer, count)); }
int64_t sb_write(int descriptor, const void *buffer, size_t count) { return result(write(descriptor, buffer, count)); }

int64_t sb_write_quiet(int descriptor, const void *buffer, size_t count) {
  sigset_t pipe, before, pending;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  sigpending(&pending);
  pthread_sigmask(SIG_BLOCK, &pipe, &before);
  int64_t written = result(write(descriptor, buffer, count));
  if (written == -EPIPE && !sigismember(&pending, SIGPIPE)) {
    struct timespec now = {0, 0};
    sigtimedwait(&pipe, NULL, &now);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return written;
}

int64_t sb_read_at(int descriptor, void *buffer, size_t count, int64_t offset) {
  return result(offset < 0 ? read(descriptor, buffer, count) : pread(descriptor, buffer, count, offset));
}

_Static_assert(sizeof(struct sb_piece) == sizeof(struct iovec) && offsetof(struct sb_piece, count) == offsetof(struct iovec, iov_len),
               "pieces are what the kernel takes");

static int64_t write_pieces(int descriptor, const struct iovec *pieces, int count, int64_t offset) {
  if (count == 1) {
    const void *base = pieces->iov_base;
    return result(offset < 0 ? write(descriptor, base, pieces->iov_len) : pwrite(descriptor, base, pieces->iov_len, offset));
  }
  return result(offset < 0 ? writev(descriptor, pieces, count) : pwritev(descriptor, pieces, count, offset));
}

static int64_t write_pieces_quietly(int descriptor, const struct iovec *pieces, int count) {
  sigset_t pipe, before;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, &before);
  int64_t written = write_pieces(descriptor, pieces, count, -1);
  // A thread that had the signal blocked keeps it pending, as after any write of its own.
  if (!sigismember(&before, SIGPIPE)) {
    struct timespec now = {0, 0};
    if (written == -EPIPE) sigtimedwait(&pipe, NULL, &now);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
  }
  return written;
}

int64_t sb_write_pieces(int descriptor, const struct sb_piece *pieces, int count, int64_t offset, int how) {
  const struct iovec *vector = (const struct iovec *)pieces;
  if (how == SB_WRITE_PLAIN || offset >= 0) return write_pieces(descriptor, vector, count, offset);
  if (how == SB_WRITE_QUIET) return write_pieces_quietly(descriptor, vector, count);
  // MSG_DONTWAIT: whoever shares the socket may have taken O_NONBLOCK from it.
  if (count == 1) return result(send(descriptor, vector->iov_base, vector->iov_len, MSG_NOSIGNAL | MSG_DONTWAIT));
  struct msghdr message = {.msg_iov = (struct iovec *)vector, .msg_iovlen = (size_t)count};
  return result(sendmsg(descriptor, &message, MSG_NOSIGNAL | MSG_DONTWAIT));
}

int sb_open(const char *path, int flags, mode_t mode) { return (int)result(open(path, flags, mode)); }
int sb_close(int descriptor) { return (int)result(close(descriptor)); }
int sb_status_flags(int descriptor) { return (int)result(fcntl(descriptor, F_GETFL)); }
int sb_set_status_flags(int descriptor, int flags) { return (int)result(fcntl(descriptor, F_SETFL, flags)); }


int64_t sb_getrandom(void *buffer, size_t count) { return result(getrandom(buffer, count, 0)); }

int sb_secure_execution(void) { return getauxval(AT_SECURE) != 0; }

// The recorder's bit (Instruments.swift) is set before the program begins: what it submits first is recorded, too, though no thread has
// a slot yet. So is the figures' where the program lets itself be inspected: queues that are made first are known, too.
__attribute__((constructor)) static void instruments_from_the_beginning(void) {
  if (sb_secure_execution()) return;
  if (getenv("SIGNALBOX_RECORD") || getenv("SIGNALBOX_FLIGHT")) __atomic_fetch_or(&sb_instruments, 0x20, __ATOMIC_RELAXED);
  const char *inspect = getenv("SIGNALBOX_INSPECT");
  if (inspect && inspect[0] == '1' && !inspect[1]) __atomic_fetch_or(&sb_instruments, 0x80, __ATOMIC_RELAXED);
}

void *sb_find_symbol(const char *name) { return dlsym(RTLD_DEFAULT, name); }

const void *sb_image_of(const void *address) {
  Dl_info info;
  return dladdr(address, &info) ? info.dli_fbase : 0;
}

void sb_own_thread_name(char *name) { prctl(PR_GET_NAME, name, 0, 0, 0); }

int sb_at_process_exit(void (*handler)(void)) { return atexit(handler); }

int sb_poll_readable(int descriptors[2], int milliseconds) {
  struct pollfd polled[2];
  for (int i = 0; i < 2; i++) polled[i] = (struct pollfd){.fd = descriptors[i], .events = POLLIN};
  long count = result(poll(polled, 2, milliseconds));
  if (count < 0) return (int)count;
  return (polled[0].revents != 0) | (polled[1].revents != 0) << 1;
}

int sb_end_with_parent(void) { return (int)result(prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)); }

int sb_fix_addresses(void) {
  int now = personality(0xffffffff);
  return now < 0 ? -errno : (int)result(personality((unsigned long)now | ADDR_NO_RANDOMIZE));
}

int sb_leave_no_core(void) {
  struct rlimit none = {0, 0};
  return (int)result(setrlimit(RLIMIT_CORE, &none));
}

int sb_pipe(int *ends) { return (int)result(pipe2(ends, O_CLOEXEC)); }

int sb_memory_file(void) { return (int)result(memfd_create("signalbox", MFD_CLOEXEC)); }

extern int add_close_from(posix_spawn_file_actions_t *, int) __asm__("posix_spawn_file_actions_addclosefrom_np") __attribute__((weak));
void sb_spawn_close_from(posix_spawn_file_actions_t *actions, int first) {
  if (&add_close_from) add_close_from(actions, first);
}

char **sb_environment(void) { return environ; }

int64_t sb_attribute_size(const char *path, const char *name) { return result(getxattr(path, name, NULL, 0)); }
