/* model/model_int.h — the nodes of a schema, for this folder only.
 *
 *  (1) `types` is never empty, and no member widens to another.
 *  (2) OBJECT is a member if there are fields, ARRAY if there is an element, and the other way round: a node
 *      with ARRAY has an element, whose types are NULL while none was seen.
 *  (3) `by_name` has the indexes of all fields, sorted by the bytes of their names.
 */
#ifndef MODEL_MODEL_INT_H
#define MODEL_MODEL_INT_H

#include "model/model.h"

#include "model/limits.h"

struct model_node;

struct model_field {
    str name;
    struct model_node *node;
};

struct model_node {
    model_types types;
    uint32_t length_max; /* The greatest length seen of an array. */
    struct model_node *element;
    struct model_field *field;
    size_t field_count, field_cap;
    uint32_t *by_name;
    size_t by_name_cap;
};

struct model_schema {
    struct model_node *root;
    size_t node_count;
    size_t bytes;
};

/* ---- types ---- */

enum { MODEL_NULL_ONLY = 1 << MODEL_NULL, MODEL_CONTAINERS = 1 << MODEL_OBJECT | 1 << MODEL_ARRAY };

/* INTEGER, "[A, B]" if there are several: names in a sentence or a view. */
void model_print_types(struct buf *out, model_types types);

/* ---- places (place.c) ---- */

/* Where a walk stands: a chain on the stack, from the place to the root. */
struct model_place {
    const struct model_place *up; /* NULL: the root. */
    str name;                     /* The name of a field. */
    size_t index;                 /* The index of an element, or PLACE_EACH. */
    bool element;
    uint32_t depth; /* The root has 0. */
};

#define PLACE_EACH SIZE_MAX

struct model_place place_root(void);
struct model_place place_field(const struct model_place *up, str name);
struct model_place place_element(const struct model_place *up, size_t index);

/* The length of the path of a schema's place, with $ and [*]. */
size_t place_bytes(const struct model_place *place);

/* A name made of letters, digits, _ and -, and of characters outside of ASCII. */
bool place_is_plain(str name);

/* .name or ['name'] */
void place_print_name(struct buf *out, str name);

/* From the root: `root`, then .a['b c'][0] or [*]. */
void place_print(struct buf *out, str root, const struct model_place *place);

/* ---- growing (grow.c) ---- */

/* A schema that is being made. */
struct model_growth {
    struct arena *arena;
    struct model_schema *schema;
    struct error *err;
};

/* A new schema whose root is an object without fields. */
struct model_growth grow_begin(struct arena *arena, struct error *err);

/* The field, or NULL. `hint`: the index at which it probably is. */
struct model_node *grow_find_field(const struct model_node *object, str name, size_t hint);

/* The field with this name, which is added if it is not there. `place` is that of the field. Fails with
 * ST_LIMIT. */
enum status grow_field(struct model_growth *growth, struct model_node *object,
                       const struct model_place *place, size_t hint, struct model_node **ret_node);

/* The node of the elements, which is added if it is not there. */
enum status grow_element(struct model_growth *growth, struct model_node *array,
                         const struct model_place *place, struct model_node **ret_node);

enum status grow_by_value(struct model_growth *growth, struct model_node *node, const struct json *value,
                          const struct model_place *place);
enum status grow_by_node(struct model_growth *growth, struct model_node *node, const struct model_node *other,
                         const struct model_place *place);

#endif
