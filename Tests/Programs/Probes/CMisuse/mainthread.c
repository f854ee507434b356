// mainthread.c: the main thread waiting for itself, and others taking its part.
#include "probe.h"

#include <Block.h>
#include <pthread.h>

static void wait_on_main_for_a_group(void) {
  dispatch_group_t group = dispatch_group_create();
  dispatch_group_async(group, dispatch_get_main_queue(), ^{ puts("never"); });
  dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
}

static void wait_on_main_for_a_block(void) {
  dispatch_block_t block = dispatch_block_create(0, ^{ puts("never"); });
  dispatch_async(dispatch_get_main_queue(), block);
  dispatch_block_wait(block, DISPATCH_TIME_FOREVER);
}

static void sync_onto_main(void) { dispatch_sync(dispatch_get_main_queue(), ^{ puts("never"); }); }

static void signal_it(void *semaphore) { dispatch_semaphore_signal((dispatch_semaphore_t)semaphore); }

static void semaphore_on_main(void) {
  dispatch_semaphore_t semaphore = dispatch_semaphore_create(0);
  dispatch_async_f(dispatch_get_main_queue(), NULL, nothing);
  dispatch_after_f(
      dispatch_time(DISPATCH_TIME_NOW, 1500 * (int64_t)NSEC_PER_MSEC), dispatch_get_global_queue(0, 0), semaphore, signal_it);
  dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER);
}

static void *take_main(void *context) {
  (void)context;
  dispatch_main();
}

static void main_off_the_main_thread(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, take_main, NULL);
  pthread_join(thread, NULL);
}

static void main_inside_an_item(void) {
  dispatch_queue_t queue = dispatch_queue_create("busy", NULL);
  dispatch_sync(queue, ^{ dispatch_main(); });
}

const struct deed main_deeds[] = {
    {"wait-on-main-for-a-group", wait_on_main_for_a_group},
    {"wait-on-main-for-a-block", wait_on_main_for_a_block},
    {"sync-onto-main", sync_onto_main},
    {"semaphore-on-main", semaphore_on_main},
    {"main-off-the-main-thread", main_off_the_main_thread},
    {"main-inside-an-item", main_inside_an_item},
    {0}};
