// chances.c: programs for what a run may draw besides the order: waits that end for no reason, time that goes on, timers, starts of
// threads that fail.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_there, is_checked_again, count;

static void *wait_once(void *result) {
  pthread_mutex_lock(&lock);
  if (is_checked_again) while (!is_there) pthread_cond_wait(&changed, &lock);
  else if (!is_there) pthread_cond_wait(&changed, &lock);
  *(int *)result = is_there ? 0 : 3;
  pthread_mutex_unlock(&lock);
  return 0;
}
// One waits, one signals, and nobody takes anything away: only a wait that ends for no reason shows that it is not checked again.
static int waits(int checks) {
  pthread_t thread;
  int result = 0;
  is_checked_again = checks;
  pthread_create(&thread, 0, wait_once, &result);
  pthread_mutex_lock(&lock);
  is_there = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  pthread_join(thread, 0);
  return result;
}

static void after(struct timespec *time, long milliseconds) {
  clock_gettime(CLOCK_REALTIME, time);
  time->tv_nsec += milliseconds * 1000000;
  time->tv_sec += time->tv_nsec / 1000000000;
  time->tv_nsec %= 1000000000;
}
// Looks up every 10 ms for this many seconds.
static int look_up(long seconds) {
  struct timespec begin, now, limit;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  pthread_mutex_lock(&lock);
  do {
    after(&limit, 10);
    pthread_cond_timedwait(&changed, &lock, &limit);
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (!is_there && (seconds == 0 || now.tv_sec - begin.tv_sec < seconds));
  pthread_mutex_unlock(&lock);
  return seconds && now.tv_sec - begin.tv_sec < seconds ? 4 : 0;
}
static void *take_both(void *unused) {
  pthread_mutex_lock(&other);
  pthread_mutex_lock(&lock);
  is_there = 1;
  pthread_mutex_unlock(&lock);
  pthread_mutex_unlock(&other);
  return unused;
}
// Whoever is to set what is waited for waits itself, for a lock that is never given back; the one who looks up has a time limit each
// time, and none in all.
static int waits_in_vain(void) {
  pthread_t thread;
  pthread_mutex_lock(&other);
  pthread_create(&thread, 0, take_both, 0);
  return look_up(0);
}

static sem_t told;
static void tell(union sigval value) {
  pthread_mutex_lock(&lock);
  count += value.sival_int;
  pthread_mutex_unlock(&lock);
  sem_post(&told);
}
static volatile sig_atomic_t signals;
static void take_signal(int number, siginfo_t *info, void *context) {
  (void)number, (void)context;
  if (info->si_value.sival_int == 7) signals++;
}
// A timer that starts threads, every second from the fifth on, and one that sends a signal after two seconds.
static int posix_timers(void) {
  sem_init(&told, 0, 0);
  struct sigevent thread = {.sigev_notify = SIGEV_THREAD, .sigev_value.sival_int = 2, .sigev_notify_function = tell};
  struct sigevent sign = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value.sival_int = 7};
  struct itimerspec often = {{1, 0}, {5, 0}}, once = {{0, 0}, {2, 0}}, left;
  struct timespec begin, end;
  timer_t timer;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  if (timer_create(CLOCK_MONOTONIC, &thread, &timer) || timer_settime(timer, 0, &often, 0)) return 5;
  for (int i = 0; i < 3; i++) sem_wait(&told);
  clock_gettime(CLOCK_MONOTONIC, &end);
  if (timer_delete(timer) || count < 6 || end.tv_sec - begin.tv_sec < 7) return 6;
  struct sigaction action = {.sa_sigaction = take_signal, .sa_flags = SA_SIGINFO};
  sigaction(SIGUSR1, &action, 0);
  if (timer_create(CLOCK_REALTIME, &sign, &timer) || timer_settime(timer, 0, &once, 0)) return 7;
  if (timer_gettime(timer, &left) || left.it_value.tv_sec > 2 || left.it_value.tv_nsec + left.it_value.tv_sec == 0) return 8;
  sleep(10);
  return signals == 1 && timer_delete(timer) == 0 ? 0 : 9;
}

static void post(int number) { (void)number; sem_post(&told); }
// The handler of a signal posts what the main thread waits for.
static int alarm_posts(void) {
  sem_init(&told, 0, 0);
  struct itimerval often = {{1, 0}, {1, 0}}, never = {{0, 0}, {0, 0}};
  signal(SIGALRM, post);
  setitimer(ITIMER_REAL, &often, 0);
  for (int i = 0; i < 3; i++) while (sem_wait(&told)) {}
  setitimer(ITIMER_REAL, &never, 0);
  return 0;
}

static void *add_one(void *unused) {
  pthread_mutex_lock(&lock);
  count++;
  pthread_mutex_unlock(&lock);
  return unused;
}
// Two threads add one each. Where a thread does not start, its part is done here, or forgotten.
static int starts(int has_answer) {
  pthread_t threads[2];
  int started[2];
  for (int i = 0; i < 2; i++) {
    started[i] = pthread_create(&threads[i], 0, add_one, 0) == 0;
    if (!started[i] && has_answer) add_one(0);
  }
  for (int i = 0; i < 2; i++) if (started[i]) pthread_join(threads[i], 0);
  return count == 2 ? 0 : 10;
}

static int crowd(int size) {
  static pthread_t threads[2000];
  for (int i = 0; i < size; i++) if (pthread_create(&threads[i], 0, add_one, 0)) return 11;
  for (int i = 0; i < size; i++) pthread_join(threads[i], 0);
  return count == size ? 0 : 12;
}

// Characters that XML has no place for, each, and some that mean something there.
static int print_oddly(void) {
  pthread_t thread;
  pthread_create(&thread, 0, add_one, 0);
  pthread_join(thread, 0);
  printf("odd:\x01\x1b<&>\xef\xbf\xbe\xef\xbf\xbf!\xff\n");
  return 13;
}

// Each waits for the other, and goes on asking.
static void *ask_on(void *own) {
  for (int is_set = 0; !is_set;) {
    pthread_mutex_lock(&lock);
    is_set = is_there;
    pthread_mutex_unlock(&lock);
    if (!is_set) usleep(1);
  }
  return own;
}
static int endless(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, ask_on, 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  return 14;
}

int chances(const char *word) {
  if (!strcmp(word, "unchecked-wait")) return waits(0);
  if (!strcmp(word, "checked-wait")) return waits(1);
  if (!strcmp(word, "patient")) return look_up(100);
  if (!strcmp(word, "in-vain")) return waits_in_vain();
  if (!strcmp(word, "posix-timers")) return posix_timers();
  if (!strncmp(word, "crowd-", 6)) return crowd(atoi(word + 6));
  if (!strcmp(word, "odd-output")) return print_oddly();
  if (!strcmp(word, "one-thread")) return add_one(0) != 0;
  if (!strcmp(word, "starts-unchecked")) return starts(0);
  if (!strcmp(word, "starts-checked")) return starts(1);
  if (!strcmp(word, "endless")) return endless();
  if (!strcmp(word, "alarm-posts")) return alarm_posts();
  return 64;
}
