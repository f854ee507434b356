// program.h: what the files of this program share. It knows nothing of Signalbox; what it prints is the same at every run.
#ifndef PROGRAM_H
#define PROGRAM_H

#include <dispatch/dispatch.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Exported, and in no header that comes with the toolchain.
typedef const struct format *format_t;
typedef bool (*applier_t)(void *context, dispatch_data_t region, size_t offset, const void *bytes, size_t size);
extern dispatch_data_t dispatch_data_create_f(
    const void *bytes, size_t size, dispatch_queue_t queue, dispatch_function_t destructor);
extern dispatch_data_t dispatch_data_create_alloc(size_t size, void **bytes);
extern bool dispatch_data_apply_f(dispatch_data_t data, void *context, applier_t applier);
extern dispatch_data_t dispatch_data_create_with_transform(dispatch_data_t data, format_t input, format_t output);
extern const dispatch_block_t _dispatch_data_destructor_none;

// One line of the output.
static inline void say(const char *text, long result) {
  printf("%s: %ld\n", text, result);
  fflush(stdout);
}
static inline void say_text(const char *text, const char *result) {
  printf("%s: %s\n", text, result);
  fflush(stdout);
}

// Numbers that are the same at every run.
uint32_t random_below(uint32_t bound);

// A number that stands for the bytes and for the places of the regions.
typedef uint64_t digest_t;
enum { FIRST_DIGEST = 1469598103 };
digest_t digest_bytes(digest_t digest, const void *bytes, size_t size);
digest_t digest_contents(digest_t digest, dispatch_data_t data);
digest_t digest_layout(digest_t digest, dispatch_data_t data);
static inline void say_digest(const char *text, digest_t digest) {
  printf("%s: %016llx\n", text, (unsigned long long)digest);
  fflush(stdout);
}

// `data` and a copy of those bytes as its next region; takes the reference over.
dispatch_data_t append(dispatch_data_t data, const void *bytes, size_t size);
// The same, at random places, in up to `most` regions; no boundary lies before `head` or in the last `tail` bytes, nor where
// `allows` says so.
dispatch_data_t in_pieces(const uint8_t *bytes, size_t size, size_t head, size_t tail, bool (*allows)(const uint8_t *at));

// The chapters, in their order.
void constants(void);
void destructors(void);
void finalizers(void);
void walks(void);
void trees(void);
void long_chains(void);
void letters(void);
void texts(void);
void ways(void);

#endif
