/* dialect/refusal.h — the problems of a document as one text. */
#ifndef DIALECT_REFUSAL_H
#define DIALECT_REFUSAL_H

#include "program/problems.h"

/* Returns the errors in the form that POST /v1/definitions promises to the clients of all dialects:
 * "validation error: validation errors:\n  …", or "parse error: …" if the document could not be read.
 * There is at least one error. Lives in the arena. */
str refusal_text(const struct problems *problems, struct arena *arena);

#endif
