// strategy.c: the pure parts: which run is like what, the draws, and how a token is spelled. No state, no threads.
#include "layout.h"

uint64_t sbx_hash64(uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
  value = (value ^ value >> 27) * 0x94d049bb133111eb;
  return value ^ value >> 31;
}

// No strategy wins everywhere, so each has its turn; those that find most in small programs come more often.
static const uint8_t portfolio[] = {
    SBX_POS, SBX_RANDOM, SBX_PCT3, SBX_STICKY, SBX_POS, SBX_PCT2, SBX_RANDOM, SBX_PCT5,
};

void sbx_plan_run(uint64_t run, uint64_t seed, uint32_t strategies, struct sbx_run *out) {
  out->is_replay = 0;
  out->plan_count = 0;
  // Seeds in sequence would give streams that resemble one another.
  out->seed = sbx_hash64(sbx_hash64(seed) ^ sbx_hash64(run * 2 + 1));
  if (run <= 1) {
    out->strategy = SBX_PLAIN;
    out->flags = SBX_API_POINTS;
    return;
  }
  if (strategies >> SBX_EXHAUSTIVE & 1) {
    out->strategy = SBX_EXHAUSTIVE;
    out->flags = SBX_API_POINTS | SBX_TIMERS;
    return;
  }
  uint64_t bits = sbx_hash64(out->seed ^ 0x5bd1e995);
  const uint32_t count = sizeof portfolio;
  uint32_t chosen = SBX_PLAIN;
  uint32_t all = (1u << SBX_EXHAUSTIVE) - 2;
  uint32_t wanted = strategies & all ? strategies & all : all;
  // The wanted ones of the portfolio, in turn.
  uint32_t size = 0;
  for (uint32_t i = 0; i < count; i++) size += wanted >> portfolio[i] & 1;
  uint64_t place = (run - 2) % size;
  for (uint32_t i = 0; i < count; i++) {
    if (!(wanted >> portfolio[i] & 1)) continue;
    if (place-- == 0) { chosen = portfolio[i]; break; }
  }
  out->strategy = chosen;
  out->flags = (bits & 1 ? SBX_HOLD_NEWBORN : 0) | (bits & 6 ? SBX_API_POINTS : 0) | (bits & 8 ? SBX_TIMERS : 0) |
               ((bits >> 6) % 4 == 0 ? SBX_SPURIOUS : 0);
}

const char *sbx_strategy_name(uint32_t strategy) {
  static const char *const names[] = {"plain", "random", "sticky", "pos", "pct2", "pct3", "pct5", "exhaustive"};
  return strategy < SBX_STRATEGIES ? names[strategy] : "?";
}

void sbx_draw_changes(uint64_t *random, uint32_t steps, uint32_t count, uint64_t *changes) {
  if (steps < count) steps = count;
  for (uint32_t i = 0; i < count; i++) {
    uint64_t drawn;
    int again;
    do {
      *random = sbx_hash64(*random);
      drawn = 1 + *random % steps;
      again = 0;
      for (uint32_t j = 0; j < i; j++) again |= changes[j] == drawn;
    } while (again);
    uint32_t place = i;
    while (place > 0 && changes[place - 1] > drawn) { changes[place] = changes[place - 1]; place--; }
    changes[place] = drawn;
  }
}

int sbx_pack(const uint64_t *numbers, int count, uint8_t *bytes, int capacity) {
  int size = 0;
  for (int i = 0; i < count; i++) {
    uint64_t rest = numbers[i];
    do {
      if (size == capacity) return -1;
      bytes[size++] = (uint8_t)((rest & 127) | (rest > 127 ? 128 : 0));
      rest >>= 7;
    } while (rest);
  }
  return size;
}

int sbx_unpack(const uint8_t *bytes, int size, uint64_t *numbers, int capacity) {
  int count = 0;
  for (int i = 0; i < size;) {
    uint64_t value = 0;
    int shift = 0;
    for (;;) {
      if (i == size || shift > 63) return -1;
      uint8_t byte = bytes[i++];
      value |= (uint64_t)(byte & 127) << shift;
      shift += 7;
      if (!(byte & 128)) break;
    }
    if (count == capacity) return -1;
    numbers[count++] = value;
  }
  return count;
}

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

int sbx_spell(const uint8_t *bytes, int size, char *text, int capacity) {
  int length = 0, bits = 0;
  uint32_t held = 0;
  for (int i = 0; i < size; i++) {
    held = held << 8 | bytes[i];
    bits += 8;
    while (bits >= 6) {
      if (length == capacity) return -1;
      bits -= 6;
      text[length++] = letters[held >> bits & 63];
    }
  }
  if (bits) {
    if (length == capacity) return -1;
    text[length++] = letters[held << (6 - bits) & 63];
  }
  return length;
}

int sbx_read_spelling(const char *text, int length, uint8_t *bytes, int capacity) {
  int size = 0, bits = 0;
  uint32_t held = 0;
  for (int i = 0; i < length; i++) {
    int value = -1;
    for (int j = 0; j < 64; j++) if (letters[j] == text[i]) value = j;
    if (value < 0) return -1;
    held = held << 6 | (uint32_t)value;
    bits += 6;
    if (bits >= 8) {
      if (size == capacity) return -1;
      bits -= 8;
      bytes[size++] = (uint8_t)(held >> bits);
    }
  }
  // What is left over are the zeros that filled the last letter.
  return bits >= 6 || (held & ((1u << bits) - 1)) ? -1 : size;
}

SANITIZED_AGAIN
