// jobs.c: where the runtime of Swift's tasks puts the jobs of threads under control; those of all other threads go where they went
// before. The runtime offers a variable for each way in, but its own executors, which actors and sleeps use, pass them by: they submit
// to the dispatch library, to functions that are taken over here.
#define _GNU_SOURCE
#include "core.h"
#include "csignalbox_explore_inside.h"
#include "face.h"

#define SWIFT __attribute__((swiftcall))
#define RUNTIME __attribute__((weak, visibility("default")))

// An executor as the runtime passes it: who it is, and how it is called.
struct executor { void *identity, *implementation; };

typedef SWIFT void (*plain)(void *job);
typedef SWIFT void (*delayed)(unsigned long long delay, void *job);
typedef SWIFT void (*timed)(long long seconds, long long nanoseconds, long long leeway, long long leeway_nanoseconds, int clock, void *job);

extern RUNTIME SWIFT void (*swift_task_enqueueGlobal_hook)(void *, plain);
extern RUNTIME SWIFT void (*swift_task_enqueueMainExecutor_hook)(void *, plain);
extern RUNTIME SWIFT void (*swift_task_enqueueGlobalWithDelay_hook)(unsigned long long, void *, delayed);
extern RUNTIME SWIFT void (*swift_task_enqueueGlobalWithDeadline_hook)(long long, long long, long long, long long, int, void *, timed);
RUNTIME SWIFT void swift_job_run(void *job, struct executor executor);
RUNTIME SWIFT struct executor swift_task_getMainExecutor(void);

static void (*take)(void *job, int is_main, uint64_t delay);
static __typeof__(swift_task_enqueueGlobal_hook) global_before;
static __typeof__(swift_task_enqueueMainExecutor_hook) main_before;
static __typeof__(swift_task_enqueueGlobalWithDelay_hook) delay_before;
static __typeof__(swift_task_enqueueGlobalWithDeadline_hook) deadline_before;

static int is_ours(void) { return sbx_self && sbx_state->is_active; }

SWIFT static void enqueue_global(void *job, plain original) {
  if (is_ours()) take(job, 0, 0);
  else if (global_before) global_before(job, original);
  else original(job);
}
SWIFT static void enqueue_main(void *job, plain original) {
  if (is_ours()) take(job, 1, 0);
  else if (main_before) main_before(job, original);
  else original(job);
}
SWIFT static void enqueue_after(unsigned long long delay, void *job, delayed original) {
  if (is_ours()) take(job, 0, delay);
  else if (delay_before) delay_before(delay, job, original);
  else original(delay, job);
}
SWIFT static void enqueue_at(long long seconds, long long nanoseconds, long long leeway, long long leeway_nanoseconds, int clock,
                             void *job, timed original) {
  if (is_ours()) {
    // Both of the runtime's clocks show the same virtual time.
    struct timespec point = {(time_t)seconds, (long)nanoseconds};
    uint64_t due = sbx_deadline(CLOCK_MONOTONIC, &point);
    take(job, 0, due > sbx_state->now ? due - sbx_state->now : 0);
  } else if (deadline_before) {
    deadline_before(seconds, nanoseconds, leeway, leeway_nanoseconds, clock, job, original);
  } else {
    original(seconds, nanoseconds, leeway, leeway_nanoseconds, clock, job);
  }
}

// Jobs with a deadline.
static void (*take_later)(uint64_t when, void *context, void (*work)(void *));
static void (*take_now)(int is_main, void *context, void (*work)(void *));
void dispatch_after_f(uint64_t when, void *queue, void *context, void (*work)(void *));
EXPORT void dispatch_after_f(uint64_t when, void *queue, void *context, void (*work)(void *)) {
  if (is_ours() && take_later) take_later(when, context, work);
  else REAL(dispatch_after_f)(when, queue, context, work);
}

// Jobs that are due.
extern struct dispatch_queue_s _dispatch_main_q RUNTIME;
void dispatch_async_swift_job(void *queue, void *job, unsigned qos);
void *sbx_inside_loader(void);
// Not by `dlsym`, which is ours.
static void *real_symbol(const char *name) { return ((void *(*)(void *, const char *))sbx_inside_loader())(RTLD_NEXT, name); }
EXPORT void dispatch_async_swift_job(void *queue, void *job, unsigned qos) {
  static __typeof__(&dispatch_async_swift_job) real;
  if (is_ours() && take) {
    take(job, queue == (void *)&_dispatch_main_q, 0);
    return;
  }
  if (!real) real = (__typeof__(real))real_symbol("dispatch_async_swift_job");
  real(queue, job, qos);
}
// Where the dispatch library knows no jobs.
void dispatch_async_f(void *queue, void *context, void (*work)(void *));
EXPORT void dispatch_async_f(void *queue, void *context, void (*work)(void *)) {
  static __typeof__(&dispatch_async_f) real;
  if (is_ours() && take_now) {
    take_now(queue == (void *)&_dispatch_main_q, context, work);
    return;
  }
  if (!real) real = (__typeof__(real))real_symbol("dispatch_async_f");
  real(queue, context, work);
}

// The runtime asks the loader for that function, behind itself in the loader's order, where ours is not. All other questions are the
// loader's, with the caller that it judges by.
__attribute__((used, visibility("hidden"))) void *sbx_inside_symbol(void *handle, const char *name) {
  if (handle != RTLD_NEXT || strncmp(name, "dispatch_async_", 15) != 0 || !real_symbol(name)) return 0;
  return strcmp(name, "dispatch_async_swift_job") == 0 ? (void *)dispatch_async_swift_job
         : strcmp(name, "dispatch_async_f") == 0       ? (void *)dispatch_async_f
                                                       : 0;
}
__attribute__((used, visibility("hidden"))) void *sbx_inside_loader(void) {
  static void *loaders;
  if (!loaders) loaders = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
  // Older C libraries.
#if defined(__x86_64__)
  if (!loaders) loaders = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
#else
  if (!loaders) loaders = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.17");
#endif
  return loaders;
}
#if defined(__x86_64__)
__asm__(
    ".text\n"
    ".globl dlsym\n"
    ".type dlsym, @function\n"
    "dlsym:\n"
    "  .cfi_startproc\n"
    "  pushq %rdi\n  .cfi_adjust_cfa_offset 8\n"
    "  pushq %rsi\n  .cfi_adjust_cfa_offset 8\n"
    "  subq $8, %rsp\n  .cfi_adjust_cfa_offset 8\n"
    "  call sbx_inside_symbol\n"
    "  testq %rax, %rax\n"
    "  jne 1f\n"
    "  call sbx_inside_loader\n"
    "  addq $8, %rsp\n  .cfi_adjust_cfa_offset -8\n"
    "  popq %rsi\n  .cfi_adjust_cfa_offset -8\n"
    "  popq %rdi\n  .cfi_adjust_cfa_offset -8\n"
    "  jmp *%rax\n"
    "1:\n"
    "  .cfi_adjust_cfa_offset 24\n"
    "  addq $24, %rsp\n  .cfi_adjust_cfa_offset -24\n"
    "  ret\n"
    "  .cfi_endproc\n"
    ".size dlsym, .-dlsym\n");
#elif defined(__aarch64__)
__asm__(
    ".text\n"
    ".globl dlsym\n"
    ".type dlsym, %function\n"
    "dlsym:\n"
    "  .cfi_startproc\n"
    "  stp x29, x30, [sp, #-32]!\n"
    "  .cfi_def_cfa_offset 32\n  .cfi_offset x29, -32\n  .cfi_offset x30, -24\n"
    "  mov x29, sp\n"
    "  stp x0, x1, [sp, #16]\n"
    "  bl sbx_inside_symbol\n"
    "  cbnz x0, 1f\n"
    "  bl sbx_inside_loader\n"
    "  mov x16, x0\n"
    "  ldp x0, x1, [sp, #16]\n"
    "  .cfi_remember_state\n"
    "  ldp x29, x30, [sp], #32\n"
    "  .cfi_def_cfa_offset 0\n  .cfi_restore x29\n  .cfi_restore x30\n"
    "  br x16\n"
    "1:\n"
    "  .cfi_restore_state\n"
    "  ldp x29, x30, [sp], #32\n"
    "  .cfi_def_cfa_offset 0\n  .cfi_restore x29\n  .cfi_restore x30\n"
    "  ret\n"
    "  .cfi_endproc\n"
    ".size dlsym, .-dlsym\n");
#endif

void sbx_inside_take_jobs(void (*taker)(void *job, int is_main, uint64_t delay),
                          void (*now)(int is_main, void *context, void (*work)(void *)),
                          void (*later)(uint64_t when, void *context, void (*work)(void *))) {
  take = taker;
  take_now = now;
  take_later = later;
  // A program without tasks has none of them.
  if (!&swift_task_enqueueGlobal_hook) return;
  global_before = swift_task_enqueueGlobal_hook;
  main_before = swift_task_enqueueMainExecutor_hook;
  delay_before = swift_task_enqueueGlobalWithDelay_hook;
  deadline_before = swift_task_enqueueGlobalWithDeadline_hook;
  swift_task_enqueueGlobal_hook = enqueue_global;
  swift_task_enqueueMainExecutor_hook = enqueue_main;
  swift_task_enqueueGlobalWithDelay_hook = enqueue_after;
  swift_task_enqueueGlobalWithDeadline_hook = enqueue_at;
}

void sbx_inside_run_job(void *job, int is_main) {
  swift_job_run(job, is_main ? swift_task_getMainExecutor() : (struct executor){0, 0});
}

SANITIZED_AGAIN
