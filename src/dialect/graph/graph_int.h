/* dialect/graph/graph_int.h — a flow graph on its way to a program.
 *
 *     document ──read_*.c──► struct graph ──check_*.c──► ──lower*.c──► program ──check_whole.c──► warnings
 *
 * Each step goes on after errors and leaves out what is wrong, so that one upload shows every problem. A
 * problem is about one node, whose label the message says. A program with errors is thrown away at the end.
 *
 * The data of an instance has flat names, some with a dot in them:
 *
 *     vars            the variables                        result     what the ends gave
 *     trigger         the newest event                     instance   who the instance is
 *     triggers.ID     the newest event of each trigger     nodes.ID   the outputs of each node that has run
 *
 * An item of a loop has data of its own, in which the item, its index and the outputs of the nodes inside
 * are; the names it lacks are looked up around it. Names are stored with running instances: they never
 * change.
 */
#ifndef DIALECT_GRAPH_GRAPH_INT_H
#define DIALECT_GRAPH_GRAPH_INT_H

#include "dialect/graph/graph.h"
#include "dialect/graph/node_types.h"
#include "dialect/limits.h"
#include "dialect/nearest.h"
#include "expr/template/template.h"
#include "program/program.h"

/* ---- the document ---- */

/* An object of the document. */
struct graph_place {
    const struct json *object; /* Never NULL: an absent object is an empty one. */
    str pointer;
    const char *what; /* Begins the messages: `"Charge card"`; "" for the document. */
    str node;         /* The node that problems are about; empty: none. */
};

struct graph_edge {
    str id; /* The author's, or made of its place in the list. */
    struct graph_place at;
    uint32_t from, to; /* Indices of nodes. */
    str port, to_port;
    const struct json *condition; /* NULL: none. */
    bool is_default;
    double order;
    str label;
    uint32_t arrival; /* Which of the incoming edges of a join it is, from 1; else 0. */
};

struct graph_node {
    uint32_t index; /* In the graph; of a call that undoes a node: that node's. */
    str id;
    str label;
    struct graph_place at;
    struct graph_place config;
    const struct graph_type *type; /* NULL: there is no such type, which has been reported. */
    uint32_t parent;               /* The loop it is in; NODE_NONE: none. */
    bool says_parent;              /* The document says so. */
    bool feeds;                    /* An edge of it led to a gate outside its loop. */
    uint32_t *out;                 /* Edges that leave it, in their order. */
    size_t out_count;
    uint32_t *in; /* Edges that lead to it. */
    size_t in_count;
    uint32_t arrivals; /* How many of them a join waits for: those of triggers count as one. */
    uint32_t entry;    /* A trigger without an edge: the node where it leads; NODE_NONE: none. */
    bool is_handler; /* The error handler of the graph, or what undoes another node: nothing else leads to it.
                      */
    bool is_undo;    /* It undoes another node. */
};

/* A retry policy; the meaning of the fields is that of contracts/graph.md 1.6. */
struct graph_retry {
    uint32_t attempts_max; /* The first try included. */
    struct program_delay delay;
    const struct json *codes; /* Only errors with these codes are tried again; NULL: any transient one. */
};

/* A template that reads a node's outputs. */
struct graph_read {
    uint32_t reader, target;
    str pointer;
};

struct graph {
    struct problems *problems;
    struct arena *scratch; /* The problems': for texts of messages. */
    struct program *program;
    struct arena *arena; /* The program's. */
    struct graph_place document, settings;
    str name, id;
    struct graph_node *node; /* In document order; triggers that are in their own list come last. */
    size_t node_count;
    uint32_t *by_id; /* Indices of the nodes, sorted by id. */
    struct graph_edge *edge;
    size_t edge_count;
    struct graph_read *read;
    size_t read_count, read_cap;
    bool cut; /* Something was left out because it is wrong: what cannot be reached may be a consequence. */

    /* Settings. */
    const str *secret;
    size_t secret_count;
    bool undoes;
    uint32_t visits_max;
    uint32_t handler; /* The node that takes errors; NODE_NONE: none. */
    bool is_ephemeral;
    const struct json *retry_policy; /* The policy of the whole workflow, as it is written … */
    struct graph_retry retry;        /* … and read, if it has fields. */

    /* The program, while it is being made. */
    struct program_node *lowered;
    size_t lowered_count, lowered_cap;
    uint32_t end; /* The inner END where unwired ports lead. */
    struct program_begin *begin;
    size_t begin_count;
};

/* ---- read_fields.c ---- */

/* Says which node the next problem is about; returns the problems. */
struct problems *graph_about(struct graph *graph, const struct graph_place *at);

/* The member, or NULL if it is absent or null. */
const struct json *graph_member(const struct graph_place *at, const char *name);
str graph_pointer(struct graph *graph, const struct graph_place *at, const char *name);

/* Each of these reports a value of the wrong type. Without a value they return "", `otherwise`, NULL or
 * false. */
str graph_text(struct graph *graph, const struct graph_place *at, const char *name);
bool graph_flag(struct graph *graph, const struct graph_place *at, const char *name, bool otherwise);
const struct json *graph_list(struct graph *graph, const struct graph_place *at, const char *name);
/* An integer of at least `least` and at most `most`. */
int64_t graph_integer(struct graph *graph, const struct graph_place *at, const char *name, int64_t least,
                      int64_t most, int64_t otherwise);
/* One of the words, which are separated by "|", in any case: its number; `otherwise` if there is none. A text
 * that is none of them is reported with the code. */
size_t graph_word(struct graph *graph, const struct graph_place *at, const char *name, const char *words,
                  enum problem_code code, size_t otherwise);
/* The object that is a member; an empty one if it is absent. */
struct graph_place graph_object(struct graph *graph, const struct graph_place *at, const char *name);

/* A literal duration in milliseconds; `otherwise` without one. Reports INVALID_DURATION. */
int64_t graph_duration(struct graph *graph, const struct graph_place *at, const char *name,
                       int64_t otherwise);

/* Warns of members that are not among the names; `names` is ended by NULL. */
void graph_only(struct graph *graph, const struct graph_place *at, const char *const *names);
/* The same, with the names of rows of the table of node types. */
void graph_only_params(struct graph *graph, const struct graph_place *at, struct graph_params params);
/* Warns that a member, if it is there, has no effect, and says why. */
void graph_idle(struct graph *graph, const struct graph_place *at, const char *name, const char *why);
/* The first of several spellings of one field (ended by NULL) that is there, else the first one. Warns of
 * others with another value. */
const char *graph_spelled(struct graph *graph, const struct graph_place *at, const char *const *spelling);

void graph_wrong_type(struct graph *graph, const struct graph_place *at, const char *name,
                      const char *expected, const struct json *value);
/* The value as a message shows it. */
const char *graph_shown(struct graph *graph, const struct json *value);
/* True if a text has a placeholder in it. */
bool graph_is_template(const struct json *value);
/* `"a", "b" or "c"` of words with "|" between them. */
const char *graph_words(struct graph *graph, const char *words);

/* ---- read_document.c, read_edges.c ---- */

/* False: nothing of it can be looked at. */
bool graph_read(struct graph *graph, const struct json *document);
void graph_read_edges(struct graph *graph);

/* ---- bodies.c ---- */

/* Puts nodes that follow a loop's iterations into the loop, if the document does not say what is inside. The
 * edges of the nodes must be known, and are to be made anew. */
void graph_bodies_find(struct graph *graph);

/* ---- find.c ---- */

/* Sorts the nodes by id, once all are read. */
void graph_sort(struct graph *graph);
/* The index of the node with that id, or NODE_NONE. */
uint32_t graph_find(const struct graph *graph, str id);
/* `"Charge card"` or, without a label, `Call a web service "node_2"`. */
const char *graph_label(struct graph *graph, const struct graph_node *node);

/* ---- check_edges.c, check_answers.c, check_config.c, check_whole.c ---- */

void graph_check_edges(struct graph *graph);
/* Every answer of a person has a line. After lowering, which finds the nodes that only undo others. */
void graph_check_answers(struct graph *graph);
/* The line of a person's answers that have none of their own; NULL: none is marked as such. */
const struct graph_edge *graph_default_answer(const struct graph *graph, const struct graph_node *node);
/* The members of a node's config against the table of its type. */
void graph_check_config(struct graph *graph, const struct graph_node *node);
/* Warns of fields beside the config that mean nothing on a node of this type. */
void graph_check_node_fields(struct graph *graph, const struct graph_node *node);
/* Warns of members of a condition that no condition has. */
void graph_check_condition(struct graph *graph, const struct graph_place *owner, const struct json *condition,
                           str pointer);
/* Warnings about the whole. Only for a graph without errors. */
void graph_check_whole(struct graph *graph);

/* ---- text_kinds.c: what texts of calls are for ---- */

/* `pointer` leads into the config of a node that calls. */
enum template_kind graph_text_kind(const struct graph_node *node, str pointer);
/* Warns of a value that is not escaped, or that says which server is called. `pointer` leads into the
 * document. */
void graph_warn_of_value(struct graph *graph, const struct graph_node *node, str pointer,
                         enum template_notice notice, enum template_kind kind,
                         const struct template_path *path);

/* ---- values.c: templates and conditions ---- */

/* Values that an expression of a node can read besides the data. */
enum graph_sees {
    GRAPH_SEES_DATA,
    GRAPH_SEES_UNDO = 1,    /* `self` and `error` of a visit that is undone. */
    GRAPH_SEES_SECRETS = 2, /* Secrets: the value is the input of a call. */
    GRAPH_SEES_LOOP = 4,    /* `loop` of an item that is done. */
    GRAPH_SEES_RESULT = 8,  /* `result` of the call that is done. */
};

/* A template as a tree, or NULL if it does not compile, which is reported. */
struct expr_tree *graph_value(struct graph *graph, const struct graph_node *node, const struct json *value,
                              str pointer, unsigned sees);
/* The same, compiled; a constant null if it does not compile. */
const struct expr *graph_expr(struct graph *graph, const struct graph_node *node, const struct json *value,
                              str pointer, unsigned sees);
const struct expr *graph_condition(struct graph *graph, const struct graph_node *node,
                                   const struct json *condition, str pointer, bool strict, unsigned sees);
/* A condition that fails, or (not strict) does not hold, if something that it reads has no value. */
const struct expr *graph_rule(struct graph *graph, const struct graph_node *node,
                              const struct json *condition, str pointer, bool strict);
/* A value as the older format writes it: a text that begins with "$." is an expression, and so is any text if
 * `is_text`; else it is a template. */
struct expr_tree *graph_older_value(struct graph *graph, const struct graph_node *node,
                                    const struct json *value, str pointer, bool is_text);
/* The schema that is a member; NULL if there is none or it is none, which is reported. */
const struct schema *graph_schema(struct graph *graph, const struct graph_place *at, const char *name);
/* {code, message, nodeId} of the local `error`. */
struct expr_tree *graph_error_value(struct graph *graph);
/* "nodes.ID" */
str graph_name_of_output(struct graph *graph, str id);
/* An expression of the engine's own, as text. */
const struct expr *graph_own_expr(struct graph *graph, const char *text);

/* ---- settings.c, retry.c, triggers.c ---- */

void graph_read_settings(struct graph *graph);
/* The settings, as rules of the program. After the nodes were made. */
void graph_settings_lower(struct graph *graph);
struct graph_retry graph_retry_policy(struct graph *graph, const struct graph_node *node);
/* The policy of the whole workflow. */
void graph_read_retry(struct graph *graph, const struct graph_place *settings);
/* The triggers as arrivals of the program. */
const struct program_arrival *graph_triggers_lower(struct graph *graph, size_t *ret_count);
void graph_triggers_lower_others(struct graph *graph, struct program_rules *rules);

/* ---- lower.c ---- */

/* Makes the nodes of the program. */
void graph_lower(struct graph *graph);

/* ---- lower_nodes.c ---- */

/* Adds a node and returns its index. */
uint32_t graph_add(struct graph *graph, struct program_node node);
/* The name, or one like it that no other node has. */
str graph_unique(struct graph *graph, str id, const char *word);
/* Adds a node that the author's node needs besides; its name is made of the author's and the word. Room for
 * nodes is taken at once, so that pointers to nodes stay. */
uint32_t graph_add_inner(struct graph *graph, const struct graph_node *node, const char *word,
                         enum node_kind kind);
struct program_node *graph_lowered(struct graph *graph, const struct graph_node *node);
/* The node's edge from that port, or NULL. */
const struct graph_edge *graph_port_edge(const struct graph *graph, const struct graph_node *node, str port);
/* The way along an edge; NULL: to where unwired ports lead. */
struct program_edge graph_way(const struct graph *graph, const struct graph_edge *edge);
/* The way out at a port: along its edge, along all of its edges at once, or to where unwired ports lead. */
struct program_edge graph_port_way(struct graph *graph, const struct graph_node *node, str port);
void graph_set_edges(struct graph *graph, struct program_node *lowered, const struct program_edge *edge,
                     size_t count);
void graph_set_way(struct graph *graph, struct program_node *lowered, const struct graph_edge *edge);
/* Puts the value into the node's outputs, where later nodes find it. */
void graph_set_output(struct graph *graph, const struct graph_node *node, struct program_node *lowered,
                      struct expr_tree *value);
void graph_add_output(struct graph *graph, struct program_node *lowered, struct program_value value);
/* The error port, if it is wired. */
void graph_set_error_port(struct graph *graph, const struct graph_node *node, struct program_node *lowered);
/* A timer that goes to the port; a literal duration or a template in `config`, or the node's own "timeout".
 */
void graph_set_timeout_port(struct graph *graph, const struct graph_node *node, struct program_node *lowered);

/* The number of a version that the config pins; 0: the latest, or data says which. */
int32_t graph_pinned_version(struct graph *graph, const struct graph_node *node);
/* The id of a definition that the config names; empty: data says which, or nothing does. */
str graph_named_definition(struct graph *graph, const struct graph_node *node);
void graph_lower_action(struct graph *graph, const struct graph_node *node);
/* Marks the nodes that undo others. */
void graph_mark_undos(struct graph *graph);
/* `compensation` of a node. */
void graph_lower_undo(struct graph *graph, const struct graph_node *node);
void graph_lower_person(struct graph *graph, const struct graph_node *node);
void graph_lower_event(struct graph *graph, const struct graph_node *node);
/* The number of the trigger that a field names, among the program's arrivals. ARRIVAL_NONE: there is no such
 * trigger, which is a problem. */
uint32_t graph_awaited_arrival(struct graph *graph, const struct graph_node *node, const char *field);
void graph_lower_delay(struct graph *graph, const struct graph_node *node);
/* `openFrom` and `openUntil` of a node. */
void graph_lower_milestone(struct graph *graph, const struct graph_node *node);
/* `lock`, `lockSize` and `lockTimeout`. */
void graph_lower_lock(struct graph *graph, const struct graph_node *node);
/* ---- lower_tests.c ----
 * `testOutput` of a node, or NULL; warns of what is no output of the type. */
const struct json *graph_test_output(struct graph *graph, const struct graph_node *node);
/* Sets the node's result in a test. */
void graph_set_test_answer(struct graph *graph, const struct graph_node *node, struct program_node *lowered);
void graph_set_test_event(struct graph *graph, const struct graph_node *node, struct program_node *lowered);
void graph_set_test_delay(struct graph *graph, const struct graph_node *node, struct program_node *lowered);

void graph_lower_decision(struct graph *graph, const struct graph_node *node);
void graph_lower_parallel(struct graph *graph, const struct graph_node *node);
void graph_lower_match(struct graph *graph, const struct graph_node *node);
void graph_lower_loop(struct graph *graph, const struct graph_node *node);
void graph_lower_range(struct graph *graph, const struct graph_node *node);
void graph_lower_logic_gate(struct graph *graph, const struct graph_node *node);
void graph_lower_switch_gate(struct graph *graph, const struct graph_node *node);
void graph_lower_fan_in(struct graph *graph, const struct graph_node *node);
void graph_lower_context(struct graph *graph, const struct graph_node *node);
/* How many iterations the loop over numbers has; 0: its range is wrong, which lowering reports. */
uint32_t graph_range_count(const struct graph_node *node);

#endif
