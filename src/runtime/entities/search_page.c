/* runtime/entities/search_page.c — what a search finds, a page at a time, newest first. See search.h.
 *
 * Members of a model and those in one state stand in the order of their creation, so these are walked from
 * the last to the first, and a page costs what is on it. Through an index all ids are read first; if it leads
 * to too many, the members are walked instead. A page that has looked at SEARCH_LEAF_LOOKED_MAX entities
 * ends, so it may be short, or empty, and have a next one.
 */
#include "runtime/entities/entities_int.h"

#include "base/array.h"
#include "base/must.h"
#include "runtime/call/call.h"
#include "runtime/entities/search.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

/* How far the page is. */
struct search_leaf {
    struct search search;
    struct call *call;
    bool walks;      /* Through one range, backwards; else the ids are read first. */
    uint64_t before; /* Only instances below. */
    size_t looked, bytes;
    struct entity_view *view;
    size_t count, cap;
};

static bool can_walk(const struct search_plan *plan)
{
    return plan->scans || (plan->count == 1 && plan->range->kind == RECORD_STATE);
}

static enum status begin(struct query *query, struct call *call, struct error *err)
{
    const struct call_search *asked = &call->as.search;
    struct search_leaf *leaf = arena_make(call->arena, struct search_leaf);
    *leaf = (struct search_leaf){ .call = call, .before = asked->before ? asked->before : UINT64_MAX };
    TRY(search_begin(query, call->ns, asked->name, asked->version, asked->condition, SEARCH_LOOKED_MAX,
                     call->arena, &leaf->search, err));
    leaf->search.has_all = !leaf->search.plan.count;
    leaf->walks = can_walk(&leaf->search.plan);
    call->entity_.leaf = leaf;
    return ST_OK;
}

static enum status take_hit(void *context, const struct search_hit *hit, struct error *err)
{
    struct search_leaf *leaf = context;
    struct call *call = leaf->call;
    (void)err;
    must(leaf->count < call->as.search.limit);
    leaf->bytes += hit->bytes;
    array_reserve_in(call->arena, leaf->view, leaf->count, leaf->cap);
    leaf->view[leaf->count++] =
        (struct entity_view){ .id = uuid_of_instance(hit->created_ms, hit->instance),
                              .model = call->as.search.name,
                              .version = call->as.search.version,
                              .data = json_copy(call->arena, hit->data),
                              .carried = hit->carried ? json_copy(call->arena, hit->carried) : NULL };
    return ST_OK;
}

static bool is_full(const struct search_leaf *leaf)
{
    return leaf->count == leaf->call->as.search.limit || leaf->bytes >= SEARCH_LEAF_BYTES_MAX ||
           leaf->looked >= SEARCH_LEAF_LOOKED_MAX;
}

/* Looks at some, from the last on; the ids are in order. */
static enum status look(struct query *query, struct search_leaf *leaf, struct arena *scratch,
                        struct error *err)
{
    struct search *search = &leaf->search;
    size_t bytes = 0;
    int64_t fuel_end = search->spent + SEARCH_SLICE_FUEL_MAX;
    while (search->id_count && search->id[search->id_count - 1] >= leaf->before) search->id_count--;
    for (size_t i = 0; i < SEARCH_SLICE_MAX && bytes < SEARCH_SLICE_BYTES_MAX && search->spent < fuel_end;
         i++) {
        if (!search->id_count || is_full(leaf)) break;
        uint64_t id = search->id[--search->id_count];
        TRY(search_look_at(query, search, id, scratch, take_hit, leaf, &bytes, err));
        leaf->before = id;
        leaf->looked++;
        arena_reset(scratch);
    }
    return ST_OK;
}

/* The next ids of the range, from the last on. */
static enum status walk(struct query *query, struct search_leaf *leaf, struct arena *scratch,
                        struct error *err)
{
    struct search *search = &leaf->search;
    struct record_filter filter = *search->plan.range;
    struct record_row *row;
    size_t count;
    filter.down = true;
    filter.max = SEARCH_SLICE_MAX;
    if (leaf->before != UINT64_MAX) filter.upto = index_record_member(filter.prefix, leaf->before, scratch);
    TRY(reader_records(query->reader, &filter, scratch, &row, &count, err));
    search->id_count = 0;
    for (size_t i = count; i-- > 0;) {
        array_reserve_in(search->arena, search->id, search->id_count, search->id_cap);
        search->id[search->id_count++] = index_record_instance_of(row[i].key);
    }
    search->has_all = count < filter.max;
    return ST_OK;
}

/* More ids of the indexes. If they are too many, all members are walked. */
static enum status read_ids(struct query *query, struct search_leaf *leaf, struct arena *scratch,
                            struct error *err)
{
    struct search *search = &leaf->search;
    TRY(search_read_page(query, search, scratch, err));
    bool is_much = search->id_count > search->budget;
    if (is_much || search->has_all) search_keep_each_once(search, scratch);
    if (search->id_count <= search->budget) return ST_OK;
    search_begin_scan(search);
    leaf->walks = true;
    return ST_OK;
}

static void answer(struct search_leaf *leaf)
{
    struct answer_search *answer = &leaf->call->value.search;
    bool is_last = leaf->search.has_all && !leaf->search.id_count;
    answer->view = leaf->view;
    answer->count = leaf->count;
    answer->next = is_last ? 0 : leaf->before;
}

enum status search_page_call(struct query *query, struct call *call, bool *ret_more, struct error *err)
{
    struct arena scratch;
    enum status status = ST_OK;
    if (!call->entity_.leaf) TRY(begin(query, call, err));
    struct search_leaf *leaf = call->entity_.leaf;
    struct search *search = &leaf->search;
    arena_init(&scratch, 0);
    if (!search->has_all && leaf->walks && !search->id_count) status = walk(query, leaf, &scratch, err);
    else if (!search->has_all && !leaf->walks) status = read_ids(query, leaf, &scratch, err);
    if (status == ST_OK && (leaf->walks || search->has_all)) status = look(query, leaf, &scratch, err);
    arena_done(&scratch);
    *ret_more = !is_full(leaf) && (!search->has_all || search->id_count);
    if (status == ST_OK && !*ret_more) answer(leaf);
    return status;
}
