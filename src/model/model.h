/* model/model.h — models of entities: what samples look like, and whether a value fits.
 *
 * A schema is a tree that grows out of sample data. Every node has the set of types that were seen at its
 * place: leaf types, OBJECT with named fields in the order in which they were first seen, ARRAY with one node
 * for all elements and the greatest length seen. A field may have several of them at once. Merging only adds.
 * A schema never changes, so threads share it without a lock; it lives in the arena in which it was made and
 * borrows nothing from samples.
 *
 * Texts are STRING, whatever they look like: "2024" and "2024-05-01" are texts. Numbers have types by their
 * exact value:
 *
 *     INTEGER          an integer of 32 bits; 1.0 and 1e2 are integers
 *     LONG             of 64 bits
 *     BIG_INTEGER      of 128 bits
 *     UNBOUND_INTEGER  any other integer
 *     DOUBLE           no integer, at most 15 digits, at most 292 of them behind the point
 *     BIG_DECIMAL      no integer, fits 128 bits when multiplied by 10^18: 18 digits behind the point,
 *                      about 20 before it
 *     UNBOUND_DECIMAL  any other number
 *
 * A value of one type is accepted where another is expected if its type *widens* to that one ("x"; a type
 * widens to itself):
 *
 *     from \ to         INTEGER LONG BIG_INTEGER UNBOUND_INTEGER DOUBLE BIG_DECIMAL UNBOUND_DECIMAL   others
 *     INTEGER              x     x        x             x           x        x             x             -
 *     LONG                 -     x        x             x           -        x             x             -
 *     BIG_INTEGER          -     -        x             x           -        -             x             -
 *     UNBOUND_INTEGER      -     -        -             x           -        -             x             -
 *     DOUBLE               -     -        -             -           x        -             x             -
 *     BIG_DECIMAL          -     -        -             -           -        x             x             -
 *     UNBOUND_DECIMAL      -     -        -             -           -        -             x             -
 *     STRING, BOOLEAN, OBJECT, ARRAY: to itself only        NULL: to every type
 *
 * The rule behind it: every value of the one type is a value of the other, exactly. LONG has 19 digits, which
 * DOUBLE has not and BIG_DECIMAL has. BIG_INTEGER has 39, and BIG_DECIMAL keeps 18 of these behind the point.
 * DOUBLE reaches 292 digits behind the point, BIG_DECIMAL 18. No number widens to STRING: the text of 1.0 and
 * of 1 differ.
 *
 * A node keeps only types that widen to no other of its types: what it accepts stays the same. So NULL stands
 * alone or not at all: it means that nothing but null was seen, or nothing at all (the elements of []).
 */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/status.h"
#include "json/json.h"

/* ---- types ---- */

/* clang-format off */
#define MODEL_TYPE_MAP(XX) \
    XX(INTEGER)            \
    XX(LONG)               \
    XX(BIG_INTEGER)        \
    XX(UNBOUND_INTEGER)    \
    XX(DOUBLE)             \
    XX(BIG_DECIMAL)        \
    XX(UNBOUND_DECIMAL)    \
    XX(STRING)             \
    XX(BOOLEAN)            \
    XX(NULL)               \
    XX(OBJECT)             \
    XX(ARRAY)
/* clang-format on */

enum model_type {
#define XX(NAME) MODEL_##NAME,
    MODEL_TYPE_MAP(XX)
#undef XX
        MODEL_TYPE_COUNT
};

typedef uint16_t model_types; /* A set: bit 1 << type for each. */

static inline model_types model_type_bit(enum model_type type) { return (model_types)(1u << type); }
static inline bool model_types_have(model_types types, enum model_type type)
{
    return (types & model_type_bit(type)) != 0;
}

const char *model_type_name(enum model_type type); /* "BIG_INTEGER" */
bool model_type_find(str name, enum model_type *ret_type);

enum model_type model_type_of(const struct json *value);

bool model_widens(enum model_type from, enum model_type to);

/* Without those that widen to another member. */
model_types model_types_widest(model_types types);

/* An array of names, as JSON: ["INTEGER","STRING"]. */
void model_put_types(struct buf *out, model_types types);

/* ---- schemas ---- */

struct model_schema; /* Opaque: model/model_int.h. */

/* A schema from sample data: an object, or an array of objects, which are merged. Fails with ST_INVALID if
 * the sample is something else, and with ST_LIMIT beyond the limits of model/limits.h; `where` is the path of
 * the place. */
enum status model_infer(const struct json *sample, struct arena *arena,
                        const struct model_schema **ret_schema, struct error *err);

/* Both together: a's fields, then those that only b has. Accepts what either accepts. Fails with ST_LIMIT. */
enum status model_merge(const struct model_schema *a, const struct model_schema *b, struct arena *arena,
                        const struct model_schema **ret_schema, struct error *err);

/* An object, or a list of objects, from which model_infer() makes a schema with the same types at the same
 * places. */
const struct json *model_sample(const struct model_schema *schema, struct arena *arena);

/* About the memory that it uses. */
size_t model_bytes(const struct model_schema *schema);

/* ---- values ---- */

/* How far values may change the schema of a locked model. Each level allows what the levels before it allow,
 * too.
 *
 *   NONE            nothing. Arrays may have any length, though: the length is a note, never a bound.
 *   ARRAY_LENGTH    the greatest length of an array is noted when it grows.
 *   ARRAY_ELEMENTS  elements of an array get further leaf types, also elements of arrays in arrays; not
 *                   fields of objects in them.
 *   TYPE            any field gets further leaf types, also one of which only null was seen.
 *   STRUCTURAL      objects get new fields; places of which only null was seen become objects or arrays.
 *
 * No level makes an object, an array or a leaf out of a place that is known as one of the others: that is
 * refused as POLYMORPHIC_SLOT. Samples can do it: an import of samples of both kinds makes a place that has
 * both. */
/* clang-format off */
#define MODEL_LEVEL_MAP(XX) \
    XX(ARRAY_LENGTH)        \
    XX(ARRAY_ELEMENTS)      \
    XX(TYPE)                \
    XX(STRUCTURAL)
/* clang-format on */

enum model_level {
    MODEL_LEVEL_NONE,
#define XX(NAME) MODEL_LEVEL_##NAME,
    MODEL_LEVEL_MAP(XX)
#undef XX
        MODEL_LEVEL_COUNT
};

const char *model_level_name(enum model_level level);         /* "ARRAY_LENGTH"; "" for NONE. */
bool model_level_find(str name, enum model_level *ret_level); /* Never NONE. */

/* The first thing that is wrong with a value, in the order of the value. Texts live in the arena of the
 * check. */
struct model_problem {
    const char
        *code; /* BAD_REQUEST: a field that the model does not have. INCOMPATIBLE_TYPE. POLYMORPHIC_SLOT. */
    str path;  /* address.zip, laureates[2].share, ['odd name']; $ for the value itself. */
    model_types expected;   /* Empty with BAD_REQUEST, as `actual` means nothing then. */
    enum model_type actual; /* Also OBJECT and ARRAY. */
    str message;            /* A sentence with the path. */
};

/* Does the value fit? Missing fields are fine, null fits every field. True, and *ret_changes says whether it
 * fits only after model_extend(); else false and the problem. The value is an object, at most JSON_DEPTH_MAX
 * deep. */
bool model_check(const struct model_schema *schema, const struct json *value, enum model_level level,
                 struct arena *arena, bool *ret_changes, struct model_problem *ret_problem);

/* The schema with what the value adds to it, for a value that model_check() lets pass with changes. The new
 * schema accepts the value at level NONE, and all that the old one accepts. Fails with ST_LIMIT. */
enum status model_extend(const struct model_schema *schema, const struct json *value, struct arena *arena,
                         const struct model_schema **ret_schema, struct error *err);

/* ---- searches ---- */

enum model_found { MODEL_FOUND, MODEL_NOT_FOUND, MODEL_BAD_PATH };

/* Looks for a path: $, then steps .name ['name'] ["name"] [*] [0] [-1], as predicates write them. $.a.0.b is
 * $.a[0].b unless an object at $.a has a field "0". In quotes there are the escapes of JSON; before any other
 * character a \ changes nothing. Gives the types of the place. */
enum model_found model_find(const struct model_schema *schema, str path, model_types *ret_types);

/* ---- stored form ---- */

/* A value with a version in it. */
const struct json *model_encode(const struct model_schema *schema, struct arena *arena);

/* Fails with ST_INVALID on what model_encode() does not write, and with ST_LIMIT beyond the limits. */
enum status model_decode(const struct json *stored, struct arena *arena,
                         const struct model_schema **ret_schema, struct error *err);

/* ---- exports ---- */

/* SIMPLE_VIEW: an object with a member for each object of the model, named by its path:
 *
 *     {"$": {".name": "STRING", ".price": "[LONG, DOUBLE]", ".tags[*]": "(STRING x 3)",
 *            "#.address": "OBJECT", "#.items": "OBJECT"},
 *      "$.address": {".zip": "STRING"},
 *      "$.items[*]": {"#": "ARRAY_ELEMENT", ".sku": "STRING"}}
 *
 * A name that is not made of letters, digits, _ and - is written ['so'] without the point before it. */
void model_put_simple_view(const struct model_schema *schema, struct buf *out);

/* JSON_SCHEMA: draft 2020-12. Accepts every value that fits at level NONE; of numbers it knows only integers,
 * their bounds up to 64 bits, and others. */
void model_put_json_schema(const struct model_schema *schema, struct buf *out);

#endif
