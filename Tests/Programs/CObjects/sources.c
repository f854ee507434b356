// sources.c: the chapters about sources that are no timers: data, bytes, signals, and the end of a source.
#include "program.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static dispatch_source_t source_on(dispatch_queue_t queue, dispatch_source_type_t type, uintptr_t handle) {
  return dispatch_source_create(type, handle, 0, queue);
}

// Cancels, waits for the cancel handler and releases.
static void end(dispatch_source_t source) {
  dispatch_semaphore_t ended = dispatch_semaphore_create(0);
  dispatch_source_set_cancel_handler(source, ^{
    say_text("cancelled on", mark());
    dispatch_semaphore_signal(ended);
  });
  dispatch_source_cancel(source);
  wait_for(ended);
  say("testcancel", dispatch_source_testcancel(source) != 0);
  dispatch_release(source);
  dispatch_release(ended);
}

struct merged {
  dispatch_source_t source;
  dispatch_semaphore_t told;
};

static void merged(void *context) {
  struct merged *merged = context;
  say("merged", (long)dispatch_source_get_data(merged->source));
  dispatch_semaphore_signal(merged->told);
}

static void merge(const char *text, dispatch_source_type_t type, const unsigned long *values, int count) {
  dispatch_queue_t queue = marked_queue(text);
  struct merged merged_into = {source_on(queue, type, 0), dispatch_semaphore_create(0)};
  dispatch_set_context(merged_into.source, &merged_into);
  dispatch_source_set_event_handler_f(merged_into.source, merged);
  dispatch_source_merge_data(merged_into.source, 5);
  say_text("before the activation", text);
  dispatch_activate(merged_into.source);
  wait_for(merged_into.told);
  dispatch_suspend(queue);
  for (int i = 0; i < count; i++) dispatch_source_merge_data(merged_into.source, values[i]);
  dispatch_resume(queue);
  wait_for(merged_into.told);
  say("once more", dispatch_semaphore_wait(merged_into.told, in_milliseconds(5)) == 0);
  end(merged_into.source);
  dispatch_release(merged_into.told);
  dispatch_release(queue);
}

void data_sources(void) {
  merge("add", DISPATCH_SOURCE_TYPE_DATA_ADD, (unsigned long[]){1, 2, 3, 0}, 4);
  merge("or", DISPATCH_SOURCE_TYPE_DATA_OR, (unsigned long[]){1, 4, 4, 0}, 4);
  merge("replace", DISPATCH_SOURCE_TYPE_DATA_REPLACE, (unsigned long[]){1, 4, 9}, 3);
}

// Reads five bytes at a time until the end.
static void read_all(const char *text, int ends[2]) {
  dispatch_queue_t queue = marked_queue(text);
  dispatch_semaphore_t step = dispatch_semaphore_create(0);
  int from = ends[0];
  dispatch_source_t source = source_on(queue, DISPATCH_SOURCE_TYPE_READ, (uintptr_t)from);
  dispatch_source_set_event_handler(source, ^{
    long waiting = (long)dispatch_source_get_data(source);
    char bytes[5];
    long count = waiting ? (long)read(from, bytes, sizeof bytes) : 0;
    say("bytes that wait", waiting);
    say("bytes read", count);
    if (!count) dispatch_source_cancel(source);
    dispatch_semaphore_signal(step);
  });
  dispatch_activate(source);
  say("handle is the descriptor", dispatch_source_get_handle(source) == (uintptr_t)from);
  for (int i = 0; i < 2; i++) {
    if (write(ends[1], "hello sources", 13) != 13) abort();
    for (int steps = 0; steps < 3; steps++) wait_for(step);
  }
  close(ends[1]);
  wait_for(step);
  end(source);
  close(from);
  dispatch_release(step);
  dispatch_release(queue);
}

void byte_sources(void) {
  int ends[2];
  if (pipe(ends)) abort();
  read_all("pipe", ends);
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) abort();
  read_all("socket", ends);
  // A writer is notified when somebody has read.
  if (pipe(ends) || fcntl(ends[1], F_SETFL, O_NONBLOCK)) abort();
  static char page[4096];
  while (write(ends[1], page, sizeof page) > 0) continue;
  dispatch_semaphore_t room = dispatch_semaphore_create(0);
  dispatch_source_t source = source_on(NULL, DISPATCH_SOURCE_TYPE_WRITE, (uintptr_t)ends[1]);
  dispatch_source_set_event_handler(source, ^{ dispatch_semaphore_signal(room); });
  dispatch_resume(source);  // activates
  say("room in a full pipe", dispatch_semaphore_wait(room, in_milliseconds(5)) == 0);
  for (int i = 0; i < 2; i++)
    if (read(ends[0], page, sizeof page) != sizeof page) abort();
  wait_for(room);
  end(source);
  dispatch_release(room);
  close(ends[0]);
  close(ends[1]);
}

void signal_sources(void) {
  signal(SIGUSR1, SIG_IGN);
  dispatch_queue_t queue = marked_queue("signals");
  dispatch_semaphore_t told = dispatch_semaphore_create(0), ready = dispatch_semaphore_create(0);
  dispatch_source_t sources[2];
  for (int i = 0; i < 2; i++) {
    dispatch_source_t source = sources[i] = source_on(queue, DISPATCH_SOURCE_TYPE_SIGNAL, SIGUSR1);
    dispatch_source_set_event_handler(source, ^{
      say("signals", (long)dispatch_source_get_data(source));
      dispatch_semaphore_signal(told);
    });
    dispatch_source_set_registration_handler_f(source, signal_it);
    dispatch_set_context(source, ready);
    dispatch_activate(source);
    wait_for(ready);
  }
  // The toolchain's library listens a little later than it says.
  dispatch_semaphore_wait(ready, in_milliseconds(10));
  for (int round = 0; round < 3; round++) {
    kill(getpid(), SIGUSR1);
    for (int i = 0; i < 2; i++) wait_for(told);
  }
  say("handle is the signal", dispatch_source_get_handle(sources[0]) == SIGUSR1);
  for (int i = 0; i < 2; i++) end(sources[i]);
  dispatch_release(told);
  dispatch_release(ready);
  dispatch_release(queue);
}
