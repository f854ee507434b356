// main.c: a program that uses much of everything again and again, and checks in /proc what is left: threads, descriptors and
// memory may not grow with use. It prints verdicts, not numbers, so that its output is the same on any library that keeps them.
#include <Block.h>
#include <dispatch/dispatch.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int entries(const char *folder) {
  int count = 0;
  DIR *directory = opendir(folder);
  if (!directory) return -1;
  while (readdir(directory)) count++;
  closedir(directory);
  return count - 2;
}

static long resident_pages(void) {
  long all = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &all, &resident) != 2) exit(3);
  fclose(file);
  return resident;
}

static int eventually(int (*holds)(void)) {
  time_t end = time(NULL) + 30;
  while (!holds()) {
    if (time(NULL) > end) return 0;
    usleep(10000);
  }
  return 1;
}

static void nothing(void *context) { (void)context; }
static void signal_it(void *semaphore) { dispatch_semaphore_signal(semaphore); }
static void wait_for_it(void *semaphore) { dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER); }

static void use_everything(void) {
  dispatch_group_t group = dispatch_group_create();
  dispatch_queue_t global = dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_DEFAULT, 0);
  for (int number = 0; number < 50; number++) {
    dispatch_queue_t serial = dispatch_queue_create("leftovers.serial", DISPATCH_QUEUE_SERIAL);
    dispatch_queue_t wide = dispatch_queue_create("leftovers.wide", DISPATCH_QUEUE_CONCURRENT);
    dispatch_set_target_queue(serial, wide);
    for (int item = 0; item < 40; item++) {
      dispatch_group_async_f(group, serial, NULL, nothing);
      dispatch_group_async(group, wide, ^{ (void)item; });
    }
    dispatch_barrier_async_f(wide, NULL, nothing);
    dispatch_sync_f(serial, NULL, nothing);
    dispatch_block_t block = dispatch_block_create(0, ^{ (void)number; });
    dispatch_async(wide, block);
    dispatch_block_wait(block, DISPATCH_TIME_FOREVER);
    _Block_release(block);
    dispatch_release(serial);
    dispatch_release(wide);
  }
  // Threads that block make others necessary: 60 items that wait for as many signals.
  dispatch_semaphore_t semaphore = dispatch_semaphore_create(0);
  for (int number = 0; number < 60; number++) dispatch_group_async_f(group, global, semaphore, wait_for_it);
  for (int number = 0; number < 60; number++) dispatch_group_async_f(group, global, semaphore, signal_it);
  for (int number = 0; number < 60; number++) dispatch_semaphore_signal(semaphore);
  dispatch_apply(100, global, ^(size_t index) { (void)index; });
  dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
  for (int number = 0; number < 60; number++) dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER);

  dispatch_semaphore_t fired = dispatch_semaphore_create(0);
  for (int number = 0; number < 20; number++) {
    dispatch_after_f(dispatch_time(DISPATCH_TIME_NOW, 1000), global, fired, signal_it);
    dispatch_source_t timer = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, global);
    dispatch_source_set_timer(timer, DISPATCH_TIME_NOW, DISPATCH_TIME_FOREVER, 0);
    dispatch_source_set_event_handler(timer, ^{ dispatch_source_cancel(timer); });
    dispatch_source_set_cancel_handler(timer, ^{ dispatch_semaphore_signal(fired); });
    dispatch_activate(timer);
    dispatch_semaphore_wait(fired, DISPATCH_TIME_FOREVER);
    dispatch_semaphore_wait(fired, DISPATCH_TIME_FOREVER);
    dispatch_release(timer);
  }
  dispatch_release(fired);
  dispatch_release(semaphore);
  dispatch_release(group);
}

static int few_threads(void) { return entries("/proc/self/task") <= sysconf(_SC_NPROCESSORS_ONLN) + 8; }

static int descriptors_before;
static int few_descriptors(void) { return entries("/proc/self/fd") <= descriptors_before + 8; }

int main(void) {
  alarm(120);
  descriptors_before = entries("/proc/self/fd");
  for (int round = 0; round < 10; round++) use_everything();
  int descriptors = entries("/proc/self/fd");
  // Items that block take a thread each if the processor gets to them in time: what is left is counted when such threads have gone.
  eventually(few_threads);
  long pages = resident_pages();
  for (int round = 0; round < 60; round++) use_everything();
  printf("descriptors after ten rounds and after seventy: %s\n", entries("/proc/self/fd") <= descriptors ? "no more" : "more");
  eventually(few_threads);
  // A tenth and a megabyte for what the allocator keeps.
  printf("memory: %s\n", resident_pages() <= pages + pages / 10 + 256 ? "no more" : "more");
  printf("descriptors of the library itself: %s\n", eventually(few_descriptors) ? "few" : "many");
  printf("threads when all is quiet: %s\n", eventually(few_threads) ? "few" : "many");
  return 0;
}
