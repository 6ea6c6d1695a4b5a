/* jsonpath/select.c — walking along a path.
 *
 * RFC 9535 makes a list of nodes from a list of nodes, segment by segment. The walk here goes
 * to the end with the first node, then with the next: the same nodes in the same order, no
 * lists in between, and a filter that only asks whether there is a node stops at the first.
 *
 * The stack grows with the depth of the document and of filters inside each other, never with
 * the number of nodes; PATH_STACK_MAX bounds it.
 */
#include "jsonpath/jsonpath_int.h"

#include "base/must.h"

/* ---- budgets ---- */

/* Notes a failure; the first one counts. */
#define run_fail(run, ...) \
    ((run)->status == ST_OK ? (void)((run)->status = fail((run)->err, ST_LIMIT, NULL, __VA_ARGS__)) : (void)0)

bool path_exhausted(struct path_run *run)
{
    if (arena_over(run->arena)) {
        run_fail(run, "the path used up its budget of %zu bytes of memory", run->arena->budget);
    } else {
        run_fail(run, "the path used up its budget of %lld operations", (long long)run->fuel_given);
        run->fuel = 0;
    }
    return false;
}

static bool enter(struct path_run *run)
{
    if (run->depth == PATH_STACK_MAX) {
        run_fail(run, "the path leads more than %d levels deep into values and filters", PATH_STACK_MAX);
        return false;
    }
    run->depth++;
    return true;
}

static void leave(struct path_run *run) { run->depth--; }

/* ---- definite segments ---- */

static const struct json *child_at(const struct json *node, int64_t index)
{
    if (json_kind(node) != JSON_ARRAY) return NULL;
    if (index < 0) index += (int64_t)json_count(node);
    return index < 0 ? NULL : json_item(node, (size_t)index);
}

static const struct json *child_of(const struct json *node, const struct path_selector *selector)
{
    return selector->kind == SELECT_NAME ? json_get(node, selector->name) : child_at(node, selector->index);
}

const struct json *path_follow(struct path_run *run, const struct path_query *query, const struct json *node)
{
    if (!path_spend(run, query->count + 1)) return NULL;
    for (uint32_t i = 0; node && i < query->count; i++) node = child_of(node, query->segment[i].selector);
    return node;
}

/* ---- the walk ---- */

static bool walk_from(struct path_walk *walk, size_t segment, const struct json *node);

static bool walk_slice(struct path_walk *walk, size_t segment, const struct path_selector *selector,
                       const struct json *node)
{
    if (json_kind(node) != JSON_ARRAY || selector->step == 0) return true;
    int64_t count = (int64_t)json_count(node), step = selector->step;
    bool up = step > 0;
    int64_t lowest = up ? 0 : -1, highest = up ? count : count - 1;
    int64_t from = selector->has_start ? selector->index : up ? 0 : count - 1;
    int64_t to = selector->has_end ? selector->end : up ? count : -count - 1;
    if (from < 0) from += count;
    if (to < 0) to += count;
    from = from < lowest ? lowest : from > highest ? highest : from;
    to = to < lowest ? lowest : to > highest ? highest : to;
    for (int64_t i = from; up ? i < to : i > to; i += step)
        if (!walk_from(walk, segment + 1, json_item(node, (size_t)i))) return false;
    return true;
}

static bool walk_children(struct path_walk *walk, size_t segment, const struct path_condition *filter,
                          const struct json *node)
{
    struct json_each each = json_each(node);
    while (json_next(&each)) {
        if (filter) {
            bool holds = path_spend(walk->run, 1) && path_test(walk->run, filter, each.value);
            if (walk->run->status != ST_OK) return false;
            if (!holds) continue;
        }
        if (!walk_from(walk, segment + 1, each.value)) return false;
    }
    return true;
}

static bool walk_selectors(struct path_walk *walk, size_t index, const struct json *node)
{
    const struct path_segment *segment = &walk->query->segment[index];
    for (uint32_t i = 0; i < segment->count; i++) {
        const struct path_selector *selector = &segment->selector[i];
        const struct json *child;
        bool more = true;
        switch (selector->kind) {
        case SELECT_NAME:
        case SELECT_INDEX:
            child = path_spend(walk->run, 1) ? child_of(node, selector) : NULL;
            more = walk->run->status == ST_OK && (!child || walk_from(walk, index + 1, child));
            break;
        case SELECT_SLICE: more = walk_slice(walk, index, selector, node); break;
        case SELECT_ALL: more = walk_children(walk, index, NULL, node); break;
        case SELECT_FILTER: more = walk_children(walk, index, selector->filter, node); break;
        }
        if (!more) return false;
    }
    return true;
}

/* The node itself, then its descendants. */
static bool walk_descendants(struct path_walk *walk, size_t segment, const struct json *node)
{
    if (json_kind(node) < JSON_ARRAY) return path_spend(walk->run, 1);
    if (!enter(walk->run)) return false;
    bool more = path_spend(walk->run, 1) && walk_selectors(walk, segment, node);
    struct json_each each = json_each(node);
    while (more && json_next(&each)) more = walk_descendants(walk, segment, each.value);
    leave(walk->run);
    return more;
}

static bool take_node(struct path_walk *walk, const struct json *node)
{
    if (walk->count++ == 0) walk->first = node;
    if (walk->list) {
        if (walk->count > JSON_MEMBERS_MAX) {
            run_fail(walk->run, "the path selects more than %d nodes", JSON_MEMBERS_MAX);
            return false;
        }
        buf_add(walk->list, &node, sizeof node);
    }
    return walk->count < walk->count_enough;
}

static bool walk_from(struct path_walk *walk, size_t index, const struct json *node)
{
    const struct path_query *query = walk->query;
    if (!path_spend(walk->run, 1)) return false;
    for (; index < query->count && query->segment[index].definite; index++) {
        if (!path_spend(walk->run, 1)) return false;
        node = child_of(node, query->segment[index].selector);
        if (!node) return true;
    }
    if (index == query->count) return take_node(walk, node);
    if (!enter(walk->run)) return false;
    bool more = query->segment[index].descendant ? walk_descendants(walk, index, node)
                                                 : walk_selectors(walk, index, node);
    leave(walk->run);
    return more;
}

bool path_walk(struct path_walk *walk, const struct json *node) { return walk_from(walk, 0, node); }

/* ---- for everyone ---- */

static enum status finish_run(const struct path_run *run, int64_t *fuel)
{
    *fuel = run->fuel > 0 ? run->fuel : 0;
    return run->status;
}

static struct path_run start_run(const struct json *root, int64_t fuel, struct arena *arena,
                                 struct error *err)
{
    must(root);
    return (struct path_run){ .root = root,
                              .arena = arena,
                              .err = err,
                              .fuel = fuel,
                              .fuel_given = fuel,
                              .matcher = { .arena = arena } };
}

enum status jsonpath_select(const struct jsonpath *path, const struct json *root, int64_t *fuel,
                            struct arena *arena, const struct json *const **ret_node, size_t *ret_count,
                            struct error *err)
{
    struct path_run run = start_run(root, *fuel, arena, err);
    struct buf list;
    buf_init(&list, arena);
    struct path_walk walk = { .run = &run, .query = &path->query, .count_enough = SIZE_MAX, .list = &list };
    path_walk(&walk, root);
    TRY(finish_run(&run, fuel));
    *ret_node = (const struct json *const *)(void *)list.p;
    *ret_count = walk.count;
    return ST_OK;
}

/* The nodes as one array; copying is paid for, too. */
static const struct json *array_of_nodes(struct path_run *run, const struct buf *list)
{
    enum { COPY_BYTES_PER_FUEL = 64 };
    const struct json *const *node = (const struct json *const *)(void *)list->p;
    size_t count = list->n / sizeof *node;
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++) bytes += json_bytes(node[i]);
    if (bytes > EXPRESSION_VALUE_BYTES_MAX) {
        run_fail(run, "the path selects a value of more than %d bytes", EXPRESSION_VALUE_BYTES_MAX);
        return NULL;
    }
    if (!path_spend(run, bytes / COPY_BYTES_PER_FUEL)) return NULL;
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
    struct path_run run = start_run(root, *fuel, arena, err);
    const struct json *value;
    if (path->query.definite) {
        value = path_follow(&run, &path->query, root);
    } else {
        struct buf list;
        buf_init(&list, arena);
        struct path_walk walk = {
            .run = &run, .query = &path->query, .count_enough = SIZE_MAX, .list = &list
        };
        path_walk(&walk, root);
        value = run.status == ST_OK ? array_of_nodes(&run, &list) : NULL;
    }
    TRY(finish_run(&run, fuel));
    *ret_value = value;
    return ST_OK;
}
