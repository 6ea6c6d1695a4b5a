/* dialect/nearest.h — the known word that an author may have meant to write. */
#ifndef DIALECT_NEAREST_H
#define DIALECT_NEAREST_H

#include "base/arena.h"

/* The name most like a text, of those offered, as a hint `did you mean "x"?`: a few edits away, or
 * one of the two is the beginning of the other. */
struct nearest {
    str text;
    str best;
    size_t distance;
};

void nearest_init(struct nearest *nearest, str text);
void nearest_offer(struct nearest *nearest, str name);
/* Is the best name certainly the one that was meant? It is if the text differs from it by a letter or two in
 * a long word, or is the word cut short. */
bool nearest_is_plain(const struct nearest *nearest);
/* Returns NULL if no name is like the text. */
const char *nearest_hint(const struct nearest *nearest, struct arena *arena);

#endif
