// main.c: small programs for the tests of `signalbox explore`, one for each word on the command line. None knows of it.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int value, is_full;

static void both(pthread_mutex_t *a, pthread_mutex_t *b) {
  pthread_mutex_lock(a);
  pthread_mutex_lock(b);
  value++;
  pthread_mutex_unlock(b);
  pthread_mutex_unlock(a);
}
static void *forward(void *unused) { both(&first, &second); return unused; }
static void *backward(void *unused) { both(&second, &first); return unused; }

static void pair(void *(*one)(void *), void *(*other)(void *)) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, one, 0);
  pthread_create(&threads[1], 0, other, 0);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
}

static int read_value(void) {
  pthread_mutex_lock(&first);
  int now = value;
  pthread_mutex_unlock(&first);
  return now;
}
static void write_value(int now) {
  pthread_mutex_lock(&first);
  value = now;
  pthread_mutex_unlock(&first);
}
static void *add_unsafely(void *unused) { write_value(read_value() + 1); return unused; }
static void *add_safely(void *unused) {
  pthread_mutex_lock(&first);
  value++;
  pthread_mutex_unlock(&first);
  return unused;
}

static void *produce(void *unused) {
  for (int i = 1; i <= 5; i++) {
    pthread_mutex_lock(&first);
    while (is_full) pthread_cond_wait(&changed, &first);
    is_full = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&first);
    sleep(2);
  }
  return unused;
}
static void *consume(void *unused) {
  for (int i = 1; i <= 5; i++) {
    pthread_mutex_lock(&first);
    while (!is_full) pthread_cond_wait(&changed, &first);
    is_full = 0;
    value++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&first);
  }
  return unused;
}

static void *answer_late(void *unused) {
  usleep(5000);
  pthread_mutex_lock(&first);
  is_full = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&first);
  return unused;
}
// The answer comes after 5 ms, the limit is 20: only where the clock may be chosen is it too late.
static int wait_in_time(void) {
  pthread_t thread;
  pthread_create(&thread, 0, answer_late, 0);
  struct timespec limit;
  clock_gettime(CLOCK_REALTIME, &limit);
  limit.tv_nsec += 20000000;
  if (limit.tv_nsec >= 1000000000) { limit.tv_nsec -= 1000000000; limit.tv_sec++; }
  int error = 0;
  pthread_mutex_lock(&first);
  while (!is_full && error != ETIMEDOUT) error = pthread_cond_timedwait(&changed, &first, &limit);
  pthread_mutex_unlock(&first);
  pthread_join(thread, 0);
  return error == ETIMEDOUT ? 3 : 0;
}

// Ten seconds of every kind of sleep, measured by the program's own clock.
static int sleeps(void) {
  struct timespec begin, end, span = {2, 0};
  clock_gettime(CLOCK_MONOTONIC, &begin);
  sleep(2);
  nanosleep(&span, 0);
  usleep(2000000);
  thrd_sleep(&span, 0);
  int timer = timerfd_create(CLOCK_MONOTONIC, 0), set = epoll_create1(0);
  struct itimerspec when = {{0, 0}, {2, 0}};
  struct epoll_event event = {.events = EPOLLIN};
  timerfd_settime(timer, 0, &when, 0);
  epoll_ctl(set, EPOLL_CTL_ADD, timer, &event);
  if (epoll_wait(set, &event, 1, 1000) != 0) return 4;
  if (epoll_wait(set, &event, 1, -1) != 1) return 5;
  uint64_t count;
  if (read(timer, &count, sizeof count) != sizeof count || count != 1) return 6;
  clock_gettime(CLOCK_MONOTONIC, &end);
  double seconds = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
  return seconds >= 10 && seconds < 10.1 ? 0 : 7;
}

// Another process that works for longer than one that waits is let be.
static int busy(void) {
  while (clock() < 3 * CLOCKS_PER_SEC / 2) {}
  return 3;
}
static int waits_for_busy(const char *program) {
  char line[4200];
  snprintf(line, sizeof line, "'%s' busy", program);
  return system(line) == 3 << 8 ? 0 : 6;
}

// What fails once because of something that lies outside: a file that was not there yet, and another process.
static int fails_once(void) {
  if (system("exit 3") != 3 << 8) return 6;
  pair(add_safely, add_safely);
  const char *file = getenv("PROBE_FILE");
  int made = file ? open(file, O_CREAT | O_EXCL | O_WRONLY, 0600) : -1;
  if (made < 0) return 0;
  close(made);
  return 5;
}

// Every way of waiting that the core models, in a program that is right.
static sem_t items;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t line;
static pthread_spinlock_t spin;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static mtx_t plain;
static cnd_t news;
static int made, pipes[2];
static void make(void) { made++; usleep(10); }
static void *all_kinds(void *context) {
  intptr_t number = (intptr_t)context;
  pthread_once(&once, make);
  pthread_barrier_wait(&line);
  pthread_rwlock_rdlock(&table);
  int seen = value;
  pthread_rwlock_unlock(&table);
  pthread_rwlock_wrlock(&table);
  value = value + (seen >= 0);
  pthread_rwlock_unlock(&table);
  pthread_spin_lock(&spin);
  value++;
  pthread_spin_unlock(&spin);
  if (number == 0) {
    sem_post(&items);
    char byte = 1;
    if (write(pipes[1], &byte, 1) != 1) abort();
  } else {
    sem_wait(&items);
    char byte;
    if (read(pipes[0], &byte, 1) != 1) abort();
  }
  mtx_lock(&plain);
  is_full++;
  cnd_broadcast(&news);
  while (is_full < 2) cnd_wait(&news, &plain);
  mtx_unlock(&plain);
  return 0;
}
static int kinds(void) {
  sem_init(&items, 0, 0);
  pthread_barrier_init(&line, 0, 2);
  pthread_spin_init(&spin, 0);
  mtx_init(&plain, mtx_plain);
  cnd_init(&news);
  if (pipe(pipes)) return 8;
  pthread_t threads[2];
  for (intptr_t i = 0; i < 2; i++) pthread_create(&threads[i], 0, all_kinds, (void *)i);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  return made == 1 && value == 4 ? 0 : 9;
}

// A set of descriptors that ends where the program's memory ends: `select` may touch no more of it than its first argument says.
static void *write_late(void *unused) {
  usleep(1000);
  if (write(pipes[1], "x", 1) != 1) abort();
  return unused;
}
static int short_set(void) {
  char *pages = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || mprotect(pages + 4096, 4096, PROT_NONE) || pipe(pipes) || pipes[0] >= 64) return 8;
  unsigned long *set = (unsigned long *)(pages + 4096) - 1;
  *set = 1ul << pipes[0];
  pthread_t thread;
  pthread_create(&thread, 0, write_late, 0);
  int ready = select(pipes[0] + 1, (fd_set *)set, 0, 0, 0);
  pthread_join(thread, 0);
  return ready == 1 && *set == 1ul << pipes[0] ? 0 : 9;
}

// Ten seconds of sleep while another thread waits for a byte that only this process can send: through a pipe that a process which has
// ended had, too, and through sockets both ends of which are here.
static int ends[2];
static void *take_byte(void *unused) {
  struct pollfd one = {ends[0], POLLIN, 0};
  char byte;
  if (poll(&one, 1, -1) != 1 || read(ends[0], &byte, 1) != 1) abort();
  return unused;
}
static void *send_late(void *unused) {
  sleep(10);
  if (write(ends[1], "x", 1) != 1) abort();
  return unused;
}
static int sends_through_pipe(void) {
  if (pipe(ends) || system("exit 3") != 3 << 8) return 6;
  pair(take_byte, send_late);
  return 0;
}
// A number that was a pipe's goes, by a way that is not seen, to what any process may make ready.
static void *wait_for_signal(void *unused) {
  struct pollfd one = {ends[0], POLLIN, 0};
  poll(&one, 1, -1);
  return unused;
}
static int waits_for_signal(void) {
  if (pipe(ends)) return 6;
  fclose(fdopen(ends[0], "r"));
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, 0);
  if (signalfd(-1, &set, 0) != ends[0]) return 7;
  pair(wait_for_signal, add_safely);
  return 0;
}
static int sends_through_sockets(int type) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  int bound = socket(AF_INET, type, 0);
  ends[1] = socket(AF_INET, type, 0);
  if (bind(bound, (struct sockaddr *)&address, size) || getsockname(bound, (struct sockaddr *)&address, &size)) return 6;
  if (type == SOCK_STREAM && listen(bound, 1)) return 7;
  if (connect(ends[1], (struct sockaddr *)&address, size)) return 8;
  ends[0] = type == SOCK_STREAM ? accept(bound, 0, 0) : bound;
  if (ends[0] < 0) return 9;
  pair(take_byte, send_late);
  return 0;
}

static void *wait_for_ever(void *unused) {
  pthread_mutex_lock(&first);
  pthread_mutex_lock(&second);
  return unused;
}
static atomic_int flag;
static void *spin_on_memory(void *unused) {
  while (!flag) sched_yield();
  return unused;
}
static void *set_flag(void *unused) { flag = 1; return unused; }

// A wait that no library sees.
static void wait_unseen(void) {
#if defined(__x86_64__)
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(SYS_pause) : "rcx", "r11", "memory");
#else
  register long x8 __asm__("x8") = SYS_ppoll;
  register long x0 __asm__("x0") = 0;
  register long x1 __asm__("x1") = 0;
  register long x2 __asm__("x2") = 0;
  register long x3 __asm__("x3") = 0;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
#endif
}
static void *always_unseen(void *unused) { wait_unseen(); return unused; }
static void *unseen_if_first(void *unused) {
  if (read_value() == 0) wait_unseen();
  return unused;
}

// Locks in an order that follows from their addresses, against the order in which they were made.
enum { NODES = 24 };
struct node { pthread_mutex_t lock; struct node *next; };
static struct node *nodes[NODES], *buckets[61];
static void *in_order_of_addresses(void *unused) {
  for (int i = 0; i < 61; i++) {
    for (struct node *node = buckets[i]; node; node = node->next) {
      pthread_mutex_lock(&node->lock);
      if (node->next) pthread_mutex_lock(&node->next->lock);
      if (node->next) pthread_mutex_unlock(&node->next->lock);
      pthread_mutex_unlock(&node->lock);
    }
  }
  return unused;
}
static void *in_order_of_making(void *unused) {
  for (int i = 0; i + 1 < NODES; i++) {
    pthread_mutex_lock(&nodes[i]->lock);
    pthread_mutex_lock(&nodes[i + 1]->lock);
    pthread_mutex_unlock(&nodes[i + 1]->lock);
    pthread_mutex_unlock(&nodes[i]->lock);
  }
  write_value(1);
  return unused;
}
static void *look_early(void *unused) {
  in_order_of_addresses(unused);
  if (read_value() == 0) abort();
  return unused;
}
static void *make_nodes(void *unused) {
  for (int i = 0; i < NODES; i++) {
    struct node *node = malloc(sizeof *node + (size_t)(i % 5) * 40);
    pthread_mutex_init(&node->lock, 0);
    struct node **bucket = &buckets[(((uintptr_t)node >> 4) * 0x9e3779b97f4a7c15ull >> 32) % 61];
    node->next = *bucket;
    *bucket = nodes[i] = node;
  }
  return unused;
}

// What the loader calls at the end belongs to the program.
static int says_farewell;
__attribute__((destructor)) static void farewell(void) { if (says_farewell) _exit(9); }

// As in a container: nobody may ask for fixed addresses.
static int refuse_personality(char **words) {
  struct sock_filter list[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_personality, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = {sizeof list / sizeof *list, list};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)) return 65;
  execv(words[0], words);
  return 66;
}
int calls(const char *word);  // calls.c

int main(int count, char **words) {
  if (count > 2 && !strcmp(words[1], "refuse-personality")) return refuse_personality(words + 2);
  const char *word = count > 1 ? words[1] : "";
  printf("begun: %s\n", word);
  if (!strcmp(word, "abba")) pair(forward, backward);
  else if (!strcmp(word, "ordered")) pair(forward, forward);
  else if (!strcmp(word, "lost-update")) {
    void *(*add)(void *) = getenv("PROBE_IS_MENDED") ? add_safely : add_unsafely;
    pair(add, add);
    return value == 2 ? 0 : 2;
  } else if (!strcmp(word, "unseen")) pair(always_unseen, add_safely);
  else if (!strcmp(word, "unseen-late")) pair(add_safely, unseen_if_first);
  else if (!strcmp(word, "addresses")) {
    make_nodes(0);
    pair(in_order_of_making, look_early);
  } else if (!strcmp(word, "farewell")) {
    says_farewell = 1;
    pair(add_safely, add_safely);
  } else if (!strcmp(word, "marks")) {
    const char *file = getenv("PROBE_FILE");
    close(open(file ? file : "/dev/null", O_CREAT | O_WRONLY, 0600));
    pair(add_safely, add_safely);
  }
  else if (!strcmp(word, "sum")) { pair(add_safely, add_safely); assert(value == 2); }
  else if (!strcmp(word, "condition")) { pair(produce, consume); assert(value == 5); }
  else if (!strcmp(word, "limit")) return wait_in_time();
  else if (!strcmp(word, "sleeps")) return sleeps();
  else if (!strcmp(word, "kinds")) return kinds();
  else if (!strcmp(word, "short-set")) return short_set();
  else if (!strcmp(word, "old-pipe")) return sends_through_pipe();
  else if (!strcmp(word, "old-number")) return waits_for_signal();
  else if (!strcmp(word, "stream")) return sends_through_sockets(SOCK_STREAM);
  else if (!strcmp(word, "datagram")) return sends_through_sockets(SOCK_DGRAM);
  else if (!strcmp(word, "yields")) pair(spin_on_memory, set_flag);
  else if (!strcmp(word, "stuck")) { pthread_mutex_lock(&second); pair(wait_for_ever, wait_for_ever); }
  else if (!strcmp(word, "status")) return 5;
  else if (!strcmp(word, "spawns")) { if (system("exit 3") != 3 << 8) return 6; pair(add_safely, add_safely); }
  else if (!strcmp(word, "busy")) return busy();
  else if (!strcmp(word, "spawns-busy")) { int status = waits_for_busy(words[0]); pair(add_safely, add_safely); return status; }
  else if (!strcmp(word, "chance-outside")) return fails_once();
  else return calls(word);
  return 0;
}
