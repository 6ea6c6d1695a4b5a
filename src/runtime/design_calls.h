/* runtime/design_calls.h — calls about documents: how they look, how they differ, what their parts do. All of
 * them read, and the query thread answers them. */
#ifndef RUNTIME_DESIGN_CALLS_H
#define RUNTIME_DESIGN_CALLS_H

#include "program/problems.h"
#include "source/source.h"

/* PICTURE: of a published version, or of a document that is not published. */
struct call_picture {
    str id;          /* Of the definition; empty: the text is drawn. */
    int32_t version; /* 0: the latest. */
    str text;
    enum source_format format;
    bool own_places; /* Nodes are where the document says. */
};

struct answer_design {
    str text;                 /* A JSON value. */
    struct problems problems; /* PICTURE of a text: why it cannot be drawn. */
};

#endif
