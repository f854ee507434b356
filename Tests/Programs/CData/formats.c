// formats.c: data brought into other formats and back, in pieces, and data that is not in the format it is said to be in.
//
// Padding that does not fill its group, padding in regions of its own, characters that a boundary of regions divides, and UTF-8
// whose later bytes are wrong do not occur: the toolchain's library does not treat them as one text (Differences/c-face.json).
#include "program.h"

extern const struct format {
  int unknown;
} _dispatch_data_format_type_none, _dispatch_data_format_type_utf8, _dispatch_data_format_type_utf16le,
    _dispatch_data_format_type_utf16be, _dispatch_data_format_type_utf_any, _dispatch_data_format_type_base32,
    _dispatch_data_format_type_base32hex, _dispatch_data_format_type_base64;

static const struct {
  const char *name;
  format_t format;
} formats[] = {
  {"none", &_dispatch_data_format_type_none},           {"base32", &_dispatch_data_format_type_base32},
  {"base32hex", &_dispatch_data_format_type_base32hex}, {"base64", &_dispatch_data_format_type_base64},
  {"utf8", &_dispatch_data_format_type_utf8},           {"utf16le", &_dispatch_data_format_type_utf16le},
  {"utf16be", &_dispatch_data_format_type_utf16be},     {"utf_any", &_dispatch_data_format_type_utf_any},
};
enum { NONE, BASE32, BASE32HEX, BASE64, UTF8, UTF16LE, UTF16BE, UTF_ANY, FORMATS };

static digest_t digest;
static long refused;

// The data in another format; NULL if refused. Takes the reference over.
static dispatch_data_t bring(dispatch_data_t data, int from, int to) {
  dispatch_data_t result = dispatch_data_create_with_transform(data, formats[from].format, formats[to].format);
  dispatch_release(data);
  if (result) {
    digest = digest_contents(digest, result);
  } else {
    refused++;
    digest = digest_bytes(digest, "refused", 7);
  }
  return result;
}

static void begin(void) { digest = FIRST_DIGEST, refused = 0; }

static void end(const char *text, int from, int to) {
  printf("%s, %s to %s: %016llx, refused %ld\n", text, formats[from].name, formats[to].name, (unsigned long long)digest, refused);
  fflush(stdout);
}

static size_t contents(dispatch_data_t data, uint8_t *bytes) {
  const void *place;
  size_t size;
  dispatch_data_t row = dispatch_data_create_map(data, &place, &size);
  memcpy(bytes, place, size);
  dispatch_release(row);
  return size;
}

static size_t random_bytes(uint8_t *bytes, uint32_t most) {
  size_t size = random_below(most + 1);
  for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)random_below(256);
  return size;
}

static void insert(uint8_t *bytes, size_t *size, size_t at, uint8_t byte) {
  memmove(bytes + at + 1, bytes + at, *size - at);
  bytes[at] = byte;
  ++*size;
}

// Random bytes as letters, with blanks among them, cut off or with a byte that is none of the alphabet.
static void decode_letters(int format, int to) {
  uint8_t bytes[400];
  size_t size = random_bytes(bytes, 60);
  dispatch_data_t plain = in_pieces(bytes, size, 0, 0, NULL);
  dispatch_data_t written = dispatch_data_create_with_transform(plain, formats[NONE].format, formats[format].format);
  dispatch_release(plain);
  size = written == dispatch_data_empty ? 0 : contents(written, bytes);
  dispatch_release(written);
  size_t letters = size;
  while (letters > 0 && bytes[letters - 1] == '=') letters--;
  switch (random_below(6)) {
    case 0: size = letters = random_below((uint32_t)letters + 1); break;
    case 1: insert(bytes, &size, random_below((uint32_t)letters + 1), (uint8_t)"!-_\r.~%\x80"[random_below(8)]); letters++; break;
  }
  for (uint32_t blanks = random_below(4); blanks > 0; blanks--, letters++) {
    insert(bytes, &size, random_below((uint32_t)letters + 1), (uint8_t)" \t\n"[random_below(3)]);
  }
  dispatch_data_t result = bring(in_pieces(bytes, size, 0, size - letters, NULL), format, to);
  if (result) dispatch_release(result);
}

void letters(void) {
  uint8_t bytes[200];
  for (int to = BASE32; to <= BASE64; to++) {
    begin();
    for (int round = 0; round < 2000; round++) {
      dispatch_release(bring(in_pieces(bytes, random_bytes(bytes, 90), 0, 0, NULL), NONE, to));
    }
    end("encoded", NONE, to);
  }
  for (int from = BASE32; from <= BASE64; from += BASE64 - BASE32) {
    for (int to = NONE; to <= BASE64; to++) {
      begin();
      for (int round = 0; round < 2000; round++) decode_letters(from, to);
      end("decoded", from, to);
    }
  }
}

// MARK: text

static bool begins_character(const uint8_t *at) { return (*at & 0xC0) != 0x80; }

static size_t put(uint8_t *bytes, uint32_t character) {
  if (character < 0x80) return bytes[0] = (uint8_t)character, 1;
  if (character < 0x800) return bytes[0] = 0xC0 | character >> 6, bytes[1] = 0x80 | (character & 63), 2;
  if (character < 0x10000) {
    return bytes[0] = 0xE0 | character >> 12, bytes[1] = 0x80 | (character >> 6 & 63), bytes[2] = 0x80 | (character & 63), 3;
  }
  bytes[0] = 0xF0 | character >> 18, bytes[1] = 0x80 | (character >> 12 & 63);
  return bytes[2] = 0x80 | (character >> 6 & 63), bytes[3] = 0x80 | (character & 63), 4;
}

static size_t random_text(uint8_t *bytes) {
  static const uint32_t ranges[][2] = {
    {0, 0x80}, {0x80, 0x800}, {0x800, 0xD800}, {0xE000, 0x10000}, {0x10000, 0x110000}, {0xFEFF, 0xFF00},
  };
  size_t size = 0;
  for (uint32_t left = random_below(25); left > 0; left--) {
    const uint32_t *range = ranges[random_below(random_below(3) ? 6 : 1)];
    size += put(bytes + size, range[0] + random_below(range[1] - range[0]));
  }
  return size;
}

// UTF-8, with or without a mark, whole or cut off inside of a character or before a byte that begins none.
static dispatch_data_t random_utf8(bool marked, bool damaged) {
  uint8_t bytes[160] = {0xEF, 0xBB, 0xBF};
  size_t size = marked ? 3 : 0;
  size += random_text(bytes + size);
  if (damaged) bytes[size++] = (uint8_t)"\x80\xBF\xC3\xE2\xF0\xF9\xFE\xFF"[random_below(8)];
  return in_pieces(bytes, size, 3, 0, begins_character);
}

static void text_there_and_back(int form, bool damaged) {
  dispatch_data_t wide = bring(random_utf8(random_below(3) == 0, damaged), UTF8, form);
  if (!wide) return;
  uint8_t bytes[400];
  size_t size = wide == dispatch_data_empty ? 0 : contents(wide, bytes);
  dispatch_release(wide);
  size_t begin = size > 0 && random_below(2) ? 2 : 0;  // without the mark, or with it
  if (random_below(10) == 0 && size > 2) bytes[size++] = 0;
  if (random_below(10) == 0 && size % 2 == 0) size += (size_t)(memcpy(bytes + size, form == UTF16LE ? "\0\xDC" : "\xDC", 2), 2);
  dispatch_data_t back = bring(append(dispatch_data_empty, bytes + begin, size - begin), form, random_below(2) ? UTF8 : form);
  if (back) dispatch_release(back);
}

void texts(void) {
  for (int form = UTF16LE; form <= UTF16BE; form++) {
    begin();
    for (int round = 0; round < 4000; round++) text_there_and_back(form, round % 5 == 0);
    end("there and back", UTF8, form);
  }
  for (int to = UTF8; to <= UTF16BE; to++) {
    begin();
    for (int round = 0; round < 2000; round++) {
      dispatch_data_t result = bring(random_utf8(random_below(2), false), UTF_ANY, to);
      if (result) dispatch_release(result);
    }
    end("found out", UTF_ANY, to);
  }
}

void ways(void) {
  static const char *const samples[] = {"", "QQ", "QUJDRA==", "\xFF\xFE\x61", "\xFE\xFF\0\x61", "\xEF\xBB\xBF"};
  static const size_t sizes[] = {0, 2, 8, 4, 4, 3};
  for (int from = 0; from < FORMATS; from++) {
    for (int to = 0; to < FORMATS; to++) {
      begin();
      for (size_t sample = 0; sample < sizeof sizes / sizeof *sizes; sample++) {
        if (from == BASE32 || from == BASE32HEX) continue;
        dispatch_data_t result = bring(append(dispatch_data_empty, samples[sample], sizes[sample]), from, to);
        if (result) dispatch_release(result);
      }
      end("way", from, to);
    }
  }
}
