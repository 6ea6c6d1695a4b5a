/* runtime/entities/search_call.c — a search whose answer is everything that it has found. See search.h. */
#include "runtime/entities/entities_int.h"

#include "base/array.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "json/key.h"
#include "runtime/call/call.h"
#include "runtime/entities/search.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

enum { SHOWN_BYTES = 60, SORTED_BYTES = 256 /* Bytes of a value by which entities are sorted. */ };

/* ---- the order ---- */

struct search_order {
    str field; /* A field of the lifecycle; empty: none. */
    struct predicate_path path;
    bool descending;
};

struct search_sorted {
    struct entity_view view;
    uint64_t instance;
    str *key; /* One for each order; empty: the value is missing or null. */
};

struct search_find {
    struct search search;
    struct query *query;
    struct call *call;
    struct search_order order[SEARCH_SORT_KEYS_MAX];
    size_t order_count;
    struct search_sorted *found;
    size_t count, cap, bytes;
    size_t max;
    struct turn *turn; /* While it joins a transaction. */
    size_t committed;  /* Likewise: those that were found before, in order of their instances. */
    int64_t fuel_end;  /* Likewise: what the condition may have used in the end. */
};

static enum status read_order(struct search_find *find, str text, struct error *err)
{
    struct search_order *order = &find->order[find->order_count++];
    str whole = utf8_cut(text, SHOWN_BYTES);
    *order = (struct search_order){ .descending = str_ends(text, STR(":desc")) };
    if (order->descending) text = str_slice(text, 0, text.n - STR(":desc").n);
    else if (str_ends(text, STR(":asc"))) text = str_slice(text, 0, text.n - STR(":asc").n);
    if (str_starts(text, STR("@"))) {
        static const str fields[] = { STR_INIT("id"),
                                      STR_INIT("state"),
                                      STR_INIT("creationDate"),
                                      STR_INIT("lastUpdateTime"),
                                      STR_INIT("transactionId"),
                                      STR_INIT("previousTransition") };
        str name = str_slice(text, 1, text.n);
        if (str_equal(name, STR("transitionForLatestSave"))) name = ENTITY_TRANSITION;
        for (size_t i = 0; i < COUNT(fields); i++)
            if (str_equal(fields[i], name)) order->field = fields[i];
        if (order->field.n) return ST_OK;
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "entities are not sorted by \"%.*s\"",
                         STR_ARG(whole));
    }
    struct buf printed;
    model_types types;
    struct error why = { 0 };
    if (predicate_path_parse(text, find->call->arena, &order->path, &why) != ST_OK)
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "\"%.*s\" is no path to sort by: %s", STR_ARG(whole),
                         why.message);
    buf_init(&printed, find->call->arena);
    predicate_path_print(&order->path, &printed);
    if (model_find(find->search.schema, buf_str(&printed), &types) == MODEL_FOUND) return ST_OK;
    return fail_code(err, ST_INVALID, "INVALID_FIELD_PATH", "the model has no field %.*s to sort by",
                     STR_ARG(buf_str(&printed)));
}

/* Paths, each with :asc or :desc behind it, separated by commas. */
static enum status read_orders(struct search_find *find, str text, struct error *err)
{
    while (text.n) {
        size_t end = str_find(text, STR(","), 0);
        str one = str_slice(text, 0, end);
        if (find->order_count == SEARCH_SORT_KEYS_MAX)
            return fail_code(err, ST_INVALID, "BAD_REQUEST", "entities are sorted by at most %d fields",
                             SEARCH_SORT_KEYS_MAX);
        TRY(read_order(find, str_trim(one), err));
        text = end == SIZE_MAX ? STR_NONE : str_slice(text, end + 1, text.n);
    }
    return ST_OK;
}

static bool take_first(void *context, const struct json *value)
{
    if (!json_is(value, JSON_NULL)) json_key_add(value, SORTED_BYTES, context);
    return false;
}

/* The first element of an array counts; an array without any stands with missing values. */
static str sort_key(const struct search_order *order, const struct entity_view *view, struct arena *arena)
{
    struct buf key;
    buf_init(&key, arena);
    const struct json *value = order->field.n ? json_get(view->carried, order->field) : NULL;
    if (value) take_first(&key, value);
    else if (!order->field.n) predicate_values(&order->path, view->data, take_first, &key);
    return buf_str(&key);
}

/* Missing values come last in both directions. */
static int compare_keys(str x, str y, bool descending)
{
    if (!x.n || !y.n) return (x.n == 0) - (y.n == 0);
    int order = str_compare(x, y);
    return descending ? -order : order;
}

static int compare_found(const void *a, const void *b, const void *context)
{
    const struct search_sorted *x = a, *y = b;
    const struct search_find *find = context;
    for (size_t i = 0; i < find->order_count; i++) {
        int order = compare_keys(x->key[i], y->key[i], find->order[i].descending);
        if (order) return order;
    }
    return (x->instance > y->instance) - (x->instance < y->instance);
}

/* ---- what is found ---- */

static enum status fail_limit(const struct search_find *find, struct error *err)
{
    return fail_code(err, ST_INVALID, "SEARCH_RESULT_LIMIT",
                     "more than %zu entities fit; narrow the condition, raise the limit (at most %d) or "
                     "search async",
                     find->call->as.search.limit, SEARCH_HITS_MAX);
}

static enum status take_hit(void *context, const struct search_hit *hit, struct error *err)
{
    struct search_find *find = context;
    struct arena *arena = find->call->arena;
    if (find->count == find->max) return fail_limit(find, err);
    find->bytes += hit->bytes;
    if (find->bytes > (size_t)find->query->limits.answer_bytes_max)
        return fail_code(
            err, ST_INVALID, "SEARCH_RESULT_LIMIT",
            "the first %zu entities that fit have %zu bytes already; narrow the condition or search "
            "async",
            find->count, find->bytes);
    array_reserve_in(arena, find->found, find->count, find->cap);
    struct search_sorted *found = &find->found[find->count++];
    *found =
        (struct search_sorted){ .view = { .id = uuid_of_instance(hit->created_ms, hit->instance),
                                          .model = find->call->as.search.name,
                                          .version = find->call->as.search.version,
                                          .data = json_copy(arena, hit->data),
                                          .carried = hit->carried ? json_copy(arena, hit->carried) : NULL },
                                .instance = hit->instance };
    found->key = arena_make_n(arena, str, find->order_count);
    for (size_t i = 0; i < find->order_count; i++)
        found->key[i] = sort_key(&find->order[i], &found->view, arena);
    return ST_OK;
}

static void answer(struct search_find *find)
{
    struct answer_search *answer = &find->call->value.search;
    struct arena *arena = find->call->arena;
    struct search_sorted *room = arena_make_n(arena, struct search_sorted, find->count);
    sort_stable(find->found, room, find->count, sizeof *room, compare_found, find);
    answer->view = arena_make_n(arena, struct entity_view, find->count);
    answer->count = find->count;
    for (size_t i = 0; i < find->count; i++) answer->view[i] = find->found[i].view;
}

/* ---- the call ---- */

static enum status begin(struct query *query, struct call *call, struct error *err)
{
    const struct call_search *asked = &call->as.search;
    struct search_find *find = arena_make(call->arena, struct search_find);
    *find = (struct search_find){ .query = query, .call = call };
    TRY(search_begin(query, call->ns, asked->name, asked->version, asked->condition, SEARCH_LOOKED_MAX,
                     call->arena, &find->search, err));
    TRY(read_orders(find, asked->sort, err));
    if (asked->is_past) search_begin_past(&find->search, asked->at_ms);
    /* Some of what is found may not fit any more where the search joins a transaction. */
    find->max = asked->limit + (asked->token.n ? SEARCH_JOINED_MAX : 0);
    call->find_ = find;
    return ST_OK;
}

enum status search_call(struct query *query, struct call *call, bool *ret_more, struct error *err)
{
    struct answer_search *answer_to = &call->value.search;
    *ret_more = false;
    if (call->as.search.pages) return search_page_call(query, call, ret_more, err);
    if (!call->find_) TRY(begin(query, call, err));
    struct search_find *find = call->find_;
    answer_to->plan = &find->search.plan;
    if (call->as.search.explains) return search_count(query, &find->search, &answer_to->candidates, err);
    TRY(search_go_on(query, &find->search, take_hit, find, ret_more, err));
    if (!*ret_more && !call->as.search.token.n) answer(find);
    return ST_OK;
}

/* ---- in a transaction ---- */

/* The finds of the instance before do not count. */
static void drop_found(struct search_find *find, uint64_t instance)
{
    size_t from = 0, to = find->committed;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (find->found[middle].instance < instance) from = middle + 1;
        else to = middle;
    }
    bool is_there = from < find->committed && find->found[from].instance == instance;
    if (is_there) find->found[from].view.data = NULL;
}

static enum status see(void *context, const struct instance *instance, const struct definition *definition,
                       struct error *err)
{
    struct search_find *find = context;
    const struct token *token = entity_token(instance);
    bool fits = false;
    if (!str_equal(definition->id, find->search.definition_id)) return ST_OK;
    /* One turn looks at all entities that the transaction has changed, and everybody else waits for it. */
    if (find->search.spent >= find->fuel_end)
        return fail_code(err, ST_INVALID, "INVALID_CONDITION",
                         "the condition is too costly for all that the transaction has changed");
    drop_found(find, instance->id);
    const struct search_hit hit = { .instance = instance->id,
                                    .created_ms = instance->created_ms,
                                    .data = instance->data,
                                    .carried = token ? token->carried : NULL,
                                    .bytes = json_bytes(instance->data) };
    if (lives(instance)) TRY(search_fits_in(find->turn, &find->search, &hit, &fits, err));
    return fits ? take_hit(find, &hit, err) : ST_OK;
}

enum status search_join(struct turn *turn, struct call *call, struct error *err)
{
    struct search_find *find = call->find_;
    find->turn = turn;
    find->committed = find->count;
    find->max += SEARCH_JOINED_MAX;
    find->fuel_end = find->search.spent + turn->engine->limits.turn_fuel_max;
    TRY(unit_check_token(turn, call->ns, call->as.search.token, err));
    TRY(unit_each_shared(turn, call->as.search.token, SEARCH_JOINED_MAX, see, find, err));
    size_t kept = 0;
    for (size_t i = 0; i < find->count; i++)
        if (find->found[i].view.data) find->found[kept++] = find->found[i];
    find->count = kept;
    if (find->count > call->as.search.limit) return fail_limit(find, err);
    answer(find);
    return ST_OK;
}
