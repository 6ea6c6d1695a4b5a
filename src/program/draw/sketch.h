/* program/draw/sketch.h — what a picture shows: nodes, and arrows between them.
 *
 * A sketch comes from a program (program_sketch()) or, while a document has problems, from what can be read
 * of it: a dialect adds nodes and arrows one by one. A sketch has no places of its own: draw_picture() lays
 * it out, and every format of a picture comes from the same layout.
 *
 * All texts are borrowed and may hold anything that a document may hold.
 */
#ifndef PROGRAM_DRAW_SKETCH_H
#define PROGRAM_DRAW_SKETCH_H

#include "base/text_map.h"
#include "program/program.h"

/* The kinds of nodes that a picture tells apart. The words are part of the API. */
/* clang-format off */
#define SKETCH_KIND_MAP(XX)                                              \
    /* NAME   word      radius  fill       line    */                    \
    XX(START,  "start",  23,     "#ffffff", "#344054") /* A trigger. */  \
    XX(TASK,   "task",   9,      "#e9f1ff", "#3a6fd0")                   \
    XX(CHILD,  "child",  9,      "#e9f1ff", "#3a6fd0") /* Another instance does the work. */ \
    XX(PERSON, "person", 9,      "#fff4dd", "#b97b07")                   \
    XX(WAIT,   "wait",   9,      "#fff4dd", "#b97b07") /* For a time. */ \
    XX(EVENT,  "event",  9,      "#fff4dd", "#b97b07")                   \
    XX(SIGNAL, "signal", 23,     "#fdeef5", "#bf4184")                   \
    XX(STATE,  "state",  9,      "#fff4dd", "#b97b07") /* An entity's. */  \
    XX(CHOOSE, "choose", 0,      "#f3edff", "#7a52c7")                   \
    XX(TABLE,  "table",  2,      "#e6f6f3", "#14857a")                   \
    XX(SET,    "set",    2,      "#f3f4f6", "#667085")                   \
    XX(FORK,   "fork",   2,      "#eef2f6", "#344054")                   \
    XX(JOIN,   "join",   2,      "#eef2f6", "#344054")                   \
    XX(SCOPE,  "scope",  9,      "#eefaf9", "#0e7490")                   \
    XX(END,    "end",    23,     "#e6f6ea", "#2b8a50")                   \
    XX(ERROR,  "error",  23,     "#fdecea", "#b42318") /* An end that fails the instance. */
/* clang-format on */

enum sketch_kind {
#define XX(NAME, ...) SKETCH_##NAME,
    SKETCH_KIND_MAP(XX)
#undef XX
        SKETCH_KIND_COUNT
};

const char *sketch_kind_word(enum sketch_kind kind);
/* The kind of a program's node. */
enum sketch_kind program_sketch_kind(const struct program *program, uint32_t node);

struct sketch_node {
    enum sketch_kind kind;
    str id;         /* The node's name, by which histories call it. */
    str title;      /* The author's label; empty: none. */
    str type;       /* The dialect's word for the kind. */
    str detail;     /* Says more than the type: a job's type, a duration; empty: nothing. */
    str caption;    /* The line below the title. Empty: the type and the detail. */
    str pointer;    /* The pointer of the node in its document. */
    uint32_t zone;  /* A loop is a zone: its body is drawn inside a box. The loop that the node is in;
                       NODE_NONE: none. */
    bool begins;    /* The body of its loop begins there. */
    bool is_zone;   /* Nodes are inside. */
    bool is_placed; /* The document gives the place of its top left corner, … */
    double x, y;
    double width, height; /* … and perhaps its size; 0: it does not. */
};

/* A way from one node to another. If there are several reasons for it, the arrow has all of them. */
struct sketch_arrow {
    uint32_t from, to;
    str id;     /* The author's, of the first of its ways; empty: none. */
    bool timer; /* Dashed, from a clock. */
    bool interrupting;
    bool error;  /* Dashed: taken when something failed. */
    bool inward; /* From a loop to where its body begins. */
    str label;   /* One line per reason; empty: always. */
    size_t label_lines;
    uint32_t shown_from, shown_to; /* In a part of a sketch: the ends in the whole one. */
};

struct sketch {
    struct arena *arena;
    str id, title, dialect;
    int32_t version; /* 0: it is not published. */
    struct sketch_node *node;
    size_t node_count, node_cap;
    uint32_t start;             /* NODE_NONE: nobody knows. */
    struct sketch_arrow *arrow; /* By `from`. */
    size_t arrow_count, arrow_cap;
    bool is_placed; /* The nodes' own places are used. */
};

/* The nodes of a program without the inner ones, and the arrows between them; a way over inner nodes is one
 * arrow. */
struct sketch program_sketch(const struct program *program, struct arena *arena);

/* ---- a sketch of a document that has problems ---- */

struct sketch sketch_of(str id, str title, str dialect, struct arena *arena);
/* Adds a node that is in no zone, and returns its number. */
uint32_t sketch_add(struct sketch *sketch, struct sketch_node node);
/* Puts a node into a zone. A zone inside itself is left out. */
void sketch_put_inside(struct sketch *sketch, uint32_t node, uint32_t zone);
/* Adds an arrow; the numbers of its nodes may be NODE_NONE, which adds nothing. */
void sketch_join(struct sketch *sketch, struct sketch_arrow arrow);
/* Sorts the arrows, merges those that say the same, and finds where the bodies of loops begin. */
void sketch_close(struct sketch *sketch);

/* Takes the places of nodes from the members `position` {x, y} and `size` {width, height} of their objects in
 * the document. Does nothing if no node has a place; those without one are put below the others. */
void sketch_take_places(struct sketch *sketch, const struct json *document);

/* ---- the picture ---- */

enum picture { PICTURE_SVG, PICTURE_DOT, PICTURE_MERMAID, PICTURE_JSON };
void draw_picture(const struct sketch *sketch, enum picture picture, struct buf *out);

/* Draws a program. */
void program_draw(const struct program *program, enum picture picture, struct buf *out);

#endif
