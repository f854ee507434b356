// deadlocks.c: waits that close a cycle over several threads, through the C face.
#include "probe.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_int inside;

static void meet(int count) {
  atomic_fetch_add(&inside, 1);
  // Asleep: on one processor an item that polls keeps the other one from its worker.
  while (atomic_load(&inside) < count) usleep(100);
}

static void join_by_force(void) {
  dispatch_semaphore_wait(dispatch_semaphore_create(0), DISPATCH_TIME_FOREVER);
}

static void two_queues_crosswise(void) {
  dispatch_queue_t one = dispatch_queue_create("one", NULL), two = dispatch_queue_create("two", NULL);
  dispatch_async(one, ^{ meet(2); dispatch_sync(two, ^{ puts("never"); }); });
  dispatch_async(two, ^{ meet(2); dispatch_sync(one, ^{ puts("never"); }); });
  join_by_force();
}

static void eight_queues_in_a_ring(void) {
  static dispatch_queue_t ring[8];
  for (int i = 0; i < 8; i++) {
    char label[16];
    snprintf(label, sizeof label, "ring %d", i);
    ring[i] = dispatch_queue_create(label, NULL);
  }
  for (int i = 0; i < 8; i++)
    dispatch_async(ring[i], ^{ meet(8); dispatch_async_and_wait(ring[(i + 1) % 8], ^{ puts("never"); }); });
  join_by_force();
}

static void once_and_a_queue(void) {
  static dispatch_once_t token;
  dispatch_queue_t queue = dispatch_queue_create("asked for by once", NULL);
  dispatch_async(queue, ^{ meet(2); dispatch_once(&token, ^{ puts("never"); }); });
  dispatch_once(&token, ^{ meet(2); dispatch_sync(queue, ^{ puts("never"); }); });
}

static dispatch_block_t own;
static void make_own_block(void) {
  static int inner;
  own = dispatch_block_create(0, ^{
    if (inner++) dispatch_block_wait(own, DISPATCH_TIME_FOREVER);
    else own();
    puts("never");
  });
}
static void block_inside_itself(void) {
  make_own_block();
  own();
}
static void block_inside_itself_in_a_queue(void) {
  own = dispatch_block_create(0, ^{ dispatch_block_wait(own, DISPATCH_TIME_FOREVER); puts("never"); });
  dispatch_async(dispatch_queue_create("own", NULL), own);
  join_by_force();
}

static void block_and_a_barrier(void) {
  dispatch_queue_t shared = dispatch_queue_create("shared", DISPATCH_QUEUE_CONCURRENT);
  dispatch_block_t block = dispatch_block_create(0, ^{ meet(2); dispatch_barrier_sync(shared, ^{ puts("never"); }); });
  dispatch_async(dispatch_queue_create("of blocks", NULL), block);
  dispatch_sync(shared, ^{ meet(2); dispatch_block_wait(block, DISPATCH_TIME_FOREVER); });
}

static void reader_again_behind_a_barrier(void) {
  dispatch_queue_t queue = dispatch_queue_create("again", DISPATCH_QUEUE_CONCURRENT);
  dispatch_sync(queue, ^{
    dispatch_barrier_async(queue, ^{ puts("never"); });
    dispatch_sync(queue, ^{ puts("never"); });
  });
}

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

// What is merely suspected does not end the program: so this ends it, once the report is written to the file that has to be named.
static void until_told(void) {
  const char *file = getenv("SIGNALBOX_DEADLOCK_JSON");
  while (!file || access(file, F_OK)) usleep(10000);
}
static void *end_when_told(void *context) {
  until_told();
  usleep(200000);  // in which it would be stopped
  puts("done");
  exit(0);
  return context;
}
static void end_later(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, end_when_told, NULL)) abort();
}

static void two_mutexes(void) {
  end_later();
  dispatch_queue_t global = dispatch_get_global_queue(0, 0);
  dispatch_async(global, ^{ pthread_mutex_lock(&a); meet(2); pthread_mutex_lock(&b); puts("never"); });
  dispatch_async(global, ^{ pthread_mutex_lock(&b); meet(2); pthread_mutex_lock(&a); puts("never"); });
  join_by_force();
}

static void mutex_and_a_queue(void) {
  end_later();
  dispatch_queue_t queue = dispatch_queue_create("with a mutex", NULL);
  dispatch_async(queue, ^{ meet(2); pthread_mutex_lock(&a); puts("never"); });
  pthread_mutex_lock(&a);
  meet(2);
  dispatch_sync(queue, ^{ puts("never"); });
}

static dispatch_group_t lent;
static void enter_and_wait(void *context) {
  dispatch_queue_t queue = context;
  dispatch_group_async(lent, queue, ^{ puts("member"); });
  dispatch_group_wait(lent, DISPATCH_TIME_FOREVER);
  dispatch_group_enter(lent);  // for the leave of the watchdog
}

static void group_behind_in_a_queue(void) {
  lent = dispatch_group_create();
  dispatch_queue_t queue = dispatch_queue_create("ahead", NULL);
  dispatch_async_f(queue, queue, enter_and_wait);
  join_by_force();
}

// The same, and a thread that takes the member's place back once the wait is suspected.
static void *leave_when_told(void *context) {
  until_told();
  dispatch_group_leave(lent);
  return context;
}
static void watch(pthread_t *thread) {
  lent = dispatch_group_create();
  if (pthread_create(thread, NULL, leave_when_told, NULL)) abort();
}
static void group_behind_and_a_watchdog(void) {
  pthread_t thread;
  watch(&thread);
  dispatch_queue_t queue = dispatch_queue_create("ahead", NULL);
  dispatch_async_f(queue, queue, enter_and_wait);
  pthread_join(thread, NULL);
  dispatch_sync(queue, ^{ puts("behind"); });
}
static void group_on_main_and_a_watchdog(void) {
  pthread_t thread;
  watch(&thread);
  enter_and_wait(dispatch_get_main_queue());
  pthread_join(thread, NULL);
}

const struct deed deadlock_deeds[] = {
    {"two-queues-crosswise", two_queues_crosswise},
    {"eight-queues-in-a-ring", eight_queues_in_a_ring},
    {"once-and-a-queue", once_and_a_queue},
    {"block-and-a-barrier", block_and_a_barrier},
    {"reader-again-behind-a-barrier", reader_again_behind_a_barrier},
    {"block-inside-itself", block_inside_itself},
    {"block-inside-itself-in-a-queue", block_inside_itself_in_a_queue},
    {"group-behind-in-a-queue", group_behind_in_a_queue},
    {"group-behind-and-a-watchdog", group_behind_and_a_watchdog},
    {"group-on-main-and-a-watchdog", group_on_main_and_a_watchdog},
    {"two-mutexes", two_mutexes},
    {"mutex-and-a-queue", mutex_and_a_queue},
    {0}};
