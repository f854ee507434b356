// main.c: channels as C programs use them: the chapters, and what they say.
#include "program.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

dispatch_queue_t handlers;
dispatch_semaphore_t ended;

static char path[] = "/tmp/signalbox-channels-XXXXXX";

void wait_for_end(void) {
  if (dispatch_semaphore_wait(ended, dispatch_time(DISPATCH_TIME_NOW, 20 * (int64_t)NSEC_PER_SEC))) {
    printf("nobody came\n");
    exit(1);
  }
}

void tell(const char *name, bool done, dispatch_data_t data, int error) {
  __block unsigned long sum = 0;
  if (data) {
    dispatch_data_apply(data, ^bool(dispatch_data_t region, size_t offset, const void *bytes, size_t size) {
      (void)region;
      for (size_t index = 0; index < size; index++) sum += (offset + index + 1) * ((const uint8_t *)bytes)[index];
      return true;
    });
  }
  printf("%s: %s, %ld bytes, sum %lu, error %d\n", name, done ? "done" : "more", data ? (long)dispatch_data_get_size(data) : -1L,
         sum, error);
  fflush(stdout);
  if (done) dispatch_semaphore_signal(ended);
}

void heard_io(void *name, bool done, dispatch_data_t data, int error) { tell(name, done, data, error); }
void heard_data(void *name, dispatch_data_t data, int error) { tell(name, true, data, error); }
void heard_end(void *name, int error) {
  say(name, error);
  dispatch_semaphore_signal(ended);
}
void heard_barrier(void *name) {
  say(name, 0);
  dispatch_semaphore_signal(ended);
}

static void fill(uint8_t *bytes, size_t size) {
  for (size_t index = 0; index < size; index++) bytes[index] = (uint8_t)(index * 31 + index / 256);
}

int make_file(size_t size) {
  int file = open(path, O_RDWR | O_TRUNC);
  uint8_t *bytes = malloc(size + 1);
  fill(bytes, size);
  if (file < 0 || pwrite(file, bytes, size, 0) != (ssize_t)size) exit(1);
  free(bytes);
  return file;
}

const char *file_path(void) { return path; }

dispatch_data_t make_data(size_t size) {
  uint8_t *bytes = malloc(size + 1);
  fill(bytes, size);
  dispatch_data_t data = dispatch_data_create(bytes, size, NULL, DISPATCH_DATA_DESTRUCTOR_DEFAULT);
  free(bytes);
  return data;
}

int main(void) {
  int file = mkstemp(path);
  if (file < 0) return 1;
  close(file);
  handlers = dispatch_queue_create("handlers", NULL);
  ended = dispatch_semaphore_create(0);
  reads();
  writes();
  pipes();
  functions();
  refusals();
  objects();
  unlink(path);
  return 0;
}
