/* jsonpath/walk.c — walking along a path.
 *
 * RFC 9535 makes a list of nodes from a list of nodes, segment by segment. The walk here goes
 * to the end with the first node, then with the next: the same nodes in the same order, no
 * lists in between, and a filter that only asks whether there is a node stops at the first.
 *
 * The stack grows with the depth of the document and of filters inside each other, never with
 * the number of nodes; PATH_STACK_MAX bounds it.
 */
#include "jsonpath/run_int.h"

#include "base/must.h"

/* ---- budgets ---- */

bool jsonpath_exhausted(struct jsonpath_run *run)
{
    if (arena_over(run->arena)) {
        jsonpath_run_fail(run, "the path used up its budget of %zu bytes of memory (step_bytes_max)",
                          run->arena->budget);
    } else {
        jsonpath_run_fail(run, "the path used up its budget of %lld operations (fuel_max)",
                          (long long)run->fuel_given);
        run->fuel = 0;
    }
    return false;
}

static bool enter(struct jsonpath_run *run)
{
    if (run->depth == PATH_STACK_MAX) {
        jsonpath_run_fail(run,
                          "the path leads more than %d levels deep into values and filters (PATH_STACK_MAX)",
                          PATH_STACK_MAX);
        return false;
    }
    run->depth++;
    return true;
}

static void leave(struct jsonpath_run *run) { run->depth--; }

/* ---- definite segments ---- */

static const struct json *child_at(const struct json *node, int64_t index)
{
    if (json_kind(node) != JSON_ARRAY) return NULL;
    if (index < 0) index += (int64_t)json_count(node);
    return index < 0 ? NULL : json_item(node, (size_t)index);
}

static const struct json *child_of(const struct json *node, const struct jsonpath_selector *selector)
{
    return selector->kind == SELECT_NAME ? json_get(node, selector->name) : child_at(node, selector->index);
}

const struct json *jsonpath_follow(struct jsonpath_run *run, const struct jsonpath_query *query,
                                   const struct json *node)
{
    if (!jsonpath_spend(run, query->count + 1)) return NULL;
    for (uint32_t i = 0; node && i < query->count; i++) node = child_of(node, query->segment[i].selector);
    return node;
}

/* ---- the walk ---- */

static bool walk_from(struct jsonpath_walk *walk, size_t segment, const struct json *node);

static bool walk_slice(struct jsonpath_walk *walk, size_t segment, const struct jsonpath_selector *selector,
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

static bool walk_children(struct jsonpath_walk *walk, size_t segment, const struct jsonpath_condition *filter,
                          const struct json *node)
{
    struct json_each each = json_each(node);
    while (json_next(&each)) {
        if (filter) {
            bool holds = jsonpath_spend(walk->run, 1) && walk->run->test(walk->run, filter, each.value);
            if (walk->run->status != ST_OK) return false;
            if (!holds) continue;
        }
        if (!walk_from(walk, segment + 1, each.value)) return false;
    }
    return true;
}

static bool walk_selectors(struct jsonpath_walk *walk, size_t index, const struct json *node)
{
    const struct jsonpath_segment *segment = &walk->query->segment[index];
    for (uint32_t i = 0; i < segment->count; i++) {
        const struct jsonpath_selector *selector = &segment->selector[i];
        const struct json *child;
        bool more = true;
        switch (selector->kind) {
        case SELECT_NAME:
        case SELECT_INDEX:
            child = jsonpath_spend(walk->run, 1) ? child_of(node, selector) : NULL;
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
static bool walk_descendants(struct jsonpath_walk *walk, size_t segment, const struct json *node)
{
    if (json_kind(node) < JSON_ARRAY) return jsonpath_spend(walk->run, 1);
    if (!enter(walk->run)) return false;
    bool more = jsonpath_spend(walk->run, 1) && walk_selectors(walk, segment, node);
    struct json_each each = json_each(node);
    while (more && json_next(&each)) more = walk_descendants(walk, segment, each.value);
    leave(walk->run);
    return more;
}

static bool take_node(struct jsonpath_walk *walk, const struct json *node)
{
    if (walk->count++ == 0) walk->first = node;
    if (walk->list) {
        if (walk->count > JSON_MEMBERS_MAX) {
            jsonpath_run_fail(walk->run, "the path selects more than %d nodes (JSON_MEMBERS_MAX)",
                              JSON_MEMBERS_MAX);
            return false;
        }
        buf_add(walk->list, &node, sizeof node);
    }
    return walk->count < walk->count_enough;
}

static bool walk_from(struct jsonpath_walk *walk, size_t index, const struct json *node)
{
    const struct jsonpath_query *query = walk->query;
    if (!jsonpath_spend(walk->run, 1)) return false;
    for (; index < query->count && query->segment[index].definite; index++) {
        if (!jsonpath_spend(walk->run, 1)) return false;
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

bool jsonpath_walk(struct jsonpath_walk *walk, const struct json *node) { return walk_from(walk, 0, node); }
