/* dialect/serverless/lower_names.c — the names of nodes.
 *
 *     "x"          a state at the top level whose name no other state there has
 *     "x#id"       one of several states with that name
 *     "P/b1/x"     a state of branch b1 of state P
 *     "x/wait"     an inner node of state x
 *     "x/f", "x/f#2"    its action f; the second of its actions, if others are called f, too
 *
 * Names are stored with running instances, so the same document must give the same names in every version of
 * the engine: this scheme cannot be changed. Where two names would be equal, the later one in document order
 * gets as many apostrophes as it needs to differ.
 */
#include "dialect/serverless/lower_int.h"

#include "base/must.h"
#include "base/text_map.h"
#include "base/utf8.h"

enum { NAMES_FIRST = 64, NAME_KEPT_BYTES = NODE_NAME_BYTES_MAX - 16 };

static str *find_slot(const struct name_set *names, str name)
{
    must(names->cap && !(names->cap & (names->cap - 1)) && names->count < names->cap);
    size_t at = text_map_hash(name) & (names->cap - 1);
    while (names->slot[at].p && !str_equal(names->slot[at], name)) at = (at + 1) & (names->cap - 1);
    return &names->slot[at];
}

static void make_room(struct name_set *names, struct arena *arena)
{
    if (names->cap && names->count * 2 < names->cap) return;
    struct name_set grown = { .cap = names->cap ? names->cap * 2 : NAMES_FIRST, .count = names->count };
    grown.slot = arena_make_n(arena, str, grown.cap);
    for (size_t i = 0; i < names->cap; i++)
        if (names->slot[i].p) *find_slot(&grown, names->slot[i]) = names->slot[i];
    *names = grown;
}

/* Names of branches inside branches add up: a number stands for the rest of a long one. */
static str shortened(struct lowering *lowering, str name)
{
    if (name.n <= NODE_NAME_BYTES_MAX) return name;
    str kept = utf8_cut(name, NAME_KEPT_BYTES);
    must(kept.n <= NAME_KEPT_BYTES);
    return arena_printf(lowering->arena, "%.*s~%zu", STR_ARG(kept), ++lowering->cut_count);
}

str lower_unique(struct lowering *lowering, str name)
{
    make_room(&lowering->names, lowering->arena);
    name = shortened(lowering, name);
    str *slot = find_slot(&lowering->names, name);
    while (slot->p) {
        name = arena_printf(lowering->arena, "%.*s'", STR_ARG(name));
        slot = find_slot(&lowering->names, name);
    }
    must(!slot->p && name.p);
    *slot = name;
    lowering->names.count++;
    return name;
}

str lower_region_name(const struct program_region *region, size_t count, str name, struct arena *arena)
{
    for (size_t i = 0; i < count; i++) {
        if (!str_equal(region[i].name, name)) continue;
        name = arena_printf(arena, "%.*s'", STR_ARG(name));
        i = SIZE_MAX; /* From the start again. */
    }
    return name;
}

/* Does another state of the scope have the same name? */
static bool is_shared(const struct state_scope *scope, const struct state *state)
{
    for (size_t i = 0; i < scope->count; i++)
        if (&scope->state[i] != state && str_equal(scope->state[i].name, state->name)) return true;
    return false;
}

static str own_name(struct lowering *lowering, const struct state_scope *scope, const struct state *state,
                    str prefix)
{
    bool with_id = state->id.n && is_shared(scope, state);
    return arena_printf(lowering->arena, "%.*s%.*s%s%.*s", STR_ARG(prefix), STR_ARG(state->name),
                        with_id ? "#" : "", STR_ARG(with_id ? state->id : STR("")));
}

static void name_scope(struct lowering *lowering, const struct state_scope *scope, str prefix)
{
    for (size_t i = 0; i < scope->count; i++) {
        struct state *state = &scope->state[i];
        state->node_name = lower_unique(lowering, own_name(lowering, scope, state, prefix));
        if (state->type != STATE_PARALLEL) continue;
        for (size_t k = 0; k < state->as.parallel.count; k++) {
            const struct state_branch *branch = &state->as.parallel.branch[k];
            name_scope(lowering, &branch->scope,
                       arena_printf(lowering->arena, "%.*s/%.*s/", STR_ARG(state->node_name),
                                    STR_ARG(branch->name)));
        }
    }
}

void lower_names(struct lowering *lowering) { name_scope(lowering, &lowering->workflow->scope, STR("")); }
