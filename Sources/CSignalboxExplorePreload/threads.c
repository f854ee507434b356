// threads.c: threads begin, end and are joined.
#include "face.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <threads.h>

struct start {
  void *(*body)(void *);
  void *argument;
  struct sbx_thread *thread;
};

static pthread_key_t end_key;
static pthread_once_t end_once = PTHREAD_ONCE_INIT;

// The keys' destructors run in rounds, and those of others may lock and wake: only the last round's ends the control. This key is
// made before others, so its turn in a round comes first; what others still do in the last round is not under control.
#ifdef SBX_SANITIZED
enum { LAST_ROUND = PTHREAD_DESTRUCTOR_ITERATIONS - 1 };  // in the last the sanitizer takes its leave of the thread
#else
enum { LAST_ROUND = PTHREAD_DESTRUCTOR_ITERATIONS };
#endif
static void end_round(void *value) {
  uintptr_t round = (uintptr_t)value;
  if (!sbx_self) return;
  if (round < LAST_ROUND) {
    pthread_setspecific(end_key, (void *)(round + 1));
    return;
  }
  sbx_main_thread_ends();
  sbx_leave();
}
static void make_end_key(void) { pthread_key_create(&end_key, end_round); }

void sbx_watch_thread_end(void) {
  REAL(pthread_once)(&end_once, make_end_key);
  pthread_setspecific(end_key, (void *)1);
}

static void *run(void *context) {
  struct start *start = context;
  void *(*body)(void *) = start->body;
  void *argument = start->argument;
  sbx_enter(start->thread, (uint32_t)CALL(SYS_gettid, 0, 0, 0, 0, 0, 0));
  // Its turn has come: memory is taken and given back in the order of turns.
  free(start);
  sbx_watch_thread_end();
  if (sbx_face->begins) sbx_face->begins();
  return body(argument);
}

EXPORT int pthread_create(pthread_t *result, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
  if (is_on()) fork_here();
  if (!is_on()) return REAL(pthread_create)(result, attributes, body, argument);
  point(SBX_CREATE, 0, PLACE);
  // What runs tests has no part in it.
  if (sbx_is_quiet(PLACE) != SBX_QUIET_TESTS && sbx_start_fails(PLACE)) return EAGAIN;
  struct start *start = malloc(sizeof *start);
  if (!start) return EAGAIN;
  struct sbx_thread *thread = sbx_new_thread(PLACE);
  *start = (struct start){body, argument, thread};
  int error = REAL(pthread_create)(result, attributes, run, start);
  if (error) {
    sbx_discard_thread(thread);
    free(start);
    return error;
  }
  thread->handle = (uint64_t)*result;
  return 0;
}

static struct sbx_thread *find(pthread_t handle) {
  // The latest first: a handle is used again once its thread was joined.
  for (uint32_t i = sbx_state->thread_count; i > 0; i--)
    if (sbx_state->threads[i].handle == (uint64_t)handle) return &sbx_state->threads[i];
  return 0;
}

// Whether the thread has ended, by then.
static int await_end(pthread_t handle, uint64_t deadline, uint64_t place) {
  struct sbx_thread *thread = find(handle);
  if (!thread) return 1;
  while (thread->state != SBX_DEAD) {
    if (thread == sbx_self) return 1;
    if (deadline != SBX_NEVER && deadline <= sbx_state->now) return 0;
    sbx_wait(SBX_JOIN, KEY(thread), deadline, ~0u, place);
  }
  return 1;
}

EXPORT int pthread_join(pthread_t handle, void **result) {
  if (!is_on()) return REAL(pthread_join)(handle, result);
  sbx_self->awaits_end = find(handle) && find(handle) != sbx_self;
  point(SBX_JOIN, find(handle), PLACE);
  sbx_self->awaits_end = 0;
  await_end(handle, SBX_NEVER, PLACE);
  return REAL(pthread_join)(handle, result);
}
EXPORT int pthread_tryjoin_np(pthread_t handle, void **result) {
  if (!is_on()) return REAL(pthread_tryjoin_np)(handle, result);
  point(SBX_JOIN, find(handle), PLACE);
  struct sbx_thread *thread = find(handle);
  return thread && thread->state != SBX_DEAD ? EBUSY : REAL(pthread_join)(handle, result);
}
EXPORT int pthread_clockjoin_np(pthread_t handle, void **result, clockid_t clock, const struct timespec *deadline) {
  if (!is_on()) return REAL(pthread_clockjoin_np)(handle, result, clock, deadline);
  point(SBX_JOIN, find(handle), PLACE);
  if (!await_end(handle, deadline ? sbx_deadline(clock, deadline) : SBX_NEVER, PLACE)) return ETIMEDOUT;
  return REAL(pthread_join)(handle, result);
}
EXPORT int pthread_timedjoin_np(pthread_t handle, void **result, const struct timespec *deadline) {
  return pthread_clockjoin_np(handle, result, CLOCK_REALTIME, deadline);
}
EXPORT int pthread_detach(pthread_t handle) {
  if (is_on()) point(SBX_DETACH, find(handle), PLACE);
  return REAL(pthread_detach)(handle);
}

// --- the main thread's stack ---

// The C library reads a file of the kernel's for it, which costs each run more than a hundred steps.
static struct { pthread_t thread; void *start; size_t size; } main_stack;

void sbx_note_main_stack(void) {
  pthread_attr_t attributes;
  if (REAL(pthread_getattr_np)(pthread_self(), &attributes)) return;
  if (!pthread_attr_getstack(&attributes, &main_stack.start, &main_stack.size)) main_stack.thread = pthread_self();
  pthread_attr_destroy(&attributes);
}
EXPORT int pthread_getattr_np(pthread_t handle, pthread_attr_t *attributes) {
  if (!is_on() || handle != main_stack.thread) return REAL(pthread_getattr_np)(handle, attributes);
  int error = pthread_attr_init(attributes);
  if (!error) error = pthread_attr_setguardsize(attributes, 0);
  return error ? error : pthread_attr_setstack(attributes, main_stack.start, main_stack.size);
}

// --- yields ---

EXPORT int sched_yield(void) {
  if (!is_on()) return REAL(sched_yield)();
  sbx_yield(SBX_YIELD, 0, PLACE);
  return 0;
}
EXPORT void thrd_yield(void) { sched_yield(); }

// --- names ---

static void note_name(struct sbx_thread *thread, const char *name) {
  if (!thread) return;
  // Byte by byte: the thread sanitizer sees what the C library copies.
  volatile char *to = thread->name;
  size_t i = 0;
  for (; name[i] && i < sizeof thread->name - 1; i++) to[i] = name[i];
  to[i] = 0;
}
EXPORT int pthread_setname_np(pthread_t handle, const char *name) {
  if (sbx_self) note_name(handle == pthread_self() ? sbx_self : find(handle), name);
  return sbx_set_name(handle, name);
}
EXPORT int prctl(int option, ...) {
  va_list list;
  va_start(list, option);
  long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long), d = va_arg(list, long);
  va_end(list);
  if (option == PR_SET_NAME && sbx_self && a) note_name(sbx_self, (const char *)a);
  long result = CALL(SYS_prctl, option, a, b, c, d, 0);
  if (result < 0) { errno = (int)-result; return -1; }
  return (int)result;
}

// --- C11 ---

struct c11_start {
  thrd_start_t body;
  void *argument;
};
static void *run_c11(void *context) {
  struct c11_start start = *(struct c11_start *)context;
  free(context);
  return (void *)(intptr_t)start.body(start.argument);
}
EXPORT int thrd_create(thrd_t *result, thrd_start_t body, void *argument) {
  struct c11_start *start = malloc(sizeof *start);
  if (!start) return thrd_nomem;
  *start = (struct c11_start){body, argument};
  int error = pthread_create((pthread_t *)result, 0, run_c11, start);
  if (error) free(start);
  return error == 0 ? thrd_success : error == ENOMEM ? thrd_nomem : thrd_error;
}
EXPORT int thrd_join(thrd_t handle, int *result) {
  void *value = 0;
  if (pthread_join((pthread_t)handle, &value)) return thrd_error;
  if (result) *result = (int)(intptr_t)value;
  return thrd_success;
}
EXPORT int thrd_detach(thrd_t handle) { return pthread_detach((pthread_t)handle) ? thrd_error : thrd_success; }
EXPORT void thrd_exit(int result) { pthread_exit((void *)(intptr_t)result); }

SANITIZED_AGAIN
