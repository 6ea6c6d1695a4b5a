/* dialect/dialect.h — a family of definitions, described in one table.
 *
 * A dialect says how its documents are read and lowered to the one kind of program, and how their
 * instances are shown: which members, under which names, in whose words. Other folders ask the table, and
 * never which dialect it is. A new dialect is a folder and a line in dialect.c
 * (README.md tells the steps).
 */
#ifndef DIALECT_DIALECT_H
#define DIALECT_DIALECT_H

#include "dialect/show/standing.h"
#include "dialect/show/view.h"
#include "program/problems.h"

struct fixing;
struct run_view;
struct sketch;
struct sketch_node;

struct dialect {
    str name;

    /* ---- documents ---- */

    /* The member that lists a document's nodes: "steps". */
    str body_name;
    /* True: a document is a list of steps, which messages of gRPC can hold and which may have decision
     * tables. */
    bool has_steps;
    /* Is this document certainly one of the dialect's? Must be cheap. */
    bool (*recognises)(const struct json *document);
    /* Returns the same document in one spelling, as it is stored and shown. */
    const struct json *(*normal)(const struct json *document, struct arena *arena);
    /* Adds the order of those members whose order has a meaning. */
    void (*print_order)(const struct json *document, struct buf *out);
    /* Returns the program, or NULL if there are errors among the problems. */
    struct program *(*compile)(const struct json *document, struct problems *problems);
    /* True: the author gives "version", and it is a part of what makes a definition. False: the engine
     * gives it, and the one in the document is ignored. */
    bool version_is_content;
    /* Returns the reasons for refusing a document as one text; dialect_refusal() is what callers use. */
    str (*refusal)(const struct problems *problems, struct arena *arena);

    /* Adds the step that mends a problem, if the dialect knows one. NULL: it knows none. */
    void (*fix)(struct fixing *fixing);

    /* ---- pictures (dialect/show/sketch.h) ---- */

    /* Adds the nodes and arrows that can be read of a document, whatever is wrong with it, and its id and
     * title. */
    void (*sketch)(const struct json *document, struct sketch *sketch);
    /* True: a program's picture is that of its document. */
    bool draws_document;
    /* A node's kind in pictures; NULL: as the program says. */
    int (*sketch_kind)(const struct sketch_node *node);

    /* ---- words ---- */

    /* True: authors call a node by its title (a state's name). False: by its name (a step's id). */
    bool nodes_by_title;
    /* True: an instance's path has the nodes of the top level alone; those of branches are shown by branch.
     */
    bool path_is_top_level;
    /* Is the node one that the author wrote and calls by program.node_word? NULL: each that is not inner. */
    bool (*is_own_node)(const struct program_node *node);
    /* How an instance stands, in the dialect's own words. NULL: the dialect has no words of its own.
     * dialect_status_word() is what callers use. */
    str (*status_word)(const struct standing *standing);
    /* Returns the word for an instance's data: "variables", "output". */
    str (*data_word)(enum instance_status status);

    /* ---- instances ---- */

    /* True: instances are entities. Writes create them and transitions move them, so nobody starts, retries
     * or repairs one, and lists of runs leave them out. A definition is the workflows of a model. */
    bool has_entities;
    /* The value that a timer's command adds to what its token carries; NULL: the timer adds none. NULL as the
     * function: no timer does. dialect_timer_stamp() is what callers use. */
    const struct json *(*timer_stamp)(const struct program *program, const struct instance *instance,
                                      uint32_t timer, int64_t now_ms, struct arena *arena);

    /* The part of the data of a completed instance that it gives back to one that waits for it. NULL as the
     * function: all of it. dialect_output() is what callers use. */
    const struct json *(*output)(const struct json *data);

    /* ---- views: JSON text for the API ---- */

    /* The whole object of an instance. Data that would make the text longer than `bytes_max` (0: any
     * length) is left out and marked. On the path of every start. */
    void (*put_instance)(struct buf *out, const struct instance_view *view, enum instance_style style,
                         int64_t bytes_max);
    /* The whole object of one visit in the history. */
    void (*put_visit)(struct buf *out, const struct history_view *history, const struct execution *visit);
    /* The members of a history behind its visits, each with a comma before it. NULL: none. */
    void (*put_history_end)(struct buf *out, const struct history_view *history);

    /* ---- views: values for scenarios and `pawl run` ---- */

    /* Adds every member that expectations can name. */
    void (*add_run)(struct run_view *view);
};

/* Returns the dialect of a parsed document, or NULL if that is no object. */
const struct dialect *dialect_of(const struct json *document);

/* Returns the dialect of that name. An unknown or empty name gives the dialect whose views show no more
 * than every instance has. Never NULL. */
const struct dialect *dialect_named(str name);

/* Are instances of the dialect of this name entities? */
static inline bool dialect_has_entities(str name) { return dialect_named(name)->has_entities; }
/* The name of the dialect whose instances are entities. */
str dialect_of_entities(void);

/* Has the document the member that lists the nodes of some dialect's documents? */
bool dialect_has_body(const struct json *document);

/* From a document to a program with one reference, or NULL and at least one error. Problems
 * have pointers; source_compile() knows their places. `ret_document` (may be NULL) gets the
 * document in its normal form if it compiled; it lives in the problems' arena. */
struct program *dialect_compile(const struct json *document, struct problems *problems,
                                const struct json **ret_document);

/* Prints what makes two normal documents the same definition: the canonical JSON, without
 * "version" unless the dialect counts it, and the order of members that are tried in order. */
void dialect_print_content(const struct json *document, struct arena *arena, struct buf *out);

/* Returns the problems of a refused document as one text, in the words of the dialect that read it (or of
 * all, if none did). Lives in the arena; empty if there are no errors. */
str dialect_refusal(const struct problems *problems, struct arena *arena);

/* How an instance stands: in the dialect's own words, or in the engine's if it has none. */
static inline str dialect_status_word(const struct dialect *dialect, const struct standing *standing)
{
    return dialect->status_word ? dialect->status_word(standing)
                                : str_of(instance_status_word(standing->status));
}

static inline const struct json *dialect_timer_stamp(const struct program *program,
                                                     const struct instance *instance, uint32_t timer,
                                                     int64_t now_ms, struct arena *arena)
{
    const struct dialect *dialect = dialect_named(program->dialect);
    return dialect->timer_stamp ? dialect->timer_stamp(program, instance, timer, now_ms, arena) : NULL;
}

static inline const struct json *dialect_output(const struct dialect *dialect, const struct json *data)
{
    return dialect->output ? dialect->output(data) : data;
}

/* The one of a node's two names by which authors call it. */
static inline str dialect_node_name(const struct dialect *dialect, str name, str title)
{
    return dialect->nodes_by_title ? title : name;
}

#endif
