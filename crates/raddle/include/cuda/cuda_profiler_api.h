/* All that raddle has of it is included before everything else: see raddle_cuda.h. */
#include "raddle_cuda.h"
