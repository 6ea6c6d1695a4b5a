/* schema/read.c — nodes of a document, and the values of their keywords. */
#include "schema/schema_int.h"

#include "base/sort.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- places ---- */

static void print_step(const struct schema_step *step, struct buf *out)
{
    if (!step->keyword.p) {
        buf_add_str(out, step->name);
        return;
    }
    json_pointer_add(out, step->keyword);
    if (step->element) buf_printf(out, "/%zu", step->index);
    else if (step->name.p) json_pointer_add(out, step->name);
}

void schema_print_place(const struct schema_node *node, str keyword, struct buf *out)
{
    const struct schema_step *step[JSON_DEPTH_MAX + 1];
    size_t count = 0;
    for (; node->parent && count < COUNT(step); node = node->parent) step[count++] = &node->step;
    buf_add_str(out, node->resource->where);
    while (count) print_step(step[--count], out);
    if (keyword.n) json_pointer_add(out, keyword);
}

enum status schema_refuse(const struct schema_node *node, str keyword, enum status status, struct error *err,
                          const char *format, ...)
{
    if (!err) return status;
    struct arena arena;
    struct buf where;
    char message[ERROR_MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    arena_init(&arena, 0);
    buf_init(&where, &arena);
    schema_print_place(node, keyword, &where);
    buf_add_char(&where, '\0');
    fail(err, status, where.p, "%s", message);
    arena_done(&arena);
    return status;
}

/* ---- nodes ---- */

enum status schema_afford(const struct schema_reader *reader, struct error *err)
{
    if (reader->arena->used - reader->arena_start <= SCHEMA_MEMORY_MAX && !arena_over(reader->arena))
        return ST_OK;
    return fail(err, ST_LIMIT, "",
                "the schema takes more than %d MiB when it is compiled (SCHEMA_MEMORY_MAX)",
                SCHEMA_MEMORY_MAX >> 20);
}

enum status schema_enter(struct schema_reader *reader, const struct schema_node *parent,
                         struct schema_step step, struct schema_resource *resource, const struct json *value,
                         const struct schema_node **ret_node, struct error *err)
{
    struct schema_node *node = schema_find_node(reader->schema, value);
    if (node) {
        *ret_node = node;
        return ST_OK;
    }
    const struct schema_node look = { .parent = parent, .step = step, .resource = resource };
    if (!json_is(value, JSON_OBJECT) && !json_is(value, JSON_BOOL))
        return schema_refuse(&look, STR_NONE, ST_INVALID, err, "must be a schema: an object, true or false");
    if (reader->node_count++ >= SCHEMA_NODES_MAX)
        return schema_refuse(&look, STR_NONE, ST_LIMIT, err, "more than %d schemas (SCHEMA_NODES_MAX)",
                             SCHEMA_NODES_MAX);
    TRY(schema_afford(reader, err));
    node = arena_make(reader->arena, struct schema_node);
    *node = look;
    node->value = value;
    node->next_unread = reader->unread;
    reader->unread = node;
    schema_add_node(reader->schema, node);
    *ret_node = node;
    return ST_OK;
}

/* ---- keywords that hold schemas ---- */

enum status schema_read_one(struct schema_reader *reader, const struct schema_node *node,
                            struct schema_rule *rule, struct error *err)
{
    rule->node = arena_make_n(reader->arena, const struct schema_node *, 1);
    rule->count = 1;
    struct schema_step step = { .keyword = rule->keyword->name };
    return schema_enter(reader, node, step, node->resource, rule->value, &rule->node[0], err);
}

enum status schema_read_list(struct schema_reader *reader, const struct schema_node *node,
                             struct schema_rule *rule, struct error *err)
{
    if (!json_is(rule->value, JSON_ARRAY) || !json_count(rule->value))
        return schema_refuse(node, rule->keyword->name, ST_INVALID, err,
                             "must be an array of at least one schema");
    rule->node = arena_make_n(reader->arena, const struct schema_node *, json_count(rule->value));
    struct schema_step step = { .keyword = rule->keyword->name, .element = true };
    struct json_each each = json_each(rule->value);
    for (; json_next(&each); rule->count++) {
        step.index = rule->count;
        TRY(schema_enter(reader, node, step, node->resource, each.value, &rule->node[rule->count], err));
    }
    return ST_OK;
}

static int compare_names(const void *a, const void *b, const void *context)
{
    (void)context;
    return str_compare(((const struct schema_named *)a)->name, ((const struct schema_named *)b)->name);
}

void schema_sort_named(struct schema_rule *rule, struct arena *arena)
{
    struct schema_named *scratch = arena_make_n(arena, struct schema_named, rule->count);
    sort_stable(rule->named, scratch, rule->count, sizeof *scratch, compare_names, NULL);
}

const struct schema_named *schema_find_named(const struct schema_rule *rule, str name)
{
    size_t low = 0, high = rule ? rule->count : 0;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = str_compare(rule->named[middle].name, name);
        if (order == 0) return &rule->named[middle];
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return NULL;
}

enum status schema_read_named(struct schema_reader *reader, const struct schema_node *node,
                              struct schema_rule *rule, struct error *err)
{
    if (!json_is(rule->value, JSON_OBJECT))
        return schema_refuse(node, rule->keyword->name, ST_INVALID, err, "must be an object of schemas");
    rule->named = arena_make_n(reader->arena, struct schema_named, json_count(rule->value));
    struct json_each each = json_each(rule->value);
    while (json_next(&each)) {
        struct schema_named *named = &rule->named[rule->count++];
        struct schema_step step = { .keyword = rule->keyword->name, .name = each.name };
        named->name = each.name;
        TRY(schema_enter(reader, node, step, node->resource, each.value, &named->node, err));
    }
    schema_sort_named(rule, reader->arena);
    return ST_OK;
}

/* ---- plain keywords ---- */

enum status schema_read_any(struct schema_reader *reader, const struct schema_node *node,
                            struct schema_rule *rule, struct error *err)
{
    (void)reader;
    (void)node;
    (void)rule;
    (void)err;
    return ST_OK;
}

enum status schema_read_number(struct schema_reader *reader, const struct schema_node *node,
                               struct schema_rule *rule, struct error *err)
{
    (void)reader;
    if (json_is(rule->value, JSON_NUMBER)) return ST_OK;
    return schema_refuse(node, rule->keyword->name, ST_INVALID, err, "must be a number");
}

enum status schema_read_count(struct schema_reader *reader, const struct schema_node *node,
                              struct schema_rule *rule, struct error *err)
{
    (void)reader;
    if (!json_is_integer(rule->value) || json_double(rule->value) < 0)
        return schema_refuse(node, rule->keyword->name, ST_INVALID, err,
                             "must be an integer that is not negative");
    if (!json_int64(rule->value, &rule->bound)) rule->bound = INT64_MAX; /* More than any value has. */
    return ST_OK;
}

enum status schema_read_text(struct schema_reader *reader, const struct schema_node *node,
                             struct schema_rule *rule, struct error *err)
{
    (void)reader;
    if (json_is(rule->value, JSON_STRING)) return ST_OK;
    return schema_refuse(node, rule->keyword->name, ST_INVALID, err, "must be a string");
}

enum status schema_read_names(struct schema_reader *reader, const struct schema_node *node,
                              struct schema_rule *rule, struct error *err)
{
    (void)reader;
    bool good = json_is(rule->value, JSON_ARRAY);
    struct json_each each = json_each(rule->value);
    while (good && json_next(&each)) good = json_is(each.value, JSON_STRING);
    if (good) return ST_OK;
    return schema_refuse(node, rule->keyword->name, ST_INVALID, err, "must be an array of strings");
}

const struct schema_rule *schema_sibling(const struct schema_node *node, const char *keyword)
{
    str name = str_of(keyword);
    for (uint32_t i = 0; i < node->rule_count; i++)
        if (str_equal(node->rule[i].keyword->name, name)) return &node->rule[i];
    return NULL;
}
