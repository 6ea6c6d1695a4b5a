/* schema/schema_int.h — the compiled form of a schema, and what compiling and checking share.
 *
 * Every schema inside a document is a node, also `true` and `false`. A node is known by the address of its
 * value in the document: so a JSON Pointer leads to it without a second name. A node has rules, one for each
 * keyword that can refuse something, in the order of the table in keywords.c. Rules that look at others
 * (additionalProperties at properties) stand behind them.
 *
 * A resource is a document or a part of it with an `$id`. It has a URI, a draft and anchors.
 *
 *     compile.c   takes unread nodes and reads their keywords with the table's functions, which add further
 *                 nodes. When all nodes are read, all resources and anchors are known. Then references are
 *                 resolved, which may add documents and so further nodes.
 *     check.c     applies a node to a value with the table's other functions, which apply further nodes.
 */
#ifndef SCHEMA_SCHEMA_INT_H
#define SCHEMA_SCHEMA_INT_H

#include "schema/schema.h"

#include "base/regex.h"
#include "schema/limits.h"

struct schema_run;
struct schema_rule;
struct schema_node;

/* ---- compiled ---- */

enum schema_vocabulary {
    VOCABULARY_CORE = 1,
    VOCABULARY_APPLICATOR = 2,
    VOCABULARY_UNEVALUATED = 4,
    VOCABULARY_VALIDATION = 8,
    VOCABULARY_META_DATA = 16,
    VOCABULARY_FORMAT = 32,
    VOCABULARY_CONTENT = 64,
    VOCABULARY_ASSERTION = 128, /* `format` refuses values. */
};

struct schema_resource {
    str uri;   /* Without a fragment. */
    str where; /* The text before the pointers of its document's nodes: nothing, or the document's URI and
                * #. */
    const struct json *root;
    enum schema_draft draft;
    uint32_t vocabularies;
};

/* A resource has the URI of its $id and the one that it was found under. */
struct schema_uri {
    str uri;
    struct schema_resource *resource;
    struct schema_uri *next; /* In its bucket. */
};

struct schema_anchor {
    const struct schema_resource *resource;
    str name;
    bool dynamic;
    const struct schema_node *node;
    struct schema_anchor *next;
};

/* The way from a node to a node inside of it: /keyword, /keyword/name or /keyword/index. Without a keyword
 * the name is a pointer. */
struct schema_step {
    str keyword;
    str name; /* p is NULL if there is none. */
    size_t index;
    bool element;
};

struct schema_node {
    const struct json *value;
    struct schema_resource *resource;
    const struct schema_node *parent; /* NULL for a document. */
    struct schema_step step;
    struct schema_rule *rule;
    uint32_t rule_count;
    bool never;       /* It is `false`. */
    bool unevaluated; /* It has unevaluatedItems or unevaluatedProperties. */
    uint32_t trail;   /* The search for circles in which it was seen. */
    struct schema_node *next_unread;
    struct schema_node *next; /* In its bucket. */
};

struct schema_place;
struct schema_marks;
struct schema_reader;

/* Reads a keyword's value into the rule. */
typedef enum status schema_read_fn(struct schema_reader *reader, const struct schema_node *node,
                                   struct schema_rule *rule, struct error *err);

/* Does the value keep the rule? False also if the run has failed. Reports what is wrong. */
typedef bool schema_check_fn(struct schema_run *run, const struct schema_rule *rule,
                             const struct schema_place *place, struct schema_marks *marks);

/* Has the text this form? */
typedef bool schema_format_fn(struct schema_run *run, str text);

struct schema_keyword {
    str name;
    uint32_t vocabulary;
    bool in_2020_12, in_draft_07;
    schema_read_fn *read;
    schema_check_fn *check; /* NULL: the keyword only says something to others. */
};

/* A schema that applies under a name: to a member, to members that match, or if there is a member. */
struct schema_named {
    str name;
    const struct schema_node *node;
    const struct regex *regex; /* The pattern of patternProperties. */
    const struct json *names;  /* The names of dependencies that are no schema, which have no node: an
                                * array. */
};

struct schema_rule {
    const struct schema_keyword *keyword; /* NULL: the rule refuses nothing. */
    const struct schema_node *owner;
    const struct json *value;
    const struct schema_node **node; /* Schemas inside, in the order of the value. */
    struct schema_named *named;      /* The same with names, sorted by them. */
    size_t count;                    /* The count of either. */
    const struct regex *regex;
    const struct schema_rule *properties, *patterns; /* Rules of the same node. */
    int64_t bound, bound_max;                        /* Counts. */
    uint32_t types;                                  /* Bits for kinds of values. */
    schema_format_fn *format;
    str anchor; /* The anchor of a $dynamicRef that looks for it. */
};

struct schema {
    const struct schema_node *root;
    size_t bucket_count;
    struct schema_node **node;
    struct schema_uri **uri;
    struct schema_anchor **anchor;
};

/* ---- the index (index.c) ---- */

void schema_index_init(struct schema *schema, size_t document_bytes, struct arena *arena);
struct schema_node *schema_find_node(const struct schema *schema, const struct json *value);
void schema_add_node(struct schema *schema, struct schema_node *node);
struct schema_resource *schema_find_resource(const struct schema *schema, str uri);
void schema_add_uri(struct schema *schema, struct schema_uri *uri);
const struct schema_anchor *schema_find_anchor(const struct schema *schema,
                                               const struct schema_resource *resource, str name);
void schema_add_anchor(struct schema *schema, struct schema_anchor *anchor);

/* ---- reading (read.c) ---- */

struct schema_reference {
    struct schema_rule *rule;
    struct schema_reference *next;
};

struct schema_reader {
    struct schema *schema;
    const struct schema_options *options;
    struct arena *arena;
    size_t arena_start;
    size_t node_count;
    struct schema_node *unread; /* Nodes whose keywords have not been read. */
    struct schema_reference *unresolved;
};

/* Fails at a node's keyword; at the node itself if it is empty. */
__attribute__((format(printf, 5, 6))) enum status schema_refuse(const struct schema_node *node, str keyword,
                                                                enum status status, struct error *err,
                                                                const char *format, ...);

/* Adds the pointer of a node, and of a keyword of it if that is not empty. */
void schema_print_place(const struct schema_node *node, str keyword, struct buf *out);

/* A node for the value, which is unread if it is new. */
enum status schema_enter(struct schema_reader *reader, const struct schema_node *parent,
                         struct schema_step step, struct schema_resource *resource, const struct json *value,
                         const struct schema_node **ret_node, struct error *err);

/* Fails if the compiled schema takes too much memory. */
enum status schema_afford(const struct schema_reader *reader, struct error *err);

/* Read functions of keywords that hold schemas: one, an array, an object of them. */
schema_read_fn schema_read_one, schema_read_list, schema_read_named;

/* Read functions for values of one kind. */
schema_read_fn schema_read_any, schema_read_number, schema_read_count, schema_read_text, schema_read_names;

/* Sorts the rule's named schemas. */
void schema_sort_named(struct schema_rule *rule, struct arena *arena);
const struct schema_named *schema_find_named(const struct schema_rule *rule, str name);

/* The rule of the node's keyword that has been read before, or NULL. */
const struct schema_rule *schema_sibling(const struct schema_node *node, const char *keyword);

/* ---- checking (apply.c) ---- */

/* A part of the value, and the way to it. */
struct schema_place {
    const struct schema_place *up;
    const struct json *value;
    str name;
    size_t index;
    bool element;
};

/* Which members or items of one value schemas have looked at. */
struct schema_marks {
    uint64_t *bit;
    size_t count;
};

struct schema_run {
    const struct schema *schema;
    struct arena *arena;
    struct error *err;
    int64_t *fuel;
    enum status status;
    uint32_t depth;
    uint32_t quiet; /* Larger than 0: nothing is reported, and the first problem decides. */
    struct regex_matcher matcher;
    const struct schema_resource **scope; /* Resources that schemas were applied in, the outermost first. */
    uint32_t scope_count;
    struct schema_problem *problem;
    size_t problem_count;
};

/* Is the value valid? `marks`, if given, gets what the schema looked at; it means nothing if the value is
 * not. */
bool schema_apply(struct schema_run *run, const struct schema_node *node, const struct schema_place *place,
                  struct schema_marks *marks);

/* The same without a report, and marks change only if the value is valid. */
bool schema_try(struct schema_run *run, const struct schema_node *node, const struct schema_place *place,
                struct schema_marks *marks);

/* Pays, or fails the run. */
bool schema_spend(struct schema_run *run, size_t operations);

/* Fails the run. Returns false. */
bool schema_fail(struct schema_run *run, const char *message);

/* Should a rule look for further problems after one? */
static inline bool schema_goes_on(const struct schema_run *run)
{
    return run->status == ST_OK && !run->quiet && run->problem_count < SCHEMA_PROBLEMS_MAX;
}

/* Reports a problem and returns false. */
__attribute__((format(printf, 4, 5))) bool schema_report(struct schema_run *run,
                                                         const struct schema_rule *rule,
                                                         const struct schema_place *place, const char *format,
                                                         ...);

/* Does the text match? False also if the run fails. */
bool schema_matches(struct schema_run *run, const struct regex *regex, str text);

static inline void schema_mark(struct schema_marks *marks, size_t index)
{
    if (marks) marks->bit[index / 64] |= UINT64_C(1) << index % 64;
}

static inline bool schema_is_marked(const struct schema_marks *marks, size_t index)
{
    return marks->bit[index / 64] >> index % 64 & 1;
}

static inline struct schema_place schema_member(const struct schema_place *up, const struct json_each *each)
{
    return (struct schema_place){ .up = up, .value = each->value, .name = each->name };
}

static inline struct schema_place schema_element(const struct schema_place *up, const struct json *value,
                                                 size_t index)
{
    return (struct schema_place){ .up = up, .value = value, .index = index, .element = true };
}

/* ---- parts ---- */

/* Resolves a reference against an absolute or empty base (uri.c). */
str schema_uri_resolve(str base, str reference, struct arena *arena);
/* Cuts the text at its first #. */
str schema_uri_split(str uri, str *ret_fragment);
/* Without %XX; false if there is a wrong one. */
bool schema_uri_decode(str text, struct arena *arena, str *ret_text);

/* A pattern of ECMAScript, or NULL and a message (pattern.c). */
const struct regex *schema_pattern(str pattern, struct arena *arena, char message[REGEX_MESSAGE_BYTES]);

/* A built-in meta-schema, or NULL (metaschemas.c). */
const struct json *schema_metaschema(str uri, struct arena *arena);

/* The keywords, in the order of reading and checking (keywords.c). */
const struct schema_keyword *schema_keyword_at(size_t index); /* NULL behind the last. */

/* A format by its name, or NULL (format.c). */
schema_format_fn *schema_format(str name, enum schema_draft draft);

#endif
