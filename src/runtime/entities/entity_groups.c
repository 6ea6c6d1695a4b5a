/* runtime/entities/entity_groups.c — how many entities of a model there are by state or by values of their
 * documents.
 *
 * A search (search.h) goes through the entities, a part at a time, so that others have their turn however
 * many there are; each one that it finds is counted in its group. The number of groups and the bytes of the
 * answer are bounded, and so is the memory: a smallest or largest value is kept in memory that is used again.
 */
#include "runtime/entities/entities_int.h"

#include "base/array.h"
#include "base/sort.h"
#include "base/text_map.h"
#include "runtime/call/call.h"
#include "runtime/entities/search.h"
#include "runtime/memory/memory.h"

#include <math.h>

/* Bytes of the JSON around values in the answer. */
enum { SHOWN_BYTES = 60, GROUP_BYTES = 80, MEMBER_BYTES = 40 };

/* A field of the document, or the state. */
struct group_field {
    bool is_state;
    struct predicate_path path;
};

/* A sum, a smallest value… so far. */
struct group_sum {
    int64_t count; /* The count of the numbers; MIN, MAX: of the values. */
    double mean, squares;
    bool is_text;
    char *text; /* The sum, or the smallest or largest value: a number in JSON, or a text. */
    size_t n, cap;
};

struct tallied {
    struct tallied *next; /* In its bucket. */
    str key;
    struct entity_group group;
    struct group_sum *sum;
};

struct entity_tally {
    struct call *call;
    struct search search;
    struct group_field by[GROUPS_BY_MAX], of[GROUPS_AGGREGATIONS_MAX];
    struct tallied *bucket[GROUPS_BUCKETS];
    struct tallied **all;
    size_t count, cap;
    size_t head_bytes; /* Bytes of each group in the answer, without its values. */
    size_t bytes, bytes_max;
    struct arena *scratch; /* Memory of one entity. */
};

bool entity_aggregation_find(str word, enum aggregation *ret_which)
{
    static const char *const words[] = {
#define XX(NAME, word) [AGGREGATION_##NAME] = word,
        AGGREGATION_MAP(XX)
#undef XX
    };
    for (size_t i = 0; i < COUNT(words); i++)
        if (str_equal(word, str_of(words[i]))) {
            *ret_which = (enum aggregation)i;
            return true;
        }
    return false;
}

/* ---- what is asked ---- */

/* The path of a single value that the model has. */
static enum status read_field(const struct entity_tally *tally, str text, const char *code,
                              struct group_field *ret_field, struct error *err)
{
    struct arena *arena = tally->call->arena;
    struct error why = { 0 };
    struct buf printed;
    model_types types;
    str shown = str_slice(text, 0, SHOWN_BYTES);
    *ret_field = (struct group_field){ .is_state = false };
    bool is_path = str_starts(text, STR("$")) &&
                   predicate_path_parse(text, arena, &ret_field->path, &why) == ST_OK &&
                   ret_field->path.count > 0;
    for (size_t i = 0; is_path && i < ret_field->path.count; i++)
        is_path = ret_field->path.step[i].kind == PREDICATE_NAME ||
                  ret_field->path.step[i].kind == PREDICATE_NUMBER;
    if (!is_path)
        return fail_code(err, ST_INVALID, code,
                         "\"%.*s\" is not the path of a single value, such as $.customer", STR_ARG(shown));
    buf_init(&printed, arena);
    predicate_path_print(&ret_field->path, &printed);
    if (model_find(tally->search.schema, buf_str(&printed), &types) == MODEL_FOUND) return ST_OK;
    return fail_code(err, ST_INVALID, "INVALID_FIELD_PATH", "the model has no field \"%.*s\"",
                     STR_ARG(shown));
}

static bool is_same(const struct group_field *a, const struct group_field *b, struct arena *arena)
{
    struct buf one, other;
    if (a->is_state || b->is_state) return a->is_state && b->is_state;
    buf_init(&one, arena);
    buf_init(&other, arena);
    predicate_path_print(&a->path, &one);
    predicate_path_print(&b->path, &other);
    return str_equal(buf_str(&one), buf_str(&other));
}

static enum status read_by(struct entity_tally *tally, struct error *err)
{
    const struct call_groups *asked = &tally->call->as.groups;
    for (size_t i = 0; i < asked->by_count; i++) {
        struct group_field *field = &tally->by[i];
        if (str_equal(asked->by[i], STR("state"))) *field = (struct group_field){ .is_state = true };
        else TRY(read_field(tally, asked->by[i], "INVALID_GROUP_BY_PATH", field, err));
        for (size_t k = 0; k < i; k++)
            if (is_same(field, &tally->by[k], tally->call->arena))
                return fail_code(err, ST_INVALID, "DUPLICATE_GROUP_BY", "groupBy names \"%.*s\" twice",
                                 STR_ARG(str_slice(asked->by[i], 0, SHOWN_BYTES)));
        tally->head_bytes += asked->by[i].n + MEMBER_BYTES;
    }
    return ST_OK;
}

static enum status read_aggregations(struct entity_tally *tally, struct error *err)
{
    const struct call_groups *asked = &tally->call->as.groups;
    for (size_t i = 0; i < asked->aggregation_count; i++) {
        TRY(read_field(tally, asked->aggregation[i].field, "INVALID_AGGREGATION_FIELD", &tally->of[i], err));
        tally->head_bytes += asked->aggregation[i].name.n + MEMBER_BYTES;
    }
    return ST_OK;
}

static enum status begin_groups(struct query *query, struct call *call, struct error *err)
{
    const struct call_groups *asked = &call->as.groups;
    struct entity_tally *tally = arena_make(call->arena, struct entity_tally);
    *tally = (struct entity_tally){ .call = call,
                                    .head_bytes = GROUP_BYTES,
                                    .bytes_max = (size_t)query->limits.answer_bytes_max };
    TRY(search_begin(query, call->ns, asked->model, asked->version, asked->condition, SEARCH_JOB_LOOKED_MAX,
                     call->arena, &tally->search, err));
    TRY(read_by(tally, err));
    TRY(read_aggregations(tally, err));
    if (asked->is_past) search_begin_past(&tally->search, asked->at_ms);
    else if (tally->search.plan.scans) search_begin_scan(&tally->search);
    call->entity_.tally = tally;
    return ST_OK;
}

/* ---- groups ---- */

static bool take_value(void *context, const struct json *value)
{
    *(const struct json **)context = value;
    return false;
}

/* NULL: it has none. */
static const struct json *value_of(const struct group_field *field, const struct search_hit *hit)
{
    const struct json *value = NULL;
    if (field->is_state) return json_get(hit->carried, ENTITY_STATE);
    predicate_values(&field->path, hit->data, take_value, &value);
    return value;
}

/* A single value as a text: 42 and "42" are the same. Lists, objects and null are none. */
static str text_of(const struct json *value, struct arena *arena)
{
    struct buf text;
    if (json_is(value, JSON_STRING)) return json_string(value).n ? json_string(value) : STR("");
    if (!json_is(value, JSON_NUMBER) && !json_is(value, JSON_BOOL)) return STR_NONE;
    buf_init(&text, arena);
    json_print_canonical(value, &text);
    return buf_str(&text);
}

static str key_of(const struct entity_tally *tally, const str *value)
{
    struct buf key;
    buf_init(&key, tally->scratch);
    for (size_t i = 0; i < tally->call->as.groups.by_count; i++) {
        uint64_t n = value[i].p ? value[i].n + 1 : 0; /* Null has 0. */
        buf_add(&key, &n, sizeof n);
        buf_add_str(&key, value[i]);
    }
    return buf_str(&key);
}

static enum status fail_groups(const struct entity_tally *tally, struct error *err)
{
    return fail_code(err, ST_UNPROCESSABLE, "GROUP_CARDINALITY_EXCEEDED",
                     "there are more than %zu groups%s; narrow the condition, or group by fewer fields",
                     tally->count, tally->count < GROUPS_MAX ? ", and one answer cannot hold them" : "");
}

static enum status add_group(struct entity_tally *tally, str key, const str *value,
                             struct tallied **ret_group, struct error *err)
{
    const struct call_groups *asked = &tally->call->as.groups;
    struct arena *arena = tally->call->arena;
    tally->bytes += tally->head_bytes + 2 * key.n; /* Once more in the answer. */
    if (tally->count == GROUPS_MAX || tally->bytes > tally->bytes_max) return fail_groups(tally, err);
    struct tallied *added = arena_make(arena, struct tallied);
    *added = (struct tallied){ .key = arena_str(arena, key) };
    added->group.value = arena_make_n(arena, str, asked->by_count);
    for (size_t i = 0; i < asked->by_count; i++)
        added->group.value[i] = value[i].n ? arena_str(arena, value[i]) : value[i];
    added->sum = arena_make_n(arena, struct group_sum, asked->aggregation_count);
    for (size_t i = 0; i < asked->aggregation_count; i++) added->sum[i] = (struct group_sum){ .count = 0 };
    array_reserve_in(arena, tally->all, tally->count, tally->cap);
    tally->all[tally->count++] = added;
    *ret_group = added;
    return ST_OK;
}

static enum status find_group(struct entity_tally *tally, const struct search_hit *hit,
                              struct tallied **ret_group, struct error *err)
{
    str value[GROUPS_BY_MAX];
    for (size_t i = 0; i < tally->call->as.groups.by_count; i++)
        value[i] = text_of(value_of(&tally->by[i], hit), tally->scratch);
    str key = key_of(tally, value);
    struct tallied **bucket = &tally->bucket[text_map_hash(key) % GROUPS_BUCKETS];
    for (struct tallied *it = *bucket; it; it = it->next)
        if (str_equal(it->key, key)) {
            *ret_group = it;
            return ST_OK;
        }
    TRY(add_group(tally, key, value, ret_group, err));
    (*ret_group)->next = *bucket;
    *bucket = *ret_group;
    return ST_OK;
}

/* ---- sums ---- */

/* Keeps a text in the memory of the one before, if it fits. */
static enum status keep_text(struct entity_tally *tally, struct group_sum *sum, str text, struct error *err)
{
    if (text.n > sum->cap) {
        tally->bytes += 2 * text.n;
        if (tally->bytes > tally->bytes_max) return fail_groups(tally, err);
        sum->cap = 2 * text.n;
        sum->text = arena_alloc(tally->call->arena, sum->cap);
    }
    if (text.n) memcpy(sum->text, text.p, text.n);
    sum->n = text.n;
    return ST_OK;
}

static str kept(const struct group_sum *sum) { return (str){ sum->text, sum->n }; }

/* A number comes before a text. */
static int compare_kept(const struct group_sum *sum, const struct json *value, struct arena *scratch)
{
    bool is_text = json_is(value, JSON_STRING);
    if (is_text != sum->is_text) return is_text ? 1 : -1;
    return is_text ? str_compare(json_string(value), kept(sum))
                   : json_number_compare(value, json_number_parse(kept(sum), scratch));
}

static enum status take_extreme(struct entity_tally *tally, struct group_sum *sum, bool largest,
                                const struct json *value, struct error *err)
{
    if (!json_is(value, JSON_STRING) && !json_is(value, JSON_NUMBER)) return ST_OK;
    int order = sum->count ? compare_kept(sum, value, tally->scratch) : largest ? 1 : -1;
    sum->count++;
    if (largest ? order <= 0 : order >= 0) return ST_OK;
    sum->is_text = json_is(value, JSON_STRING);
    return keep_text(tally, sum, text_of(value, tally->scratch), err);
}

/* The sum is exact as long as 34 digits are enough; one beyond the range of a double is null. */
static enum status take_number(struct entity_tally *tally, struct group_sum *sum, const struct json *value,
                               struct error *err)
{
    const struct json *total = value;
    struct buf text;
    if (!json_is(value, JSON_NUMBER)) return ST_OK;
    double number = json_double(value), delta = number - sum->mean;
    sum->count++;
    sum->mean += delta / (double)sum->count; /* Welford's: nothing cancels out. */
    sum->squares += delta * (number - sum->mean);
    if (sum->count > 1 && sum->n) total = json_number_parse(kept(sum), tally->scratch);
    if (sum->count > 1 &&
        (!sum->n || json_calculate(JSON_PLUS, total, value, tally->scratch, &total, NULL) != ST_OK)) {
        sum->n = 0;
        return ST_OK;
    }
    buf_init(&text, tally->scratch);
    json_print(total, &text);
    return keep_text(tally, sum, buf_str(&text), err);
}

static enum status count_hit(void *context, const struct search_hit *hit, struct error *err)
{
    struct entity_tally *tally = context;
    const struct call_groups *asked = &tally->call->as.groups;
    struct tallied *group = NULL;
    struct arena scratch;
    arena_init(&scratch, 0);
    tally->scratch = &scratch;
    enum status status = find_group(tally, hit, &group, err);
    if (status == ST_OK) group->group.count++;
    for (size_t i = 0; status == ST_OK && i < asked->aggregation_count; i++) {
        const struct json *value = value_of(&tally->of[i], hit);
        enum aggregation which = asked->aggregation[i].which;
        bool is_extreme = which == AGGREGATION_MIN || which == AGGREGATION_MAX;
        status = is_extreme ? take_extreme(tally, &group->sum[i], which == AGGREGATION_MAX, value, err)
                            : take_number(tally, &group->sum[i], value, err);
    }
    arena_done(&scratch);
    return status;
}

/* ---- the answer ---- */

static int compare_values(str a, str b)
{
    if (!a.p || !b.p) return (a.p != NULL) - (b.p != NULL);
    return str_compare(a, b);
}

static int compare_groups(const void *a, const void *b, const void *context)
{
    const struct tallied *x = *(struct tallied *const *)a, *y = *(struct tallied *const *)b;
    const struct call_groups *asked = context;
    if (x->group.count != y->group.count) return x->group.count < y->group.count ? 1 : -1;
    for (size_t i = 0; i < asked->by_count; i++) {
        int order = compare_values(x->group.value[i], y->group.value[i]);
        if (order) return order;
    }
    return 0;
}

static str number_text(double value, struct arena *arena)
{
    struct buf text;
    if (!isfinite(value)) return STR("null");
    buf_init(&text, arena);
    json_print(json_of_double(arena, value), &text);
    return buf_str(&text);
}

static str result_of(enum aggregation which, const struct group_sum *sum, struct arena *arena)
{
    struct buf text;
    if (!sum->count) return STR("null");
    if (which == AGGREGATION_AVG) return number_text(sum->mean, arena);
    if (which == AGGREGATION_STDEV)
        return sum->count < 2 ? STR("null")
                              : number_text(sqrt(sum->squares / (double)(sum->count - 1)), arena);
    if (!sum->is_text) return sum->n ? kept(sum) : STR("null");
    buf_init(&text, arena);
    json_print_string(kept(sum), &text);
    return buf_str(&text);
}

static void answer_groups(struct entity_tally *tally)
{
    struct call *call = tally->call;
    const struct call_groups *asked = &call->as.groups;
    struct answer_groups *answer = &call->value.groups;
    struct tallied **room = arena_make_n(call->arena, struct tallied *, tally->count);
    if (tally->count) sort_stable(tally->all, room, tally->count, sizeof *room, compare_groups, asked);
    answer->count = asked->limit && asked->limit < tally->count ? asked->limit : tally->count;
    answer->group = arena_make_n(call->arena, struct entity_group, answer->count);
    for (size_t i = 0; i < answer->count; i++) {
        struct entity_group *group = &answer->group[i];
        *group = tally->all[i]->group;
        group->result = arena_make_n(call->arena, str, asked->aggregation_count);
        for (size_t k = 0; k < asked->aggregation_count; k++)
            group->result[k] = result_of(asked->aggregation[k].which, &tally->all[i]->sum[k], call->arena);
    }
}

enum status entity_groups_call(struct query *query, struct call *call, bool *ret_more, struct error *err)
{
    if (!call->entity_.tally) TRY(begin_groups(query, call, err));
    struct entity_tally *tally = call->entity_.tally;
    TRY(search_go_on(query, &tally->search, count_hit, tally, ret_more, err));
    if (!*ret_more) answer_groups(tally);
    return ST_OK;
}
