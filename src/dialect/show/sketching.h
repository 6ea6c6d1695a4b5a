/* dialect/show/sketching.h — a sketch on its way from a document that may have problems. */
#ifndef DIALECT_SHOW_SKETCHING_H
#define DIALECT_SHOW_SKETCHING_H

#include "program/draw/sketch.h"

/* A sketch on its way, whose nodes are found by their ids. */
struct sketching {
    struct sketch *sketch;
    struct text_map ids; /* Numbers of nodes, from 1, as pointers. */
};

void sketching_init(struct sketching *sketching, struct sketch *sketch);
void sketching_done(struct sketching *sketching);
/* Adds a node; one without an id, or with an id that another one has, or beyond DEFINITION_STEPS_MAX, is left
 * out: NODE_NONE. */
uint32_t sketching_add(struct sketching *sketching, struct sketch_node node);
uint32_t sketching_find(const struct sketching *sketching, str id); /* NODE_NONE: there is none. */
/* An arrow to the node of that id, if there is one. Beyond SKETCH_ARROWS_MAX it is left out. */
void sketching_join(struct sketching *sketching, str to, struct sketch_arrow arrow);

/* "after 2 days" of a text that is a duration; else the text itself. */
str sketching_after(str duration, struct arena *arena);
/* A condition {left, op, right}, all, any or not in words; the text of any other one. */
str sketching_condition(const struct json *condition, struct arena *arena);

#endif
