/* dialect/slug.h — an id, made of a name. */
#ifndef DIALECT_SLUG_H
#define DIALECT_SLUG_H

#include "base/arena.h"

/* ASCII letters and digits, `-`, `_`, `.` and all characters beyond ASCII stay; other characters become one
 * `-` between those, and nothing at both ends. "Hello World!" is Hello-World. */
str slug_of(str name, struct arena *arena);

#endif
