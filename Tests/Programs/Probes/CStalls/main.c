// main.c: a C program whose waits nobody ends, or somebody ends late: `CStallProbe NAME`. What must be reported of each is in
// SignalboxABITests; what comes to its end says "done".
#include <dispatch/dispatch.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static dispatch_queue_t global(void) { return dispatch_get_global_queue(0, 0); }
static int64_t milliseconds(int64_t count) { return count * (int64_t)NSEC_PER_MSEC; }

static void nothing(void *context) { (void)context; }
static void wait_for(void *semaphore) { dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER); }
static void signal_it(void *semaphore) { dispatch_semaphore_signal(semaphore); }
static void leave_it(void *group) { dispatch_group_leave(group); }
static void sync_onto(void *queue) { dispatch_sync_f(queue, NULL, nothing); }

static void *wait_on_thread(void *semaphore) {
  wait_for(semaphore);
  return NULL;
}
static void thread(void *(*body)(void *), void *context) {
  pthread_t made;
  if (pthread_create(&made, NULL, body, context)) abort();
  pthread_detach(made);
}

// Nobody is left.

static void semaphore(void) { wait_for(dispatch_semaphore_create(0)); }

static void semaphore_on_thread(void) {
  thread(wait_on_thread, dispatch_semaphore_create(0));
  dispatch_main();
}

static dispatch_semaphore_t pair[2];
static pthread_barrier_t both;
static void cross(intptr_t mine) {
  wait_for(pair[mine]);
  pthread_barrier_wait(&both);
  wait_for(pair[1 - mine]);
}
static void *cross_over(void *context) {
  (void)context;
  cross(1);
  return NULL;
}
static void crosswise(void) {
  for (int one = 0; one < 2; one++) pair[one] = dispatch_semaphore_create(1);
  if (pthread_barrier_init(&both, NULL, 2)) abort();
  thread(cross_over, NULL);
  cross(0);
}

static void group(void) {
  dispatch_group_t group = dispatch_group_create();
  dispatch_group_enter(group);
  dispatch_group_enter(group);
  dispatch_async_f(global(), group, leave_it);
  dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
}

static void suspended(void) {
  dispatch_queue_t queue = dispatch_queue_create("stopped", NULL);
  dispatch_suspend(queue);
  sync_onto(queue);
}

static void group_held(void) {
  dispatch_group_t group = dispatch_group_create();
  dispatch_queue_t queue = dispatch_queue_create("held", NULL);
  dispatch_suspend(queue);
  for (int item = 0; item < 2; item++) dispatch_group_async_f(group, queue, queue, nothing);
  dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
}

static void inactive(void) {
  sync_onto(dispatch_queue_create("asleep", dispatch_queue_attr_make_initially_inactive(NULL)));
}

static void pool(void) {
  dispatch_semaphore_t semaphore = dispatch_semaphore_create(0);
  for (int item = 0; item < 4; item++) dispatch_async_f(global(), semaphore, wait_for);
  // Whether the pool has made all its threads or not: this one comes behind those.
  for (int item = 0; item < 4; item++) dispatch_async_f(global(), semaphore, signal_it);
  dispatch_main();
}

static void main_parked(void) {
  dispatch_semaphore_t semaphore = dispatch_semaphore_create(0);
  dispatch_async_f(dispatch_get_main_queue(), semaphore, signal_it);
  wait_for(semaphore);
}

static void main_ended(void) {
  dispatch_async_f(global(), dispatch_get_main_queue(), sync_onto);
  pthread_exit(NULL);
}

// Somebody comes late.

static void main_elsewhere(void) {
  dispatch_async_f(global(), dispatch_get_main_queue(), sync_onto);
  sleep(4);
}

static void *signal_late(void *semaphore) {
  sleep(4);
  signal_it(semaphore);
  return NULL;
}
static void sleeper(void) {
  dispatch_semaphore_t semaphore = dispatch_semaphore_create(0);
  thread(signal_late, semaphore);
  wait_for(semaphore);
}

static void after(int64_t delay) {
  dispatch_semaphore_t semaphore = dispatch_semaphore_create(0);
  dispatch_after_f(dispatch_time(DISPATCH_TIME_NOW, milliseconds(delay)), global(), semaphore, signal_it);
  wait_for(semaphore);
}
static void soon(void) { after(500); }
static void later(void) { after(6000); }

static void timed(void) {
  dispatch_semaphore_wait(dispatch_semaphore_create(0), dispatch_time(DISPATCH_TIME_NOW, milliseconds(1500)));
}

static void compute(void *semaphore) {
  dispatch_time_t end = dispatch_time(DISPATCH_TIME_NOW, milliseconds(1500));
  while (dispatch_time(DISPATCH_TIME_NOW, 0) < end) {}
  signal_it(semaphore);
}
static void slow(void) {
  dispatch_semaphore_t semaphore = dispatch_semaphore_create(0);
  dispatch_async_f(global(), semaphore, compute);
  wait_for(semaphore);
}

static int ends[2];
static void write_byte(void *context) {
  (void)context;
  sleep(6);
  if (write(ends[1], "", 1) != 1) abort();
}
static void *write_on_thread(void *context) {
  write_byte(context);
  return NULL;
}
static void monitored(void) {
  dispatch_semaphore_t semaphore = dispatch_semaphore_create(0);
  if (pipe(ends)) abort();
  dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_READ, (uintptr_t)ends[0], 0, global());
  dispatch_set_context(source, semaphore);
  dispatch_source_set_event_handler_f(source, signal_it);
  dispatch_resume(source);
  thread(write_on_thread, NULL);
  wait_for(semaphore);
}

// A handler of the program's, or a thread that the C library keeps for one, may end any wait.

static dispatch_semaphore_t handled;
static void on_signal(int number) {
  (void)number;
  signal_it(handled);
}
static void on_timer(union sigval value) {
  (void)value;
  signal_it(handled);
}
static void handler(void) {
  handled = dispatch_semaphore_create(0);
  signal(SIGALRM, on_signal);
  alarm(4);
  wait_for(handled);
}
static void timer_on_thread(void) {
  handled = dispatch_semaphore_create(0);
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_timer};
  struct itimerspec due = {.it_value = {.tv_sec = 4}};
  timer_t timer;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &due, NULL)) abort();
  wait_for(handled);
}
static void crash_handler(void) {
  signal(SIGSEGV, on_signal);
  signal(SIGABRT, SIG_DFL);
  semaphore();
}

// Nobody waits with us, and nothing can happen any more; or something is.

static void ran_last(void *context) { (void)context; }
static void nothing_left(void) {
  dispatch_async_f(global(), NULL, ran_last);
  dispatch_main();
}
static void nothing_left_but_a_signal(void) {
  signal(SIGUSR1, on_signal);
  nothing_left();
}
static void *wait_in_condition(void *context) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  pthread_mutex_lock(&mutex);
  while (true) pthread_cond_wait(&condition, &mutex);
  return context;
}
static void nothing_left_of_threads(void) {
  thread(wait_in_condition, NULL);
  nothing_left();
}
static void timer_left(void) {
  dispatch_after_f(dispatch_time(DISPATCH_TIME_NOW, milliseconds(3600000)), global(), NULL, nothing);
  nothing_left();
}
static void *read_for_ever(void *context) {
  char byte;
  if (pipe(ends) || read(ends[0], &byte, 1) < 0) abort();
  return context;
}
static void reader_left(void) {
  thread(read_for_ever, NULL);
  nothing_left();
}
static void *sleep_for_long(void *context) {
  sleep(3600);
  return context;
}
static void sleeper_left(void) {
  thread(sleep_for_long, NULL);
  nothing_left();
}

// A sleep that we cannot see into and that has no time: a child of the process writes a byte late.

static void read_late_byte(void) {
  char byte;
  close(ends[1]);
  if (read(ends[0], &byte, 1) != 1) abort();
}
static void write_late(void) {
  if (pipe(ends)) abort();
  pid_t child = fork();
  if (child < 0) abort();
  if (child > 0) return;
  sleep(4);
  if (write(ends[1], "", 1) != 1) abort();
  _exit(0);
}
static void main_reads(void) {
  write_late();
  dispatch_async_f(global(), dispatch_get_main_queue(), sync_onto);
  read_late_byte();
}
static void *signal_after_byte(void *semaphore) {
  read_late_byte();
  signal_it(semaphore);
  return NULL;
}
static void reader(void) {
  write_late();
  dispatch_semaphore_t semaphore = dispatch_semaphore_create(0);
  thread(signal_after_byte, semaphore);
  wait_for(semaphore);
}

// The program waits in the C library and has never used a queue.

static void condition_in_c(void) { wait_in_condition(NULL); }
static pthread_mutex_t twice = PTHREAD_MUTEX_INITIALIZER;
static void mutex_twice(void) {
  pthread_mutex_lock(&twice);
  pthread_mutex_lock(&twice);
}
static void mutex_twice_beside_a_runner(void) {
  thread(read_for_ever, NULL);
  mutex_twice();
}
static void condition_in_child(void) {
  pid_t child = fork();
  if (!child) wait_in_condition(NULL);
  waitpid(child, NULL, 0);
}

static const struct deed {
  const char *name;
  void (*run)(void);
} deeds[] = {
    {"semaphore", semaphore},     {"semaphore-on-thread", semaphore_on_thread},
    {"group", group},             {"suspended", suspended},
    {"inactive", inactive},       {"pool", pool},
    {"main-parked", main_parked}, {"main-ended", main_ended},
    {"main-elsewhere", main_elsewhere}, {"sleeper", sleeper},
    {"later", later},             {"timed", timed},
    {"slow", slow},               {"monitored", monitored},
    {"soon", soon},               {"group-held", group_held},
    {"crosswise", crosswise},     {"handler", handler},
    {"timer-on-thread", timer_on_thread}, {"crash-handler", crash_handler},
    {"nothing-left", nothing_left}, {"nothing-left-but-a-signal", nothing_left_but_a_signal},
    {"nothing-left-of-threads", nothing_left_of_threads},
    {"timer-left", timer_left},   {"reader-left", reader_left},
    {"sleeper-left", sleeper_left}, {"main-reads", main_reads},
    {"reader", reader},           {"condition-in-c", condition_in_c},
    {"mutex-twice", mutex_twice}, {"mutex-twice-beside-a-runner", mutex_twice_beside_a_runner},
    {"condition-in-child", condition_in_child},
};

int main(int count, char **arguments) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (size_t deed = 0; deed < sizeof deeds / sizeof *deeds; deed++) {
    if (count < 2) {
      puts(deeds[deed].name);
    } else if (!strcmp(deeds[deed].name, arguments[1])) {
      deeds[deed].run();
      puts("done");
      return 0;
    }
  }
  return count < 2 ? 0 : 64;
}
