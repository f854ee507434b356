// main.c: a C program about data objects: how they are made, joined, cut, read, freed, and brought into other formats. The
// chapters are in the other files; what they share is here.
#include "program.h"

static uint64_t state = 2026;

uint32_t random_below(uint32_t bound) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 33) % bound;
}

digest_t digest_bytes(digest_t digest, const void *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) digest = (digest ^ ((const uint8_t *)bytes)[i]) * 1099511628211u;
  return digest;
}

static bool add_contents(void *digest, dispatch_data_t region, size_t offset, const void *bytes, size_t size) {
  (void)region, (void)offset;
  *(digest_t *)digest = digest_bytes(*(digest_t *)digest, bytes, size);
  return true;
}

digest_t digest_contents(digest_t digest, dispatch_data_t data) {
  dispatch_data_apply_f(data, &digest, add_contents);
  size_t size = dispatch_data_get_size(data);
  return digest_bytes(digest, &size, sizeof size);
}

digest_t digest_layout(digest_t digest, dispatch_data_t data) {
  __block digest_t result = digest;
  dispatch_data_apply(data, ^bool(dispatch_data_t region, size_t offset, const void *bytes, size_t size) {
    (void)region, (void)bytes;
    size_t place[2] = {offset, size};
    result = digest_bytes(result, place, sizeof place);
    return true;
  });
  return result;
}

dispatch_data_t append(dispatch_data_t data, const void *bytes, size_t size) {
  dispatch_data_t next = dispatch_data_create(bytes, size, NULL, DISPATCH_DATA_DESTRUCTOR_DEFAULT);
  dispatch_data_t joined = dispatch_data_create_concat(data, next);
  dispatch_release(data);
  dispatch_release(next);
  return joined;
}

dispatch_data_t in_pieces(const uint8_t *bytes, size_t size, size_t head, size_t tail, bool (*allows)(const uint8_t *at)) {
  dispatch_data_t data = dispatch_data_empty;
  size_t begin = 0;
  for (size_t at = head > 0 ? head : 1; at + tail < size; at++) {
    if (random_below(8) > 0 || (allows && !allows(bytes + at))) continue;
    data = append(data, bytes + begin, at - begin);
    begin = at;
  }
  return append(data, bytes + begin, size - begin);
}

int main(void) {
  constants();
  destructors();
  finalizers();
  walks();
  trees();
  long_chains();
  letters();
  texts();
  ways();
  return 4;
}
