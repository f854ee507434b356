// main.c: a C program that does one wrong thing, or one that the headers give an answer to: `CMisuseProbe NAME`. What must
// come of each is in SignalboxABITests; what comes out well here ends with the line "done".
#include "probe.h"

static int failures;

void holds_at(bool condition, const char *text, int line) {
  if (condition) return;
  printf("line %d: %s does not hold\n", line, text);
  failures++;
}

void *null(void) {
  static void *volatile nowhere;
  return nowhere;
}

int main(int count, char **arguments) {
  const struct deed *lists[] = {object_deeds,   queue_deeds, argument_deeds, main_deeds,
                                deadlock_deeds, extra_deeds, data_deeds,     channel_deeds};
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (size_t list = 0; list < sizeof lists / sizeof *lists; list++) {
    for (const struct deed *deed = lists[list]; deed->name; deed++) {
      if (count < 2) {
        puts(deed->name);
      } else if (!strcmp(deed->name, arguments[1])) {
        deed->run();
        puts("done");
        return failures != 0;
      }
    }
  }
  return count < 2 ? 0 : 64;
}
