// once-under-lock.c: one thread calls once while it holds a lock that the initialiser wants, the other calls once without it.
// If the second is in the initialiser when the first has the lock, each waits for the other forever.
// Fix: the first calls once before it takes the lock, so nobody waits for the initialiser while holding what that wants.
#include <threads.h>

static once_flag flag = ONCE_FLAG_INIT;
static mtx_t lock;
static int settings, sum;

static void prepare(void) { for (volatile int step = 0; step < 150000; step++) { } }

static void initialise(void) {
  mtx_lock(&lock);
  settings = 1;
  mtx_unlock(&lock);
}

static int use(void *unused) {
  call_once(&flag, initialise);
  mtx_lock(&lock);
  sum += settings;
  mtx_unlock(&lock);
  return unused != NULL;
}

static int use_locked(void *unused) {
  prepare();
#ifdef MENDED
  call_once(&flag, initialise);
  mtx_lock(&lock);
#else
  mtx_lock(&lock);
  call_once(&flag, initialise);
#endif
  sum += settings;
  mtx_unlock(&lock);
  return unused != NULL;
}

int main(void) {
  thrd_t threads[2];
  mtx_init(&lock, mtx_plain | mtx_recursive);
  thrd_create(&threads[0], use, NULL);
  thrd_create(&threads[1], use_locked, NULL);
  for (int n = 0; n < 2; n++) thrd_join(threads[n], NULL);
  return sum != 2;
}
