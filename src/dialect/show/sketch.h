/* dialect/show/sketch.h — a definition as a sketch (program/draw/sketch.h), whether it compiles or not. */
#ifndef DIALECT_SHOW_SKETCH_H
#define DIALECT_SHOW_SKETCH_H

#include "dialect/dialect.h"
#include "program/draw/sketch.h"

/* Sketches the program that the document became or, if `program` is NULL, what can be read of the document.
 * False: there is nothing to draw. `own_places`: nodes are where the document says. The sketch borrows from
 * both and lives in the arena. */
bool dialect_sketch(const struct program *program, const struct json *document, bool own_places,
                    struct arena *arena, struct sketch *ret_sketch);

#endif
