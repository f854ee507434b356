// work.c: the chapters about submitting work and waiting for it.
#include "program.h"

void queues(void) {
  dispatch_queue_t serial = dispatch_queue_create("serial", DISPATCH_QUEUE_SERIAL);
  dispatch_queue_t concurrent = dispatch_queue_create("concurrent", DISPATCH_QUEUE_CONCURRENT);
  __block long order = 0, wrong = 0;
  for (long number = 0; number < 500; number++)
    dispatch_async(serial, ^{
      if (order != number) wrong++;
      order++;
    });
  dispatch_sync(serial, ^{ say("serial, items in order", order); });
  say("serial, items out of order", wrong);
  atomic_long count = 0;
  for (int round = 0; round < 100; round++) {
    dispatch_async_f(concurrent, &count, add_one);
    dispatch_async_f(serial, &count, add_ten);
    dispatch_sync_f(concurrent, &count, add_one);
    dispatch_sync_f(serial, &count, add_ten);
  }
  dispatch_barrier_sync(concurrent, ^{});
  dispatch_sync(serial, ^{});
  say("functions", atomic_load(&count));
  __block int kept = 5;
  dispatch_sync(concurrent, ^{ kept *= 3; });
  say("sync on a concurrent queue", kept);
  // Two bodies that each need the other to have begun.
  dispatch_semaphore_t here = dispatch_semaphore_create(0), there = dispatch_semaphore_create(0);
  dispatch_async(concurrent, ^{
    dispatch_semaphore_signal(here);
    dispatch_semaphore_wait(there, DISPATCH_TIME_FOREVER);
  });
  dispatch_async(concurrent, ^{
    dispatch_semaphore_wait(here, DISPATCH_TIME_FOREVER);
    dispatch_semaphore_signal(there);
  });
  dispatch_barrier_sync(concurrent, ^{ say_text("two at once", "both through"); });
  dispatch_release(here);
  dispatch_release(there);
  dispatch_release(serial);
  dispatch_release(concurrent);
}

void barriers(void) {
  dispatch_queue_t queue = dispatch_queue_create("barriers", DISPATCH_QUEUE_CONCURRENT);
  __block atomic_long inside = 0;
  __block long right = 0;
  for (long round = 1; round <= 20; round++) {
    for (int reader = 0; reader < 5; reader++) dispatch_async(queue, ^{ atomic_fetch_add(&inside, 1); });
    dispatch_barrier_async(queue, ^{ right += atomic_load(&inside) == round * 5; });
  }
  atomic_long count = 0;
  dispatch_barrier_async_f(queue, &count, add_one);
  dispatch_barrier_sync_f(queue, &count, add_ten);
  dispatch_barrier_sync(queue, ^{ dispatch_assert_queue_barrier(queue); });
  say("barriers that saw all before and none after", right);
  say("barrier functions", atomic_load(&count));
  dispatch_release(queue);
}

void applies(void) {
  __block atomic_long sum = 0;
  dispatch_apply(1000, dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_DEFAULT, 0), ^(size_t index) {
    atomic_fetch_add(&sum, (long)index);
  });
  say("apply", atomic_load(&sum));
  dispatch_apply(10, DISPATCH_APPLY_AUTO, ^(size_t outer) {
    dispatch_apply(10, DISPATCH_APPLY_AUTO, ^(size_t inner) { atomic_fetch_add(&sum, (long)(outer * inner)); });
  });
  say("nested apply", atomic_load(&sum));
  atomic_long indices = 0;
  dispatch_apply_f(100, DISPATCH_APPLY_AUTO, &indices, add_index);
  dispatch_queue_t serial = dispatch_queue_create("apply", NULL);
  dispatch_apply_f(100, serial, &indices, add_index);
  __block long order = 0, wrong = 0;
  dispatch_apply(50, serial, ^(size_t index) { wrong += (long)index != order++; });
  say("apply functions", atomic_load(&indices));
  say("apply on a serial queue, out of order", wrong);
  dispatch_apply(0, serial, ^(size_t index) { say("never", (long)index); });
  dispatch_release(serial);
}

void delays(void) {
  dispatch_queue_t queue = dispatch_queue_create("delays", NULL);
  dispatch_semaphore_t done = dispatch_semaphore_create(0);
  dispatch_time_t due = in_milliseconds(20);
  __block bool early = true;
  dispatch_after(due, queue, ^{
    early = dispatch_time(DISPATCH_TIME_NOW, 0) < due;
    dispatch_semaphore_signal(done);
  });
  dispatch_semaphore_wait(done, DISPATCH_TIME_FOREVER);
  say("after, early", early);
  dispatch_after_f(in_milliseconds(5), queue, done, signal_it);
  dispatch_semaphore_wait(done, DISPATCH_TIME_FOREVER);
  dispatch_after(dispatch_walltime(NULL, 5 * (int64_t)NSEC_PER_MSEC), queue, ^{ dispatch_semaphore_signal(done); });
  dispatch_semaphore_wait(done, DISPATCH_TIME_FOREVER);
  dispatch_after(DISPATCH_TIME_NOW, queue, ^{ dispatch_semaphore_signal(done); });
  dispatch_semaphore_wait(done, DISPATCH_TIME_FOREVER);
  say_text("after a function, on the wall, at once", "came");
  dispatch_release(done);
  dispatch_release(queue);
}

void groups(void) {
  dispatch_group_t group = dispatch_group_create();
  dispatch_queue_t queue = dispatch_queue_create("groups", NULL);
  dispatch_queue_t global = dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_HIGH, 0);
  __block atomic_long count = 0;
  atomic_long functions = 0;
  for (int round = 0; round < 200; round++) {
    dispatch_group_async(group, global, ^{ atomic_fetch_add(&count, 1); });
    dispatch_group_async_f(group, global, &functions, add_one);
  }
  dispatch_group_enter(group);
  dispatch_async(queue, ^{
    atomic_fetch_add(&count, 1000);
    dispatch_group_leave(group);
  });
  say("group wait", dispatch_group_wait(group, DISPATCH_TIME_FOREVER));
  say("group members", atomic_load(&count));
  say("group functions", atomic_load(&functions));
  dispatch_semaphore_t notified = dispatch_semaphore_create(0);
  dispatch_group_enter(group);
  dispatch_group_notify(group, queue, ^{ dispatch_semaphore_signal(notified); });
  dispatch_group_notify_f(group, queue, notified, signal_it);
  say("group wait in time", dispatch_group_wait(group, in_milliseconds(5)) != 0);
  say("group wait without time", dispatch_group_wait(group, DISPATCH_TIME_NOW) != 0);
  say("notified before leave", dispatch_semaphore_wait(notified, DISPATCH_TIME_NOW) == 0);
  dispatch_group_leave(group);
  dispatch_semaphore_wait(notified, DISPATCH_TIME_FOREVER);
  dispatch_semaphore_wait(notified, DISPATCH_TIME_FOREVER);
  say_text("group notify", "both came");
  dispatch_release(notified);
  dispatch_release(queue);
  dispatch_release(group);
}

void semaphores(void) {
  say("semaphore below zero", dispatch_semaphore_create(-1) == NULL);
  dispatch_semaphore_t semaphore = dispatch_semaphore_create(1);
  say("semaphore wait", dispatch_semaphore_wait(semaphore, DISPATCH_TIME_NOW));
  say("semaphore without time", dispatch_semaphore_wait(semaphore, DISPATCH_TIME_NOW) != 0);
  say("semaphore in time", dispatch_semaphore_wait(semaphore, in_milliseconds(5)) != 0);
  say("semaphore on the wall", dispatch_semaphore_wait(semaphore, dispatch_walltime(NULL, 5000000)) != 0);
  say("signal without a waiter", dispatch_semaphore_signal(semaphore));
  dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER);
  dispatch_queue_t queue = dispatch_queue_create("semaphores", NULL);
  dispatch_semaphore_t answer = dispatch_semaphore_create(0);
  dispatch_async(queue, ^{
    for (int round = 0; round < 1000; round++) {
      dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER);
      dispatch_semaphore_signal(answer);
    }
  });
  for (int round = 0; round < 1000; round++) {
    dispatch_semaphore_signal(semaphore);
    dispatch_semaphore_wait(answer, DISPATCH_TIME_FOREVER);
  }
  dispatch_sync(queue, ^{});
  say_text("ping-pong", "a thousand rounds");
  dispatch_semaphore_signal(semaphore);  // back to what it was made with
  dispatch_release(answer);
  dispatch_release(semaphore);
  dispatch_release(queue);
}

void onces(void) {
  static dispatch_once_t blocks, functions;
  static atomic_long count;
  dispatch_apply(100, DISPATCH_APPLY_AUTO, ^(size_t index) {
    dispatch_once(&blocks, ^{ atomic_fetch_add(&count, 1); });
    dispatch_once_f(&functions, &count, add_ten);
    (void)index;
  });
  say("once", atomic_load(&count));
}
