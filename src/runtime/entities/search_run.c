/* runtime/entities/search_run.c — a search goes through the entities of its plan. See search.h. */
#include "runtime/entities/entities_int.h"

#include "base/array.h"
#include "base/must.h"
#include "base/sort.h"
#include "runtime/call/call.h"
#include "runtime/entities/search.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

enum status search_begin(struct query *query, int32_t ns, str name, int32_t version,
                         const struct json *condition, size_t budget, struct arena *arena,
                         struct search *ret_search, struct error *err)
{
    struct model model;
    struct indexes indexes;
    const struct predicate_part *part;
    str definition_id = model_key(name, version, arena);
    struct search search = { .ns = ns, .definition_id = definition_id, .budget = budget, .arena = arena };
    TRY(found_needed(models_read(query->reader, ns, name, version, arena, &model, err)));
    TRY(search_check(condition, &model, arena, &part, &search.expr, err));
    TRY(indexes_read(query->reader, ns, definition_id, arena, &indexes, err));
    TRY(search_plan_make(query->reader, ns, &indexes, part, arena, &search.plan, err));
    search.schema = model.schema;
    *ret_search = search;
    return ST_OK;
}

void search_begin_past(struct search *search, int64_t at_ms)
{
    search->is_past = search->plan.scans = true;
    search->plan.use_count = 0;
    search->at_ms = at_ms;
    if (search->budget > SEARCH_PAST_LOOKED_MAX) search->budget = SEARCH_PAST_LOOKED_MAX;
}

void search_begin_scan(struct search *search)
{
    struct record_filter *range = arena_make(search->arena, struct record_filter);
    *range = (struct record_filter){ .ns = search->ns,
                                     .kind = RECORD_MEMBER,
                                     .prefix = index_record_prefix(search->definition_id, search->arena) };
    search->plan = (struct search_plan){ .range = range, .count = 1, .scans = true };
    search->budget = SIZE_MAX;
    search->range = search->id_count = search->looked = search->looked_before = 0;
    search->after = STR_NONE;
    search->has_all = false;
}

/* ---- ids ---- */

static int compare_ids(const void *a, const void *b, const void *context)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    (void)context;
    return (x > y) - (x < y);
}

/* An entity may have several rows: with different values, or in several ranges. */
void search_keep_each_once(struct search *search, struct arena *scratch)
{
    size_t kept = 0;
    uint64_t *room = arena_make_n(scratch, uint64_t, search->id_count);
    sort_stable(search->id, room, search->id_count, sizeof *search->id, compare_ids, NULL);
    for (size_t i = 0; i < search->id_count; i++)
        if (!kept || search->id[kept - 1] != search->id[i]) search->id[kept++] = search->id[i];
    search->id_count = kept;
    must(search->looked <= search->id_count);
}

static enum status fail_budget(const struct search *search, struct error *err)
{
    if (search->is_past)
        return fail_code(
            err, ST_INVALID, "SCAN_BUDGET_EXHAUSTED",
            "the model has had more than %zu entities, and a search at a pointInTime looks at all of "
            "them",
            search->budget);
    if (search->plan.scans)
        return fail_code(err, ST_INVALID, "SCAN_BUDGET_EXHAUSTED",
                         "the model has more than %zu entities, and no field that the condition compares is "
                         "indexed; index one (PUT /api/model/{name}/{version}/indexes) or search async",
                         search->budget);
    return fail_code(err, ST_INVALID, "SCAN_BUDGET_EXHAUSTED",
                     "the index of %.*s leads to more than %zu entities; narrow the condition, index another "
                     "field or search async",
                     STR_ARG(search->plan.use_count ? search->plan.use[0] : STR_NONE), search->budget);
}

static void add_id(struct search *search, uint64_t id)
{
    array_reserve_in(search->arena, search->id, search->id_count, search->id_cap);
    search->id[search->id_count++] = id;
}

enum status search_read_page(struct query *query, struct search *search, struct arena *scratch,
                             struct error *err)
{
    must(search->range < search->plan.count);
    struct record_filter filter = search->plan.range[search->range];
    struct record_row *row;
    size_t count;
    filter.max = SEARCH_PAGE_MAX;
    if (search->after.n) filter.after = search->after;
    TRY(reader_records(query->reader, &filter, scratch, &row, &count, err));
    for (size_t i = 0; i < count; i++) add_id(search, index_record_instance_of(row[i].key));
    bool is_over = count < filter.max;
    search->after = is_over ? STR_NONE : arena_str(search->arena, row[count - 1].key);
    search->range += is_over;
    search->has_all = search->range == search->plan.count;
    return ST_OK;
}

/* Reads a page of keys. A scan reads the next ones when these have been looked at; of an index all are needed
 * first, because an entity may have several. */
static enum status read_ids(struct query *query, struct search *search, struct arena *scratch,
                            struct error *err)
{
    must(search->looked_before <= search->budget);
    bool more = false;
    if (search->is_past) {
        TRY(search_past_ids(query, search, scratch, add_id, &more, err));
        search->has_all = !more;
    } else {
        TRY(search_read_page(query, search, scratch, err));
    }
    bool is_much = search->id_count > search->budget - search->looked_before;
    if (is_much || search->has_all) search_keep_each_once(search, scratch);
    return search->id_count > search->budget - search->looked_before ? fail_budget(search, err) : ST_OK;
}

/* ---- entities ---- */

enum status search_fits(struct search *search, const struct search_hit *entity, int64_t now_ms,
                        struct arena *scratch, bool *ret_fits, struct error *err)
{
    const struct expr_local carried = { STR("carried"), entity->carried ? entity->carried : json_null() };
    const struct expr_env env = {
        .data = entity->data, .local = &carried, .local_count = 1, .now_ms = now_ms
    };
    const struct json *value;
    int64_t fuel = SEARCH_FUEL_MAX;
    enum status status = expr_eval(search->expr, &env, &fuel, scratch, &value, err);
    search->spent += SEARCH_FUEL_MAX - fuel;
    if (status == ST_INVALID || status == ST_LIMIT) {
        err->code = "INVALID_CONDITION";
        return err->status = ST_INVALID;
    }
    TRY(status);
    *ret_fits = json_is(value, JSON_BOOL) && json_bool(value);
    return ST_OK;
}

enum status search_fits_in(struct turn *turn, struct search *search, const struct search_hit *entity,
                           bool *ret_fits, struct error *err)
{
    int64_t before = search->spent;
    enum status status = search_fits(search, entity, turn->now_ms, &turn->arena, ret_fits, err);
    turn->spent += search->spent - before;
    return status;
}

/* An entity that was deleted meanwhile, or is damaged, is not found. */
static enum status find_entity(struct query *query, const struct search *search, uint64_t id,
                               struct arena *scratch, struct search_hit *ret_entity, bool *ret_lives,
                               struct error *err)
{
    struct instance_row row;
    struct definition *definition;
    const struct instance *instance;
    *ret_lives = false;
    bool is_there;
    TRY(found_asked(reader_instance(query->reader, search->ns, id, scratch, &row, err), &is_there));
    if (!is_there) return ST_OK;
    *ret_entity = (struct search_hit){ .instance = id, .created_ms = row.created_ms, .bytes = row.state.n };
    if (search->is_past) return search_past_find(query, search, id, scratch, ret_entity, ret_lives, err);
    if (!str_equal(row.definition_id, search->definition_id)) return ST_OK;
    TRY(found_intact(catalogue_get(&query->catalogue, row.definition, &definition, err), &is_there));
    if (!is_there || core_decode(row.state, definition->program, scratch, &instance, err) != ST_OK ||
        !lives(instance))
        return ST_OK;
    const struct token *token = entity_token(instance);
    ret_entity->data = instance->data;
    ret_entity->carried = token ? token->carried : NULL;
    *ret_lives = true;
    return ST_OK;
}

enum status search_look_at(struct query *query, struct search *search, uint64_t id, struct arena *scratch,
                           search_hit_fn *hit, void *context, size_t *bytes, struct error *err)
{
    struct search_hit entity;
    bool fits, lives;
    TRY(find_entity(query, search, id, scratch, &entity, &lives, err));
    if (!lives) return ST_OK;
    *bytes += entity.bytes;
    int64_t now_ms = query->clock.now_ms ? clock_now_ms(&query->clock) : 0;
    TRY(search_fits(search, &entity, now_ms, scratch, &fits, err));
    return fits ? hit(context, &entity, err) : ST_OK;
}

/* One entity may use SEARCH_FUEL_MAX operations, so the sum is bounded, too. The first entity is always
 * looked at: every part gets further. */
static enum status look(struct query *query, struct search *search, struct arena *scratch, search_hit_fn *hit,
                        void *context, struct error *err)
{
    size_t bytes = 0;
    int64_t fuel_end = search->spent + SEARCH_SLICE_FUEL_MAX;
    for (size_t i = 0; i < SEARCH_SLICE_MAX && bytes < SEARCH_SLICE_BYTES_MAX && search->spent < fuel_end;
         i++) {
        if (search->looked == search->id_count) break;
        TRY(search_look_at(query, search, search->id[search->looked], scratch, hit, context, &bytes, err));
        search->looked++;
        arena_reset(scratch);
    }
    return ST_OK;
}

enum status search_go_on(struct query *query, struct search *search, search_hit_fn *hit, void *context,
                         bool *ret_more, struct error *err)
{
    must(search->looked <= search->id_count);
    struct arena scratch;
    enum status status;
    arena_init(&scratch, 0);
    search->has_all |= !search->plan.count && !search->is_past;
    bool reads = !search->has_all && (!search->plan.scans || search->looked == search->id_count);
    if (reads && search->plan.scans) {
        search->looked_before += search->id_count;
        search->id_count = search->looked = 0;
    }
    status = reads ? read_ids(query, search, &scratch, err) : ST_OK;
    if (status == ST_OK && (search->has_all || search->plan.scans))
        status = look(query, search, &scratch, hit, context, err);
    arena_done(&scratch);
    *ret_more = !search->has_all || search->looked < search->id_count;
    return status;
}

/* The condition costs what it has used. Reading has a fixed price: a part may read a page of keys and look at
 * no entity. */
enum status search_go_on_in(struct turn *turn, struct query *query, struct search *search, search_hit_fn *hit,
                            void *context, bool *ret_more, struct error *err)
{
    int64_t before = search->spent;
    enum status status = search_go_on(query, search, hit, context, ret_more, err);
    turn->spent += (int64_t)SEARCH_SLICE_MAX * FUEL_READ + search->spent - before;
    reader_bound(query->reader, 0);
    catalogue_trim(&query->catalogue);
    return status;
}

enum status search_count(struct query *query, struct search *search, size_t *ret_count, struct error *err)
{
    struct arena scratch;
    enum status status = ST_OK;
    arena_init(&scratch, 0);
    search->has_all |= !search->plan.count && !search->is_past;
    search->budget = SIZE_MAX;
    while (status == ST_OK && !search->has_all && search->id_count < SEARCH_PAGE_MAX)
        status = read_ids(query, search, &scratch, err);
    arena_done(&scratch);
    *ret_count = search->id_count;
    return status;
}
