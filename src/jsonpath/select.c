/* jsonpath/select.c — the nodes a path selects, as a list or as one value. */
#include "jsonpath/run_int.h"

#include "base/must.h"

static enum status finish_run(const struct jsonpath_run *run, int64_t *fuel)
{
    *fuel = run->fuel > 0 ? run->fuel : 0;
    return run->status;
}

/* Field by field: most runs follow a short path, and clearing all of the struct would be a part of their
 * cost. */
static inline void start_run(struct jsonpath_run *run, const struct json *root, int64_t fuel,
                             struct arena *arena, struct error *err)
{
    must(root);
    run->root = root;
    run->arena = arena;
    run->err = err;
    run->status = ST_OK;
    run->fuel = run->fuel_given = fuel;
    run->depth = 0;
    run->test = jsonpath_test;
    run->matcher = (struct regex_matcher){ .arena = arena };
    run->pattern_text = NULL;
}

enum status jsonpath_select(const struct jsonpath *path, const struct json *root, int64_t *fuel,
                            struct arena *arena, const struct json *const **ret_node, size_t *ret_count,
                            struct error *err)
{
    struct jsonpath_run run;
    start_run(&run, root, *fuel, arena, err);
    struct buf list;
    buf_init(&list, arena);
    struct jsonpath_walk walk = {
        .run = &run, .query = &path->query, .count_enough = SIZE_MAX, .list = &list
    };
    jsonpath_walk(&walk, root);
    TRY(finish_run(&run, fuel));
    *ret_node = (const struct json *const *)(void *)list.p;
    *ret_count = walk.count;
    return ST_OK;
}

/* The nodes as one array; copying is paid for, too. */
static const struct json *array_of_nodes(struct jsonpath_run *run, const struct buf *list)
{
    enum { COPY_BYTES_PER_FUEL = 64 };
    const struct json *const *node = (const struct json *const *)(void *)list->p;
    size_t count = list->n / sizeof *node;
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++) bytes += json_bytes(node[i]);
    if (bytes > EXPRESSION_VALUE_BYTES_MAX) {
        jsonpath_run_fail(run, "the path selects a value of more than %d bytes (EXPRESSION_VALUE_BYTES_MAX)",
                          EXPRESSION_VALUE_BYTES_MAX);
        return NULL;
    }
    if (!jsonpath_spend(run, bytes / COPY_BYTES_PER_FUEL)) return NULL;
    struct json_builder builder;
    json_builder_init(&builder, run->arena);
    json_open_array(&builder);
    for (size_t i = 0; i < count; i++) json_add(&builder, node[i]);
    json_close(&builder);
    return json_built(&builder);
}

enum status jsonpath_value(const struct jsonpath *path, const struct json *root, int64_t *fuel,
                           struct arena *arena, const struct json **ret_value, struct error *err)
{
    struct jsonpath_run run;
    start_run(&run, root, *fuel, arena, err);
    const struct json *value;
    if (path->query.definite) {
        value = jsonpath_follow(&run, &path->query, root);
    } else {
        struct buf list;
        buf_init(&list, arena);
        struct jsonpath_walk walk = {
            .run = &run, .query = &path->query, .count_enough = SIZE_MAX, .list = &list
        };
        jsonpath_walk(&walk, root);
        value = run.status == ST_OK ? array_of_nodes(&run, &list) : NULL;
    }
    TRY(finish_run(&run, fuel));
    *ret_value = value;
    return ST_OK;
}
