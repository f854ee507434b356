// trees.c: joining, cutting and reading data of many regions.
#include "program.h"

static bool stop_at(void *limit, dispatch_data_t region, size_t offset, const void *bytes, size_t size) {
  (void)region, (void)bytes;
  printf("region at %zu of %zu\n", offset, size);
  return offset < (size_t)(uintptr_t)limit;
}

void walks(void) {
  dispatch_data_t data = dispatch_data_empty;
  for (size_t number = 1; number < 6; number++) data = append(data, "abcdefgh", number);
  say("walk to the end", dispatch_data_apply_f(data, (void *)100, stop_at));
  say("walk that ends early", dispatch_data_apply_f(data, (void *)3, stop_at));
  say("walk through nothing", dispatch_data_apply_f(dispatch_data_empty, NULL, stop_at));
  for (size_t location = 0; location < 17; location++) {
    size_t offset;
    dispatch_data_t region = dispatch_data_copy_region(data, location, &offset);
    printf("location %zu: region at %zu of %zu\n", location, offset, dispatch_data_get_size(region));
    dispatch_release(region);
  }
  for (int round = 0; round < 2; round++) {
    const void *bytes;
    size_t size;
    dispatch_data_t row = dispatch_data_create_map(data, &bytes, &size);
    say_digest("in a row", digest_bytes(FIRST_DIGEST, bytes, size));
    dispatch_release(row);
  }
  say_digest("regions afterwards", digest_layout(FIRST_DIGEST, data));
  dispatch_release(data);
}

enum { PIECES = 12, MOST = 5000 };

void trees(void) {
  dispatch_data_t pieces[PIECES];
  for (int i = 0; i < PIECES; i++) pieces[i] = dispatch_data_empty;
  digest_t contents = FIRST_DIGEST, layout = FIRST_DIGEST;
  for (int round = 0; round < 30000; round++) {
    dispatch_data_t *piece = &pieces[random_below(PIECES)], other = pieces[random_below(PIECES)], made;
    size_t size = dispatch_data_get_size(*piece);
    switch (random_below(6)) {
      case 0:
      case 1: {
        uint8_t bytes[32];
        size_t count = random_below(sizeof bytes);
        for (size_t i = 0; i < count; i++) bytes[i] = (uint8_t)random_below(256);
        *piece = append(*piece, bytes, count);
        continue;
      }
      case 2:
      case 3:
        if (size + dispatch_data_get_size(other) > MOST) continue;
        made = dispatch_data_create_concat(*piece, other);
        break;
      default: {
        size_t offset = random_below((uint32_t)size + 2);
        made = dispatch_data_create_subrange(*piece, offset, random_below(2000));
      }
    }
    dispatch_release(*piece);
    *piece = made;
    contents = digest_contents(contents, made);
    layout = digest_layout(layout, made);
  }
  say_digest("random joining and cutting, bytes", contents);
  say_digest("random joining and cutting, regions", layout);
  for (int i = 0; i < PIECES; i++) dispatch_release(pieces[i]);
}

void long_chains(void) {
  dispatch_data_t back = dispatch_data_empty, front = dispatch_data_empty;
  for (uint32_t number = 0; number < 1500; number++) {
    back = append(back, &number, sizeof number);
    dispatch_data_t next = dispatch_data_create(&number, sizeof number, NULL, DISPATCH_DATA_DESTRUCTOR_DEFAULT);
    dispatch_data_t joined = dispatch_data_create_concat(next, front);
    dispatch_release(next);
    dispatch_release(front);
    front = joined;
  }
  say_digest("a chain that grows at its end", digest_contents(FIRST_DIGEST, back));
  say_digest("a chain that grows at its beginning", digest_contents(FIRST_DIGEST, front));
  dispatch_release(back);
  dispatch_release(front);
}
