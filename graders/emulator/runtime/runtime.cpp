// The runtime of the emulator, one object for all programs. Compiled once a machine, without instrumentation.
#define CUEMU_RUNTIME
#include "cuemu/prelude.h"
#include "src/minmax.h"
#include "src/serve.h"
