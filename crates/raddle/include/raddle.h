/* raddle.h: how a program speaks to raddle.
 *
 * `raddle` puts this header on the include path by itself. The functions have no definition: raddle gives them their
 * meaning. A build without raddle needs its own.
 */
#ifndef RADDLE_H
#define RADDLE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the `size` bytes at `at` an input: any value. `name` is what reports call it.
 *
 *     int k;
 *     raddle_symbolic(&k, sizeof k, "k");
 */
void raddle_symbolic(void *at, size_t size, const char *name);

/* Goes on only where `condition` is not 0. */
void raddle_assume(int condition);

/* Says that `condition` is not 0 here, whatever the inputs and the schedule; where it is, raddle reports it. */
void raddle_assert(int condition);

/* Makes the variable at `root`, `size` bytes long, and all that its pointers lead to any data structure of its type
 * within the bounds (`--depth`, `--array`). It must be a whole variable.
 *
 *     struct list l;
 *     raddle_structure(&l, sizeof l, "l");
 */
void raddle_structure(void *root, size_t size, const char *name);

#ifdef __cplusplus
}
#endif

#endif
