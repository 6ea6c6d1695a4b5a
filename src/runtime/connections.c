/* runtime/connections.c — secrets that are there, and those that published documents name.
 *
 * On the query thread, in parts: the latest version of each definition first, then the secrets themselves.
 * Facts remember what a version names, so only versions that nobody has looked at take time. A caller learns
 * of secrets that it may use, and of places in definitions that it may read.
 */
#include "runtime/runtime_int.h"

#include "base/array.h"
#include "base/must.h"
#include "runtime/call/sight.h"
#include "runtime/limits.h"
#include "runtime/memory/memory.h"

#include <stdlib.h>

struct connection_listing {
    str after; /* The definition behind which the list goes on. */
    size_t looked_at;
    struct connection_view *item; /* By name. */
    size_t count, cap;
    bool cut;
};

/* ---- names ---- */

/* The place of a name among those that are known; false: it is to be put there. */
static bool find_place(const struct connection_listing *listing, str name, size_t *ret_place)
{
    size_t from = 0, to = listing->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = str_compare(listing->item[middle].name, name);
        if (!order) {
            *ret_place = middle;
            return true;
        }
        if (order < 0) from = middle + 1;
        else to = middle;
    }
    *ret_place = from;
    return false;
}

/* The view of a name, which is added if it is new. */
static struct connection_view *view_of(struct connection_listing *listing, str name, struct arena *arena)
{
    size_t place;
    if (find_place(listing, name, &place)) return &listing->item[place];
    array_reserve_in(arena, listing->item, listing->count, listing->cap);
    for (size_t i = listing->count; i > place; i--) listing->item[i] = listing->item[i - 1];
    listing->item[place] = (struct connection_view){ .name = arena_str(arena, name) };
    listing->count++;
    return &listing->item[place];
}

/* ---- documents ---- */

static void add_place(struct connection_view *view, const struct definition_row *row,
                      const struct fact_use *use, struct arena *arena)
{
    if (!view->use) view->use = arena_make_n(arena, struct connection_use, CONNECTION_USES_MAX);
    view->use_total++;
    if (view->use_count == CONNECTION_USES_MAX) return;
    must(view->use_count < CONNECTION_USES_MAX);
    view->use[view->use_count++] = (struct connection_use){ .definition_id = arena_str(arena, row->id),
                                                            .title = arena_str(arena, row->title),
                                                            .version = row->version,
                                                            .place = arena_str(arena, use->place) };
}

static void add_uses(struct call *call, struct connection_listing *listing, const struct definition_row *row,
                     const struct facts *facts)
{
    const struct sight secrets = sight_of(call), definitions = sight_for(call, MAY_DEFINITIONS_READ);
    bool is_seen = sight_has(&definitions, row->id);
    for (size_t i = 0; is_seen && i < facts->use_count; i++) {
        const struct fact_use *use = &facts->use[i];
        size_t place;
        if (!sight_has(&secrets, use->name)) continue;
        if (listing->count >= CONNECTIONS_NAMED_MAX && !find_place(listing, use->name, &place)) {
            listing->cut = true;
            continue;
        }
        struct connection_view *view = view_of(listing, use->name, call->arena);
        view->kinds |= 1u << use->kind;
        add_place(view, row, use, call->arena);
    }
}

/* A part of the definitions; false: that was the last one. A version without facts takes long. */
static enum status look_at_some(struct query *query, struct call *call, struct connection_listing *listing,
                                bool *ret_more, struct error *err)
{
    struct definition_row *row;
    struct arena rows;
    size_t count = 0, i = 0;
    bool is_slow = false;
    arena_init(&rows, 0);
    enum status status = reader_definitions_after(query->reader, call->ns, listing->after, SUMMARIES_AT_ONCE,
                                                  &rows, &row, &count, err);
    for (; status == ST_OK && i < count && !is_slow; i++) {
        const struct facts *facts;
        is_slow = !facts_peek(&query->facts, row[i].number);
        status = found_needed(facts_get(&query->facts, query->reader, row[i].number, &facts, err));
        if (status == ST_OK) add_uses(call, listing, &row[i], facts);
        listing->after = arena_str(call->arena, row[i].id);
        listing->looked_at++;
    }
    *ret_more = i < count || count == SUMMARIES_AT_ONCE;
    arena_done(&rows);
    return status;
}

/* ---- secrets ---- */

/* A given secret comes before one of the store that has the same name, and counts instead. */
static void add_secrets(struct query *query, struct call *call, struct connection_listing *listing)
{
    const struct answer_secrets *answer = &call->value.secrets;
    for (size_t i = 0; i < answer->count; i++) {
        struct connection_view *view = view_of(listing, answer->view[i].name, call->arena);
        if (!view->secret) view->secret = &answer->view[i];
    }
    for (size_t i = 0; i < listing->count; i++) {
        struct connection_view *view = &listing->item[i];
        /* A variable of the environment has several names, and its own is another one. */
        view->is_set =
            view->secret || (query->vault && vault_has(query->vault, call->ns, view->name, call->arena));
        if (!view->kinds) view->kinds = 1u << CONNECTION_SECRET;
    }
}

enum status connections_list_call(struct query *query, struct call *call, bool *ret_more, struct error *err)
{
    struct answer_secrets *answer = &call->value.secrets;
    struct connection_listing *listing = answer->listing_;
    if (!listing) listing = answer->listing_ = arena_make(call->arena, struct connection_listing);
    TRY(look_at_some(query, call, listing, ret_more, err));
    if (*ret_more && listing->looked_at < CONNECTIONS_LOOKED_AT_MAX) return ST_OK;
    listing->cut |= *ret_more;
    *ret_more = false;
    TRY(secrets_list(query, call, err));
    add_secrets(query, call, listing);
    answer->connection = listing->item;
    answer->connection_count = listing->count;
    answer->cut = listing->cut || answer->more;
    return ST_OK;
}
