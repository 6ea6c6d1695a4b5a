/* dialect/fix/fixes.h — problems that one step mends. */
#ifndef DIALECT_FIX_FIXES_H
#define DIALECT_FIX_FIXES_H

#include "dialect/dialect.h"

/* Gives every problem that one step mends its `fix`, and those about an edge their `edge`. The document is as
 * its author wrote it, and lives as long as the problems. */
void dialect_add_fixes(const struct json *document, struct problems *problems);

#endif
