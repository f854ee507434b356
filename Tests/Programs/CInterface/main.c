// main.c: a C program that uses libdispatch's interface broadly, with blocks and with functions. The chapters are in the other
// files; the end, through the main queue, is here.
#include "program.h"

#include <stdlib.h>

void add_one(void *count) { atomic_fetch_add((atomic_long *)count, 1); }
void add_ten(void *count) { atomic_fetch_add((atomic_long *)count, 10); }
void add_index(void *sum, size_t index) { atomic_fetch_add((atomic_long *)sum, (long)index); }
void signal_it(void *semaphore) { dispatch_semaphore_signal((dispatch_semaphore_t)semaphore); }

static void last(void *text) {
  say_text("end", text);
  exit(9);
}

static void from_main(void *text) {
  dispatch_assert_queue(dispatch_get_main_queue());
  say_text("main queue", text);
  say_text("its label", dispatch_queue_get_label(DISPATCH_CURRENT_QUEUE_LABEL));
  dispatch_async(dispatch_get_global_queue(0, 0), ^{
    dispatch_sync(dispatch_get_main_queue(), ^{ say_text("sync to main", "ran"); });
    dispatch_after_f(in_milliseconds(10), dispatch_get_main_queue(), "status 9", last);
  });
}

void finish(void) {
  dispatch_async_f(dispatch_get_main_queue(), "ran", from_main);
  dispatch_main();
}

int main(void) {
  queues();
  barriers();
  applies();
  delays();
  groups();
  semaphores();
  onces();
  blocks();
  contexts();
  specifics();
  targets();
  suspension();
  labels_and_classes();
  timers();
  times();
  finish();
}
