// machine.c: what the core needs of the kernel, the functions below ours, and the libraries whose locks are no points.
#include "face.h"

#include <execinfo.h>
#include <link.h>

// A program with the thread sanitizer has functions of its own before the C library's, by which it sees locks, and threads that begin and
// end: those come next.
static void *sanitizers(const char *name) {
#ifdef SBX_SANITIZED
  char whole[96] = "__interceptor_";
  strncpy(whole + strlen(whole), name, sizeof whole - strlen(whole) - 1);
  return dlsym(RTLD_DEFAULT, whole);
#else
  (void)name;
  return 0;
#endif
}

void *sbx_next(const char *name, const char *version) {
  void *known = sanitizers(name);
  if (known) return known;
  void *found = version ? dlvsym(RTLD_NEXT, name, version) : 0;
  return found ? found : dlsym(RTLD_NEXT, name);
}

extern struct sbx_real __start_sbx_real[], __stop_sbx_real[];
void sbx_find_real(void) {
  for (struct sbx_real *one = __start_sbx_real; one < __stop_sbx_real; one++)
    if (!one->function) one->function = sbx_next(one->name, one->version);
}

#if defined(__x86_64__)
long sbx_call(long number, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}
#elif defined(__aarch64__)
long sbx_call(long number, long a, long b, long c, long d, long e, long f) {
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory", "cc");
  return x0;
}
#else
#error "signalbox explore knows x86-64 and aarch64"
#endif

// --- quiet libraries ---

// The runtime's own locks guard tables that no schedule of the program's concerns, and would be nine points of ten.
static const char *const quiet_names[] = {
    "libswiftCore.so", "libswift_Concurrency.so", "libstdc++.so", "libc++", "libicu", "lib_FoundationICU.so", "lib_InternalSwift", "libswift_StringProcessing.so",
    "libswift_RegexParser.so", "libgcc_s.so", "libc.so.6", "ld-linux", "libm.so", "libswift_RegexBuilder.so", "libxml2", "libcurl",
};
// What runs tests is no part of what they test: its locks, and the ways of its tasks, are no points either.
static const char *const test_names[] = {"libXCTest.so", "libTesting.so", "lib_Testing", "lib_TestingInterop.so"};
enum { MOST_RANGES = 32 };
static struct { uint64_t low, high; int kind; } quiet[MOST_RANGES];
static int quiet_count;

static int is_among(const char *name, const char *const *list, size_t count) {
  for (size_t i = 0; i < count; i++) if (!strncmp(name, list[i], strlen(list[i]))) return 1;
  return 0;
}

static int add_quiet(struct dl_phdr_info *image, size_t size, void *context) {
  (void)size, (void)context;
  const char *slash = strrchr(image->dlpi_name, '/');
  const char *name = slash ? slash + 1 : image->dlpi_name;
  int kind = is_among(name, test_names, sizeof test_names / sizeof *test_names)      ? SBX_QUIET_TESTS
             : is_among(name, quiet_names, sizeof quiet_names / sizeof *quiet_names) ? SBX_QUIET_RUNTIME
                                                                                     : SBX_LOUD;
  if (kind == SBX_LOUD) return 0;
  for (int i = 0; i < image->dlpi_phnum && quiet_count < MOST_RANGES; i++) {
    const ElfW(Phdr) *part = &image->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
    quiet[quiet_count].low = image->dlpi_addr + part->p_vaddr;
    quiet[quiet_count].high = image->dlpi_addr + part->p_vaddr + part->p_memsz;
    quiet[quiet_count++].kind = kind;
  }
  return 0;
}

void sbx_find_quiet(void) { dl_iterate_phdr(add_quiet, 0); }

int sbx_is_quiet(uint64_t place) {
  for (int i = 0; i < quiet_count; i++) if (place - quiet[i].low < quiet[i].high - quiet[i].low) return quiet[i].kind;
  return SBX_LOUD;
}

// --- what the core asks for ---

static void face_sleep(uint32_t *word, uint32_t expected, uint64_t nanoseconds) {
  struct timespec span = {(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
  CALL(SYS_futex, word, FUTEX_WAIT, expected, nanoseconds == SBX_NEVER ? 0 : &span, 0, 0);
}
static void face_wake(uint32_t *word) { CALL(SYS_futex, word, FUTEX_WAKE, 1, 0, 0, 0); }
static void face_end(void) {
  for (;;) CALL(SYS_exit_group, 86, 0, 0, 0, 0, 0);
}
static int face_is_gone(uint32_t tid) {
  static long process;
  if (sbx_real_number((int)tid) != (int)tid && sbx_main_thread_is_gone()) return 1;
  if (!process) process = CALL(SYS_getpid, 0, 0, 0, 0, 0, 0);
  return CALL(SYS_tgkill, process, sbx_real_number((int)tid), 0, 0, 0, 0) == -ESRCH;
}
static void face_pause(void) { CALL(SYS_sched_yield, 0, 0, 0, 0, 0, 0); }
// The linker's names for where an image begins and ends. Asking the loader for each address would cost more than the walk.
extern char __ehdr_start[] __attribute__((visibility("hidden"))), _end[] __attribute__((visibility("hidden")));
static int face_stack(uint64_t *frames, int capacity) {
  void *found[SBX_STACK + 8];
  int count = backtrace(found, SBX_STACK + 8), own = 0;
  // The innermost are the core's and ours.
  while (own < count && (char *)found[own] >= __ehdr_start && (char *)found[own] < _end) own++;
  int kept = 0;
  while (own < count && kept < capacity) frames[kept++] = KEY(found[own++]);
  return kept;
}
static uint64_t face_real_time(void) {
  struct timespec now;
  CALL(SYS_clock_gettime, CLOCK_MONOTONIC, &now, 0, 0, 0, 0);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

const struct sbx_face sbx_preload_face = {
    .sleep = face_sleep, .wake = face_wake, .end = face_end, .is_gone = face_is_gone, .pause = face_pause, .scan = sbx_scan,
    .waits_outside = sbx_waits_outside, .alarm = sbx_next_alarm, .fire = sbx_fire_alarms, .stack = face_stack,
    .real_time = face_real_time, .leave_prelude = sbx_fork_here,
};

SANITIZED_AGAIN
