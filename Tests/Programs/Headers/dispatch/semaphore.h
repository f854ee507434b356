// The toolchain's own header, found from its compiler's headers: SwiftPM names the folder to Swift only, not to C.
#include <../../../swift/dispatch/semaphore.h>
