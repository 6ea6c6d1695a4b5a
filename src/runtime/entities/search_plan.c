/* runtime/entities/search_plan.c — which entities a search has to look at. See search.h. */
#include "runtime/entities/entities_int.h"

#include "base/array.h"
#include "runtime/entities/search.h"
#include "runtime/transact/transact.h"

struct planner {
    struct store_reader *reader;
    int32_t ns;
    const struct indexes *indexes;
    struct arena *arena;
    size_t estimates; /* How often rows were counted. */
};

/* One way to find the entities of a part of the condition. */
struct search_way {
    struct record_filter *range;
    size_t count, cap;
    str *use;
    size_t use_count, use_cap;
};

static void add_range(const struct planner *planner, struct search_way *way, enum record_kind kind,
                      str prefix, str after, str upto)
{
    array_reserve_in(planner->arena, way->range, way->count, way->cap);
    way->range[way->count++] = (struct record_filter){
        .ns = planner->ns, .kind = kind, .prefix = prefix, .after = after, .upto = upto
    };
}

static void add_use(const struct planner *planner, struct search_way *way, str use)
{
    for (size_t i = 0; i < way->use_count; i++)
        if (str_equal(way->use[i], use)) return;
    array_reserve_in(planner->arena, way->use, way->use_count, way->use_cap);
    way->use[way->use_count++] = use;
}

static str joined(str a, str b, struct arena *arena)
{
    struct buf both;
    buf_init(&both, arena);
    buf_add_str(&both, a);
    buf_add_str(&both, b);
    return buf_str(&both);
}

/* ---- tests ---- */

/* The index of a path. An array stands for its elements, so that of $.tags also serves $.tags[*], except for
 * what is missing. */
static const struct indexed_field *find_index(const struct planner *planner,
                                              const struct predicate_leaf *leaf)
{
    struct predicate_path path = leaf->path;
    for (;;) {
        struct buf printed;
        buf_init(&printed, planner->arena);
        predicate_path_print(&path, &printed);
        for (size_t i = 0; i < planner->indexes->field_count; i++) {
            const struct indexed_field *field = &planner->indexes->field[i];
            if (field->state == INDEX_READY && str_equal(field->path, buf_str(&printed))) return field;
        }
        if (leaf->op == PREDICATE_IS_NULL || !path.count || path.step[path.count - 1].kind != PREDICATE_ALL)
            return NULL;
        path.count--;
    }
}

static bool plan_field(struct planner *planner, const struct predicate_leaf *leaf, struct search_way *way)
{
    const struct indexed_field *field = find_index(planner, leaf);
    struct predicate_keys *keys;
    size_t count;
    if (!field || !predicate_find_keys(leaf, INDEX_VALUE_BYTES_MAX, planner->arena, &keys, &count))
        return false;
    str prefix = indexes_prefix(planner->indexes->definition_id, field->number, planner->arena);
    for (size_t i = 0; i < count; i++)
        add_range(planner, way, RECORD_INDEX, prefix, joined(prefix, keys[i].from, planner->arena),
                  joined(prefix, keys[i].to, planner->arena));
    if (count)
        add_range(planner, way, RECORD_INDEX,
                  index_rows_crowd(planner->indexes->definition_id, field->number, planner->arena), STR_NONE,
                  STR_NONE);
    add_use(planner, way, field->path);
    return true;
}

/* The state or the id is a text that the operand equals. */
static bool plan_lifecycle(struct planner *planner, const struct predicate_leaf *leaf, struct search_way *way)
{
    str members = index_record_prefix(planner->indexes->definition_id, planner->arena);
    struct uuid id;
    uint64_t instance;
    int64_t created_ms;
    if (leaf->op != PREDICATE_EQUALS || !json_is(leaf->operand, JSON_STRING)) return false;
    str text = json_string(leaf->operand);
    if (str_equal(leaf->field, ENTITY_STATE)) {
        str prefix = joined(members, text, planner->arena);
        add_range(planner, way, RECORD_STATE, joined(prefix, (str){ "", 1 }, planner->arena), STR_NONE,
                  STR_NONE);
    } else if (str_equal(leaf->field, ENTITY_ID)) {
        /* A text that is no id belongs to no entity. */
        if (uuid_parse(text, &id) && uuid_instance(id, &created_ms, &instance))
            add_range(planner, way, RECORD_MEMBER, index_record_member(members, instance, planner->arena),
                      STR_NONE, STR_NONE);
    } else {
        return false;
    }
    add_use(planner, way, leaf->field);
    return true;
}

/* ---- groups ---- */

/* How many rows there are, counted as far as SEARCH_ESTIMATE_MAX. */
static enum status estimate(struct planner *planner, const struct search_way *way, size_t *ret_count,
                            struct error *err)
{
    struct arena scratch;
    enum status status = ST_OK;
    *ret_count = 0;
    arena_init(&scratch, 0);
    for (size_t i = 0; i < way->count && *ret_count < SEARCH_ESTIMATE_MAX && status == ST_OK; i++) {
        struct record_filter filter = way->range[i];
        struct record_row *row;
        size_t count = 0;
        filter.max = SEARCH_ESTIMATE_MAX - *ret_count;
        status = reader_records(planner->reader, &filter, &scratch, &row, &count, err);
        *ret_count += count;
        arena_reset(&scratch);
    }
    planner->estimates++;
    arena_done(&scratch);
    return status;
}

static enum status plan_part(struct planner *planner, const struct predicate_part *part,
                             struct search_way *ret_way, bool *ret_has, struct error *err);

/* All parts hold: any way to one of them is enough, the narrowest is best. */
static enum status plan_all(struct planner *planner, const struct predicate_part *part,
                            struct search_way *ret_way, bool *ret_has, struct error *err)
{
    size_t least = SIZE_MAX;
    *ret_has = false;
    for (size_t i = 0; i < part->count; i++) {
        struct search_way way = { 0 };
        bool has;
        size_t count;
        if (*ret_has && planner->estimates >= SEARCH_ESTIMATES_MAX) return ST_OK;
        TRY(plan_part(planner, &part->part[i], &way, &has, err));
        if (!has) continue;
        if (*ret_has && least == SIZE_MAX) TRY(estimate(planner, ret_way, &least, err));
        if (*ret_has) {
            TRY(estimate(planner, &way, &count, err));
            if (count >= least) continue;
            least = count;
        }
        *ret_way = way;
        *ret_has = true;
    }
    return ST_OK;
}

/* One part holds: there must be a way to each of them. */
static enum status plan_any(struct planner *planner, const struct predicate_part *part,
                            struct search_way *ret_way, bool *ret_has, struct error *err)
{
    *ret_has = true;
    for (size_t i = 0; i < part->count && *ret_has; i++) {
        struct search_way way = { 0 };
        TRY(plan_part(planner, &part->part[i], &way, ret_has, err));
        if (ret_way->count + way.count > SEARCH_RANGES_MAX) *ret_has = false;
        if (!*ret_has) break;
        for (size_t k = 0; k < way.count; k++)
            add_range(planner, ret_way, way.range[k].kind, way.range[k].prefix, way.range[k].after,
                      way.range[k].upto);
        for (size_t k = 0; k < way.use_count; k++) add_use(planner, ret_way, way.use[k]);
    }
    return ST_OK;
}

/* Recursion goes as deep as groups may nest. */
static enum status plan_part(struct planner *planner, const struct predicate_part *part,
                             struct search_way *ret_way, bool *ret_has, struct error *err)
{
    if (part->group && part->any) return plan_any(planner, part, ret_way, ret_has, err);
    if (part->group) return plan_all(planner, part, ret_way, ret_has, err);
    *ret_has = part->leaf.is_lifecycle ? plan_lifecycle(planner, &part->leaf, ret_way)
                                       : plan_field(planner, &part->leaf, ret_way);
    return ST_OK;
}

enum status search_plan_make(struct store_reader *reader, int32_t ns, const struct indexes *indexes,
                             const struct predicate_part *condition, struct arena *arena,
                             struct search_plan *ret_plan, struct error *err)
{
    struct planner planner = { .reader = reader, .ns = ns, .indexes = indexes, .arena = arena };
    struct search_way way = { 0 };
    bool has;
    TRY(plan_part(&planner, condition, &way, &has, err));
    if (!has) {
        way = (struct search_way){ 0 };
        add_range(&planner, &way, RECORD_MEMBER, index_record_prefix(indexes->definition_id, arena), STR_NONE,
                  STR_NONE);
    }
    *ret_plan = (struct search_plan){
        .range = way.range, .count = way.count, .scans = !has, .use = way.use, .use_count = way.use_count
    };
    return ST_OK;
}
