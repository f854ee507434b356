// crash.c: a body crashes: its schedule is reported and saved before the process ends as it would have. Only what a signal handler may call.
#include "core.h"
#include "csignalbox_explore_inside.h"
#include "face.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

enum { MOST = 4096 };
static const int caught[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};
enum { CAUGHT = sizeof caught / sizeof caught[0] };
static struct sigaction before[CAUGHT];
static char place_text[512], folder_text[1024], file_text[1024];

static void say(int descriptor, const char *text) { CALL(SYS_write, descriptor, text, strlen(text), 0, 0, 0); }

static char *put(char *to, uint64_t number) {
  char digits[20];
  int count = 0;
  do digits[count++] = (char)('0' + number % 10); while (number /= 10);
  while (count) *to++ = digits[--count];
  *to = 0;
  return to;
}

// As Token.swift spells it, without checks.
static int spell(char *text, int capacity) {
  static uint64_t numbers[6 + 4 * MOST];
  static uint8_t bytes[40 * MOST];
  static struct sbx_decision made[MOST];
  struct sbx_shared *s = sbx_state;
  uint32_t count = s->outcome.decisions;
  if (count > MOST) return 0;
  for (uint32_t i = 0; i < count; i++) {
    struct sbx_decision next = s->decisions[i];
    uint32_t place = i;
    for (; place > 0 && (made[place - 1].thread > next.thread ||
                         (made[place - 1].thread == next.thread && made[place - 1].point > next.point)); place--)
      made[place] = made[place - 1];
    made[place] = next;
  }
  int used = 0;
  numbers[used++] = s->run.strategy;
  numbers[used++] = s->run.flags & SBX_API_POINTS;
  numbers[used++] = (uint64_t)s->run.wall;
  numbers[used++] = s->outcome.steps;
  numbers[used++] = s->hash;
  numbers[used++] = count;
  uint64_t thread = 0, point = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (made[i].thread != thread) point = 0;
    numbers[used++] = made[i].thread - thread;
    numbers[used++] = made[i].point - point;
    numbers[used++] = made[i].next;
    numbers[used++] = made[i].hash & 0x7f;
    thread = made[i].thread;
    point = made[i].point;
  }
  int size = sbx_pack(numbers, used, bytes, (int)sizeof bytes - 2);
  if (size < 0) return 0;
  uint32_t sum = 0x811c9dc5;
  for (int i = 0; i < size; i++) sum = (sum ^ bytes[i]) * 0x01000193;
  bytes[size] = (uint8_t)sum;
  bytes[size + 1] = (uint8_t)(sum >> 8);
  strcpy(text, "xp1:");
  int length = sbx_spell(bytes, size + 2, text + 4, capacity - 5);
  if (length < 0) return 0;
  text[4 + length] = 0;
  return 1;
}

void sbx_inside_tell(const char *what, int number) {
  static char token[8 * MOST], line[64];
  say(2, what);
  if (number) {
    say(2, " ");
    put(line, (uint64_t)number);
    say(2, line);
  }
  say(2, " under a schedule of ");
  say(2, place_text);
  if (!spell(token, sizeof token)) {
    say(2, "\nexplore: it has too many switches for a token\n");
    return;
  }
  say(2, "\n  replay: SIGNALBOX_EXPLORE_REPLAY=");
  say(2, token);
  say(2, " in the environment of the test, in a debugger if you like\n");
  if (!file_text[0]) return;
  // Both folders, the last of which is in the first.
  char *slash = strrchr(folder_text, '/');
  if (slash) {
    *slash = 0;
    CALL(SYS_mkdirat, AT_FDCWD, folder_text, 0777, 0, 0, 0);
    *slash = '/';
  }
  CALL(SYS_mkdirat, AT_FDCWD, folder_text, 0777, 0, 0, 0);
  int file = (int)CALL(SYS_openat, AT_FDCWD, file_text, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666, 0, 0);
  if (file < 0) return;
  say(file, token);
  say(file, number ? " crash\n" : " race\n");
  CALL(SYS_close, file, 0, 0, 0, 0, 0);
}

static void crashed(int number, siginfo_t *info, void *context) {
  (void)info, (void)context;
  if (sbx_self && sbx_state->is_active && !(sbx_state->run.flags & SBX_DETAIL)) {
    sbx_self->is_inside = 1;
    sbx_inside_tell("explore: the body crashed by signal", number);
  }
  // The same again, to whoever was there before.
  for (int i = 0; i < CAUGHT; i++) if (caught[i] == number) sigaction(number, &before[i], 0);
}

void sbx_inside_catch(const char *place, const char *folder, const char *file) {
  strncpy(place_text, place, sizeof place_text - 1);
  strncpy(folder_text, folder, sizeof folder_text - 1);
  strncpy(file_text, file, sizeof file_text - 1);
  struct sigaction action = {.sa_sigaction = crashed, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
  for (int i = 0; i < CAUGHT; i++) sigaction(caught[i], &action, &before[i]);
}
void sbx_inside_catch_no_more(void) {
  for (int i = 0; i < CAUGHT; i++) sigaction(caught[i], &before[i], 0);
}

SANITIZED_AGAIN
