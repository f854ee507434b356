// objects.c: numbers for addresses, by first use, and who has what.
#include "core.h"

// Grows as it fills, so that a small program touches little memory. A forgotten object keeps its place with the number 0.
enum { LEAST = 64, MOST = 65536 };
static struct { uint64_t address; uint32_t number; } table[MOST];
static uint32_t mask, used;

void sbx_objects_begin(void) {
  // Runs of one process follow each other; a forked one finds it empty.
  if (used) for (uint32_t i = 0; i <= mask; i++) table[i].address = table[i].number = 0;
  mask = LEAST - 1;
  used = 0;
}

static uint32_t place_of(uint64_t address) {
  uint32_t place = (uint32_t)(address * 0x9e3779b97f4a7c15 >> 40) & mask;
  while (table[place].address && table[place].address != address) place = (place + 1) & mask;
  return place;
}

static void grow(void) {
  struct sbx_shared *s = sbx_state;
  for (uint32_t i = 0; i <= mask; i++) table[i].address = 0;
  mask = mask * 4 + 3;
  used = 0;
  for (uint32_t i = 1; i <= s->object_count; i++) {
    if (!s->objects[i].address) continue;
    uint32_t place = place_of(s->objects[i].address);
    table[place].address = s->objects[i].address;
    table[place].number = i;
    used++;
  }
}

struct sbx_object *sbx_object_at(uint64_t address, uint32_t kind, uint64_t place_used) {
  struct sbx_shared *s = sbx_state;
  uint32_t place = place_of(address);
  if (table[place].address && table[place].number) return &s->objects[table[place].number];
  if (s->object_count + 1 == SBX_MAX_OBJECTS) return &s->objects[0];
  if (!table[place].address) {
    if (used * 2 > mask && mask + 1 < MOST) {
      grow();
      place = place_of(address);
    }
    used++;
  }
  uint32_t number = ++s->object_count;
  table[place].address = address;
  table[place].number = number;
  struct sbx_object *object = &s->objects[number];
  object->address = address;
  object->kind = kind;
  object->first_place = place_used;
  return object;
}

void sbx_owned(uint64_t address, uint32_t kind, uint64_t place) {
  struct sbx_object *object = sbx_object_at(address, kind, place);
  object->owner = sbx_self->number;
  object->owner_place = place;
  object->owner_step = sbx_self->step;
}

void sbx_released(uint64_t address) { sbx_object_at(address, 0, 0)->owner = 0; }

void sbx_forget(uint64_t address) {
  uint32_t place = place_of(address);
  if (!table[place].address || !table[place].number) return;
  sbx_state->objects[table[place].number].address = 0;
  table[place].number = 0;
}
