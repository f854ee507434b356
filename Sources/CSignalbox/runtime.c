// runtime.c: what the runtime of Swift's tasks says of them to debuggers, by weak references: bound when this image is
// loaded, since asking the loader at report time could mean to wait for a lock that a deadlocked thread holds. Nothing
// of it is there in a program without tasks.
#include "Shared/own_code.h"
#include "csignalbox.h"

#define WEAK __attribute__((weak))
extern const void *const kind __asm__("_swift_concurrency_debug_asyncTaskMetadata") WEAK;
extern const size_t size __asm__("_swift_concurrency_debug_asyncTaskSize") WEAK;
extern const uint32_t version __asm__("_swift_concurrency_debug_internal_layout_version") WEAK;
extern const void *const future __asm__("_swift_concurrency_debug_future_adapter") WEAK;
extern const void *const plain __asm__("_swift_concurrency_debug_non_future_adapter") WEAK;
extern const void *const value __asm__("_swift_concurrency_debug_task_future_wait_resume_adapter") WEAK;
extern const void *const throwing __asm__("_swift_concurrency_debug_task_wait_throwing_resume_adapter") WEAK;

int sb_read_task_runtime(struct sb_task_runtime *runtime) {
  if (!&kind || !&size || !&version || !&future || !&plain || !&value || !&throwing) return 0;
  *runtime = (struct sb_task_runtime){
    .kind = (uintptr_t)kind, .size = size, .version = version,
    .starters = {(uintptr_t)future, (uintptr_t)plain}, .resumers = {(uintptr_t)value, (uintptr_t)throwing},
  };
  return 1;
}
