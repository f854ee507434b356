// data.c: data objects where the toolchain's library does otherwise: it stops, reads what is not the data's, or gives a region's
// object another size (Differences/c-face.json).
#include "probe.h"

#include <sys/mman.h>

typedef const struct format {
  int unknown;
} *format_t;
extern const struct format _dispatch_data_format_type_none, _dispatch_data_format_type_base32hex,
    _dispatch_data_format_type_base64, _dispatch_data_format_type_utf8, _dispatch_data_format_type_utf16le;
extern dispatch_data_t dispatch_data_create_with_transform(dispatch_data_t data, format_t input, format_t output);

static dispatch_data_t data_of(const char *text) { return dispatch_data_create(text, strlen(text), NULL, NULL); }

static void unmapped(void) {
  size_t size = 8192;
  void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  dispatch_data_t data = dispatch_data_create(pages, size, NULL, DISPATCH_DATA_DESTRUCTOR_MUNMAP);
  dispatch_data_t part = dispatch_data_create_subrange(data, 10, 20);
  dispatch_release(data);
  HOLDS(msync(pages, size, MS_ASYNC) == 0);
  dispatch_release(part);
  HOLDS(msync(pages, size, MS_ASYNC) != 0);
}

static void regions(void) {
  dispatch_data_t whole = dispatch_data_create_concat(data_of("hello"), data_of("world!"));
  dispatch_data_t part = dispatch_data_create_subrange(whole, 2, 7);
  __block size_t visited = 0;
  dispatch_data_apply(part, ^bool(dispatch_data_t region, size_t offset, const void *bytes, size_t size) {
    const void *place;
    HOLDS(offset == visited && dispatch_data_get_size(region) == size);
    dispatch_release(dispatch_data_create_map(region, &place, NULL));
    HOLDS(place == bytes);
    visited += size;
    return true;
  });
  HOLDS(visited == 7);
  const void *first, *second;
  dispatch_data_t row = dispatch_data_create_map(whole, &first, NULL), again = dispatch_data_create_map(whole, &second, NULL);
  HOLDS(row == again && first == second && !memcmp(first, "helloworld!", 11));
}

static bool refuses(const char *text, format_t from) {
  dispatch_data_t result = dispatch_data_create_with_transform(data_of(text), from, &_dispatch_data_format_type_none);
  return result == NULL;
}

static void corrupt(void) {
  const char *const wrong[] = {"=", "==", "====", "QU=", "QU=I", "QU==QUJD", "QUJD====", "QUJDRA="};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) HOLDS(refuses(wrong[i], &_dispatch_data_format_type_base64));
  dispatch_data_t pieces = dispatch_data_create_concat(data_of("QUJDRA="), data_of("="));
  dispatch_data_t plain = dispatch_data_create_with_transform(
      pieces, &_dispatch_data_format_type_base64, &_dispatch_data_format_type_none);
  HOLDS(plain && dispatch_data_get_size(plain) == 4);
  plain = dispatch_data_create_with_transform(
      data_of("CPNMUOJ1"), &_dispatch_data_format_type_base32hex, &_dispatch_data_format_type_none);
  HOLDS(plain && dispatch_data_get_size(plain) == 5);
  dispatch_data_t text = dispatch_data_create_concat(data_of("\xE2\x82"), data_of("\xAC"));
  text = dispatch_data_create_with_transform(text, &_dispatch_data_format_type_utf8, &_dispatch_data_format_type_utf16le);
  const void *units = NULL;
  HOLDS(text && dispatch_data_get_size(dispatch_data_create_map(text, &units, NULL)) == 4);
  HOLDS(text && !memcmp(units, "\xFF\xFE\xAC\x20", 4));
  HOLDS(!dispatch_data_create_with_transform(
      data_of("\xC3\x28"), &_dispatch_data_format_type_utf8, &_dispatch_data_format_type_utf16le));
}

static void no_format(void) {
  (void)dispatch_data_create_with_transform(dispatch_data_empty, (format_t) "none", &_dispatch_data_format_type_none);
}
static void null_data(void) { (void)dispatch_data_create_subrange((dispatch_data_t)null(), 0, 1); }

const struct deed data_deeds[] = {
    {"data-unmapped", unmapped},       {"data-regions", regions}, {"data-corrupt", corrupt},
    {"data-in-no-format", no_format}, {"null-data", null_data},  {NULL, NULL},
};
