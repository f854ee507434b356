// objects.c: numbers for addresses, by first use, who has what, and what a search's steps touch.
#include "core.h"

// Grows as it fills, so that a small program touches little memory. A forgotten object keeps its place with the number 0.
enum { LEAST = 64, MOST = 65536 };
static struct { uint64_t address; uint32_t number; } table[MOST];
static uint32_t mask, used;

// What was touched has numbers of its own, which a replay does without.
enum { TOUCHED = 4096 };
static struct { uint64_t address; uint32_t number, extent; } touched[TOUCHED];
static uint16_t touched_places[TOUCHED / 2];
static uint32_t touched_used, touched_count;

static uint32_t touched_place(uint64_t address) {
  uint32_t place = (uint32_t)(address * 0x9e3779b97f4a7c15 >> 40) % TOUCHED;
  while (touched[place].address && touched[place].address != address) place = (place + 1) % TOUCHED;
  return place;
}

// The words of a lock, which is not known to reach further than these.
enum { LEAST_EXTENT = 8 };

uint32_t sbx_touch_count(void) { return touched_count; }

uint32_t sbx_touch_number(uint64_t address) {
  uint32_t place = touched_place(address);
  if (!touched[place].address) {
    if (touched_used == TOUCHED / 2) return 0;
    touched_places[touched_used++] = (uint16_t)place;
    touched[place].address = address;
  }
  if (!touched[place].number) {
    touched[place].number = ++touched_count;
    touched[place].extent = LEAST_EXTENT;
  }
  return touched[place].number;
}

// Most runs are none of a search, and the table is to cost them no page.
void sbx_untouch(uint64_t address) { if (touched_used) touched[touched_place(address)].number = 0; }

void sbx_touch_all(void) { if (sbx_searches()) sbx_tree_touch(&sbx_state->tree, SBX_TOUCHES_ALL); }

void sbx_touch(uint64_t address) {
  if (!sbx_searches()) return;
  uint32_t number = sbx_touch_number(address);
  sbx_tree_touch(&sbx_state->tree, number ? number : SBX_TOUCHES_ALL);
}

void sbx_extend(uint64_t address, uint32_t extent) {
  if (!sbx_searches() || !sbx_touch_number(address)) return;
  uint32_t place = touched_place(address);
  if (touched[place].extent < extent) touched[place].extent = extent;
}

// A word that threads sleep on is a part of what they wait for: of the object that it lies in. Words that belong to nothing known, in
// stacks mostly, are taken for one. What merely lies close by would be another in the next run.
enum { NOBODYS_WORDS = 1 };
void sbx_touch_word(uint64_t word) {
  if (!sbx_searches()) return;
  uint64_t found = NOBODYS_WORDS;
  for (uint32_t i = 0; i < touched_used; i++) {
    uint64_t address = touched[touched_places[i]].address;
    if (touched[touched_places[i]].number && word - address < touched[touched_places[i]].extent && address > found) found = address;
  }
  sbx_touch(found);
}

void sbx_objects_begin(void) {
  for (uint32_t i = 0; i < touched_used; i++) touched[touched_places[i]].address = touched[touched_places[i]].number = 0;
  touched_used = touched_count = 0;
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
  sbx_touch(address);
  struct sbx_object *object = sbx_object_at(address, kind, place);
  // Of what has no number nobody is known to be the owner.
  if (object == sbx_state->objects) return;
  // A first use by a mere try does not say what it is.
  object->kind = kind;
  object->owner = sbx_self->number;
  object->owner_place = place;
  object->owner_step = sbx_self->step;
}

void sbx_released(uint64_t address) {
  sbx_touch(address);
  sbx_object_at(address, 0, 0)->owner = 0;
}

void sbx_forget(uint64_t address) {
  sbx_untouch(address);
  uint32_t place = place_of(address);
  if (!table[place].address || !table[place].number) return;
  sbx_state->objects[table[place].number].address = 0;
  table[place].number = 0;
}

SANITIZED_AGAIN
