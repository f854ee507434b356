// targets.c: targets that are changed while items run, threads are in sync and others submit. An item runs in the turn of the target
// that the queue has then: its number is found by dispatch_get_specific, and two of one number at a time are an overlap.
#include "program.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { threads = 4, most = 4 };

static dispatch_queue_t shared, target[most];
static atomic_int inside[most];
static atomic_long overlaps, items, submitted;
static char key;

static void work(void *unused) {
  long number = (long)dispatch_get_specific(&key) - 1;
  if (number >= 0) {
    if (atomic_fetch_add(&inside[number], 1)) atomic_fetch_add(&overlaps, 1);
    for (volatile int pause = 0; pause < 50; pause++) {}
    atomic_fetch_sub(&inside[number], 1);
  }
  atomic_fetch_add(&items, 1);
}

static void submit(dispatch_queue_t queue) {
  atomic_fetch_add(&submitted, 1);
  dispatch_async_f(queue, NULL, work);
}

static void sync_on(dispatch_queue_t queue) {
  atomic_fetch_add(&submitted, 1);
  dispatch_sync_f(queue, NULL, work);
}

static int with_sync, with_global;

static void change(long number) {
  for (int round = 0; round < times(3000); round++) {
    int choice = (round + (int)number) % (with_global ? 3 : 2);
    dispatch_set_target_queue(shared, choice == 2 ? dispatch_get_global_queue(0, 0) : target[choice]);
    submit(shared);
    submit(target[round % 2]);
    if (with_sync && round % 3 == 0) sync_on(shared);
    if (round % 100 == 0) {
      atomic_fetch_add(&submitted, 1);
      dispatch_barrier_sync_f(shared, NULL, work);
    }
    if (round % 50 == 0) {
      dispatch_suspend(shared);
      submit(shared);
      dispatch_resume(shared);
    }
  }
}

static void storm(const char *what, int is_concurrent, int syncs, int has_global) {
  with_sync = syncs;
  with_global = has_global;
  for (long number = 0; number < 2; number++) {
    target[number] = dispatch_queue_create("target", NULL);
    dispatch_queue_set_specific(target[number], &key, (void *)(number + 1), NULL);
  }
  shared = dispatch_queue_create("shared", is_concurrent ? DISPATCH_QUEUE_CONCURRENT : NULL);
  dispatch_set_target_queue(shared, target[0]);
  on_threads(threads, change);
  await(&items, atomic_load(&submitted));
  dispatch_release(shared);
  for (int number = 0; number < 2; number++) dispatch_release(target[number]);
  check(what, atomic_load(&items) == atomic_load(&submitted));
  check("  each in its target's turn", atomic_exchange(&overlaps, 0) == 0);
}

// MARK: targets that are over

static atomic_long gone;
static void count(void *context) { atomic_fetch_add(&gone, 1); }

static dispatch_queue_t fresh(void) {
  dispatch_queue_t queue = dispatch_queue_create("fresh", NULL);
  dispatch_set_context(queue, &gone);
  dispatch_set_finalizer_f(queue, count);
  return queue;
}

// A queue keeps the target it has, and none that it had.
static void former(const char *what, int is_concurrent) {
  int number = times(20000);
  shared = dispatch_queue_create("shared", is_concurrent ? DISPATCH_QUEUE_CONCURRENT : NULL);
  for (int round = 0; round < number; round++) {
    dispatch_queue_t next = fresh();
    dispatch_set_target_queue(shared, next);
    dispatch_release(next);
    if (round % 2) submit(shared);
    if (round % 10 == 0) sync_on(shared);
  }
  await(&items, atomic_load(&submitted));
  await(&gone, number - 1);
  check(what, atomic_load(&gone) == number - 1);
  dispatch_release(shared);
  await(&gone, number);
  check("  and the last one with the queue", atomic_exchange(&gone, 0) == number);
}

// MARK: inactive queues

static void sync_once(long number) { sync_on(shared); }
static void *activate_later(void *unused) {
  for (int round = 0; round < times(200); round++) {
    dispatch_queue_t next = fresh();
    dispatch_set_target_queue(shared, next);
    dispatch_release(next);
  }
  dispatch_activate(shared);
  return NULL;
}

static void inactive(void) {
  int rounds = times(40);
  for (int round = 0; round < rounds; round++) {
    dispatch_queue_attr_t attributes = round % 2 ? DISPATCH_QUEUE_CONCURRENT : NULL;
    shared = dispatch_queue_create("inactive", dispatch_queue_attr_make_initially_inactive(attributes));
    pthread_t activator;
    if (pthread_create(&activator, NULL, activate_later, NULL)) abort();
    on_threads(threads, sync_once);
    pthread_join(activator, NULL);
    dispatch_release(shared);
  }
  await(&gone, (long)rounds * times(200));
  check("targets of inactive queues", atomic_exchange(&gone, 0) == (long)rounds * times(200));
}

// MARK: chains

// The last reference to the topmost queue lets go of them all.
static void chain(void) {
  int length = times(100000);
  dispatch_queue_t last = fresh();
  for (int level = 1; level < length; level++) {
    dispatch_queue_t next = level % 2 ? dispatch_queue_create_with_target("link", NULL, last) : dispatch_queue_create("link", NULL);
    if (level % 2 == 0) dispatch_set_target_queue(next, last);
    dispatch_release(last);
    last = next;
  }
  dispatch_release(last);
  await(&gone, 1);
  check("a long chain of targets", atomic_exchange(&gone, 0) == 1);
}

void targets(void) {
  storm("a concurrent queue between two targets", 1, 0, 0);
  storm("with sync", 1, 1, 0);
  storm("a serial queue between two targets", 0, 0, 0);
  storm("with sync", 0, 1, 0);
  former("former targets of a concurrent queue", 1);
  former("former targets of a serial queue", 0);
  inactive();
  chain();
  if (!does_all) return;
  storm("a concurrent queue between two targets and a global queue, with sync", 1, 1, 1);
  storm("a serial queue between two targets and a global queue, with sync", 0, 1, 1);
}

// MARK: the main queue

static char order[8];
static atomic_long noted, waiter_thread;
static dispatch_semaphore_t may_go;
static int waits_alone;

static void note(void *letter) {
  order[atomic_load(&noted)] = *(const char *)letter;
  atomic_fetch_add(&noted, 1);
}
static void note_later(void *letter) {
  dispatch_semaphore_wait(may_go, DISPATCH_TIME_FOREVER);
  note(letter);
}
static void *wait_in_sync(void *letter) {
  atomic_store(&waiter_thread, syscall(SYS_gettid));
  if (waits_alone) {
    dispatch_barrier_sync_f(shared, letter, note);
  } else {
    dispatch_sync_f(shared, letter, note);
  }
  return NULL;
}

// Waits until the thread that will wait in sync sleeps: it does nothing else that could.
static void await_sleep(void) {
  await(&waiter_thread, 1);
  char path[64], line[256], state = 0;
  snprintf(path, sizeof path, "/proc/self/task/%ld/stat", atomic_load(&waiter_thread));
  while (state != 'S') {
    FILE *file = fopen(path, "r");
    if (!file || !fgets(line, sizeof line, file)) abort();
    fclose(file);
    state = strrchr(line, ')')[2];
  }
}

// The first body runs on the queue as it was; behind it lie the change, a sync that waits, and one more item.
static void moves(const char *what, int is_concurrent, int alone) {
  waits_alone = alone;
  atomic_store(&noted, 0);
  atomic_store(&waiter_thread, 0);
  memset(order, 0, sizeof order);
  may_go = dispatch_semaphore_create(0);
  shared = dispatch_queue_create("moves", is_concurrent ? DISPATCH_QUEUE_CONCURRENT : NULL);
  dispatch_barrier_async_f(shared, "1", note_later);
  dispatch_set_target_queue(shared, dispatch_get_main_queue());
  pthread_t waiter;
  if (pthread_create(&waiter, NULL, wait_in_sync, "2")) abort();
  await_sleep();
  dispatch_barrier_async_f(shared, "3", note);
  dispatch_semaphore_signal(may_go);
  pthread_join(waiter, NULL);
  await(&noted, 3);
  check(what, strcmp(order, "123") == 0);
  dispatch_release(shared);
  dispatch_release(may_go);
}

static void *move_all(void *end) {
  moves("a serial queue goes to the main queue while a thread waits in sync", 0, 0);
  moves("a concurrent queue", 1, 0);
  moves("a concurrent queue, and the thread is a barrier", 1, 1);
  exit(((int (*)(void))end)());
}

void targets_on_main(int (*end)(void)) {
  pthread_t mover;
  if (pthread_create(&mover, NULL, move_all, (void *)end)) abort();
  dispatch_main();
}
