// farewells.c: what libraries do when the program ends. The loader asks each for its farewell, which touches pages of all of them in every
// run, and mostly for nothing: then it is left out.
#include "face.h"

#include <link.h>

static void (*loader_end)(void);
// How many images the loader had brought in when that was found out.
static unsigned long long images_seen;
static int is_needed = 1;

// Compilers put one function there that has nothing left to do when a process ends; more are the program's own.
static int has_farewell(struct dl_phdr_info *image, size_t size, void *context) {
  (void)size, (void)context;
  images_seen = image->dlpi_adds;
  for (int i = 0; i < image->dlpi_phnum; i++) {
    if (image->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    for (const ElfW(Dyn) *entry = (void *)(image->dlpi_addr + image->dlpi_phdr[i].p_vaddr); entry->d_tag != DT_NULL; entry++)
      if (entry->d_tag == DT_FINI_ARRAYSZ && entry->d_un.d_val > sizeof(void *)) return 1;
  }
  return 0;
}
static int count_images(struct dl_phdr_info *image, size_t size, void *context) {
  (void)size;
  *(unsigned long long *)context = image->dlpi_adds;
  return 1;
}

void sbx_find_farewells(void) { is_needed = dl_iterate_phdr(has_farewell, 0); }

static void end_images(void) {
  unsigned long long images = 0;
  if (!is_needed) dl_iterate_phdr(count_images, &images);
  if (is_needed || images != images_seen) loader_end();
}
// What is to be called at the end in place of the loader's function.
void (*sbx_at_loader_end(void (*real)(void)))(void) {
  loader_end = real;
  return real ? end_images : 0;
}

SANITIZED_AGAIN
