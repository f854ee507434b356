// turns.c: the main queue as a run loop drains it: each call runs what the queue holds as the call begins.
#include "program.h"

#include <poll.h>
#include <unistd.h>

static long ran;
static void once(void *unused) { ran++, (void)unused; }
static void adds_one(void *unused) {
  ran++;
  dispatch_async_f(dispatch_get_main_queue(), unused, once);
}
static void goes_on(void *left) {
  ran++;
  if (left) dispatch_async_f(dispatch_get_main_queue(), (char *)left - 1, goes_on);
}
static void nests(void *unused) {
  long before = ran++;
  _dispatch_main_queue_callback_4CF(unused);
  say("a call from within an item runs", ran - before - 1);
}

static int is_readable(void) {
  struct pollfd asked = {_dispatch_get_main_queue_port_4CF(), POLLIN, 0};
  return poll(&asked, 1, 0);
}

// One round of a run loop.
static void drain(const char *name) {
  uint64_t counter;
  int readable = is_readable();
  if (readable && read(_dispatch_get_main_queue_port_4CF(), &counter, sizeof counter) < 0) say_text("the descriptor", "is empty");
  long before = ran;
  _dispatch_main_queue_callback_4CF(NULL);
  printf("%s: %s, %ld ran\n", name, readable ? "readable" : "quiet", ran - before);
}

static void add(dispatch_queue_t queue, int count, dispatch_function_t function) {
  for (int i = 0; i < count; i++) dispatch_async_f(queue, NULL, function);
}

void turns(void) {
  dispatch_queue_t queue = dispatch_get_main_queue();
  dispatch_async_f(queue, (char *)3, goes_on);
  for (int i = 0; i < 5; i++) drain("an item that submits the next");
  add(queue, 1000, once);
  drain("a thousand");
  add(queue, 300, adds_one);
  for (int i = 0; i < 3; i++) drain("three hundred, each adds one");
  add(queue, 1, nests);
  add(queue, 1, once);
  drain("nested");
  drain("after that");
  dispatch_queue_t inner = dispatch_queue_create_with_target("inner", NULL, queue);
  add(inner, 100, adds_one);
  add(queue, 1, once);
  for (int i = 0; i < 2; i++) drain("with a queue on it");
  add(inner, 1, once);
  add(queue, 1, once);
  drain("both");
  drain("nothing");
  dispatch_release(inner);
}
