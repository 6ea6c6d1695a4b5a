/* runtime/arrivals/arrive_log.c — what became of arrivals: one record for each.
 *
 * The key of a record is its number, turned over: so the newest comes first, and a list reads from the front.
 * A record has no index row but its key. Only the newest are kept (arrivals_kept_max), and maintenance
 * removes the others. The newest of all is never removed, because numbers go on from it. Arrivals for
 * Ephemeral definitions are in memory only, as their instances are; after a restart others have their
 * numbers.
 */
#include "runtime/arrivals/arrivals_int.h"

#include "base/must.h"
#include "runtime/call/sight.h"
#include "runtime/memory/memory.h"
#include "runtime/nodes/nodes.h"
#include "runtime/transact/transact.h"

enum { LOG_PAGE = 256, NUMBERS_PER_MS = 32, COUNTED_PURGE_MS = 30000 };
#define NUMBERS_WITH_GAPS (UINT64_C(1) << 40) /* Numbers that are made of the time are higher. */

const char *arrive_outcome_word(enum arrival_outcome outcome)
{
    static const char *const words[] = {
#define XX(NAME, word, http, meaning) word,
        ARRIVAL_OUTCOME_MAP(XX)
#undef XX
    };
    return words[outcome];
}

const char *arrive_outcome_meaning(enum arrival_outcome outcome)
{
    static const char *const meanings[] = {
#define XX(NAME, word, http, meaning) meaning,
        ARRIVAL_OUTCOME_MAP(XX)
#undef XX
    };
    return meanings[outcome];
}

bool arrive_outcome_of(str word, enum arrival_outcome *ret_outcome)
{
    for (int i = 0; i < OUTCOME_COUNT; i++) {
        if (!str_equal(word, str_of(arrive_outcome_word((enum arrival_outcome)i)))) continue;
        *ret_outcome = (enum arrival_outcome)i;
        return true;
    }
    return false;
}

/* ---- rows ---- */

static str key_of(uint64_t number, char ret_bytes[8])
{
    uint64_t turned = UINT64_MAX - number;
    for (int i = 0; i < 8; i++) ret_bytes[i] = (char)(turned >> (56 - 8 * i));
    return (str){ ret_bytes, 8 };
}

static uint64_t number_of(str key)
{
    uint64_t turned = 0;
    for (size_t i = 0; i < 8 && i < key.n; i++) turned = turned << 8 | (unsigned char)key.p[i];
    return UINT64_MAX - turned;
}

static str encode(const struct arrival_view *view, struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_array(&builder);
    json_add_int(&builder, view->at_ms);
    json_add_string(&builder, view->definition_id);
    json_add_int(&builder, view->version);
    json_add_string(&builder, view->trigger);
    json_add_int(&builder, view->outcome);
    json_add_string(&builder, view->key);
    json_add_int(&builder, (int64_t)view->instance);
    json_add_int(&builder, view->instance_created_ms);
    if (view->note.n) json_add_string(&builder, view->note);
    json_close(&builder);
    return json_encoded(json_built(&builder));
}

static str text_at(const struct json *array, size_t index)
{
    const struct json *value = json_item(array, index);
    return json_is(value, JSON_STRING) ? json_string(value) : STR_NONE;
}

/* Borrows from the arena. False: the bytes are damaged. */
static bool decode(const struct record_row *row, struct arena *arena, struct arrival_view *ret_view)
{
    const struct json *array = json_decode(row->value, arena);
    int64_t outcome = json_item_int64(array, 4);
    if (!json_is(array, JSON_ARRAY) || outcome < 0 || outcome >= OUTCOME_COUNT) return false;
    *ret_view = (struct arrival_view){ .number = number_of(row->key),
                                       .at_ms = json_item_int64(array, 0),
                                       .definition_id = text_at(array, 1),
                                       .version = (int32_t)json_item_int64(array, 2),
                                       .trigger = text_at(array, 3),
                                       .outcome = (enum arrival_outcome)outcome,
                                       .key = text_at(array, 5),
                                       .instance = (uint64_t)json_item_int64(array, 6),
                                       .instance_created_ms = json_item_int64(array, 7),
                                       .note = text_at(array, 8) };
    return true;
}

/* ---- writing ---- */

/* The number of the tenant's newest record; 0: it has none. */
static enum status find_newest(struct engine *engine, int32_t ns, uint64_t *ret_number, struct error *err)
{
    const struct record_filter filter = { .ns = ns, .kind = RECORD_ARRIVAL, .max = 1 };
    struct record_row *row;
    size_t count;
    TRY(store_records(engine->store, &filter, &engine->turn.arena, &row, &count, err));
    *ret_number = count ? number_of(row->key) : 0;
    return ST_OK;
}

enum status arrive_log_meet(struct turn *turn, int32_t ns, struct error *err)
{
    static char is_met;
    struct arrivals *arrivals = &turn->engine->arrivals;
    uint64_t newest;
    must(ns > TENANT_ANY);
    if (ns == NAMESPACE_DEFAULT || map_get(&arrivals->met, (uint64_t)ns)) return ST_OK;
    TRY(find_newest(turn->engine, ns, &newest, err));
    if (arrivals->next_number <= newest) arrivals->next_number = newest + 1;
    map_put(&arrivals->met, (uint64_t)ns, &is_met);
    return ST_OK;
}

/* Several nodes count by the time, so that none has to ask the others: the millisecond, the node, and a few
 * in each millisecond. The numbers stay below 2^53, which is what clients can read. */
uint64_t arrive_log_number(struct turn *turn)
{
    struct engine *engine = turn->engine;
    if (engine->nodes.shared) {
        uint64_t node = (uint64_t)store_node(engine->store) % NODES_MAX;
        uint64_t least = ((uint64_t)turn->now_ms * NODES_MAX + node) * NUMBERS_PER_MS;
        if (engine->arrivals.next_number < least) engine->arrivals.next_number = least;
        /* Behind the last one of a millisecond begin those of another node. */
        const uint64_t all = NODES_MAX * NUMBERS_PER_MS;
        uint64_t ours = engine->arrivals.next_number / all * all + node * NUMBERS_PER_MS;
        if (engine->arrivals.next_number >= ours + NUMBERS_PER_MS) ours += all;
        if (engine->arrivals.next_number < ours) engine->arrivals.next_number = ours;
    }
    return engine->arrivals.next_number;
}

enum status arrive_log_open(struct engine *engine, struct error *err)
{
    uint64_t newest;
    TRY(find_newest(engine, NAMESPACE_DEFAULT, &newest, err));
    engine->arrivals.next_number = newest + 1;
    arrive_log_number(&engine->turn);
    return ST_OK;
}

enum status arrive_log_add(struct turn *turn, int32_t ns, struct arrival_view *view, bool transient,
                           struct error *err)
{
    char key[8];
    TRY(arrive_log_meet(turn, ns, err));
    view->number = arrive_log_number(turn);
    turn->engine->arrivals.next_number++;
    const struct record_row row = { .ns = ns,
                                    .kind = RECORD_ARRIVAL,
                                    .key = key_of(view->number, key),
                                    .value = encode(view, &turn->arena) };
    struct changeset changeset = { .record_put = &row, .record_put_count = 1, .record_transient = transient };
    if (turn->engine->memory.live.listening || turn->engine->memory.live.telling)
        live_note(&turn->engine->memory.live, ns, LIVE_ARRIVALS,
                  arena_printf(&turn->arena, "%llu", (unsigned long long)view->number));
    return transact_rows(turn, &changeset, err);
}

void arrive_count_outcome(struct turn *turn, int32_t ns, enum arrival_outcome outcome,
                          const struct arrival_view *view)
{
    must(outcome < OUTCOME_COUNT);
    struct turn_counts *counts = &turn->counts;
    struct counted_arrival *counted = arena_make(&turn->arena, struct counted_arrival);
    counts->arrived[outcome]++;
    *counted = (struct counted_arrival){ .next = counts->first_arrival, .ns = ns, .view = view };
    counts->first_arrival = counted;
}

void arrive_count(struct turn *turn, int32_t ns, const struct arrival_view *view)
{
    struct arrival_view *copy = arena_make(&turn->arena, struct arrival_view);
    *copy = *view;
    arrive_count_outcome(turn, ns, view->outcome, copy);
}

enum status arrive_record(struct turn *turn, int32_t ns, struct arrival_view *view, bool transient,
                          struct error *err)
{
    arrive_count(turn, ns, view);
    return arrive_log_add(turn, ns, view, transient, err);
}

/* The numbers of several nodes have gaps, also when their store was copied into a file since. */
static bool has_gaps(const struct engine *engine)
{
    return engine->arrivals.next_number >= NUMBERS_WITH_GAPS;
}

/* Then those that are kept have to be counted: now and then. The records behind them go on at once. */
static bool is_purge_due(struct engine *engine)
{
    if (!has_gaps(engine) || engine->arrivals.purged) return true;
    if (!engine_is_due(engine, engine->arrivals.next_purge_ms, COUNTED_PURGE_MS)) return false;
    engine->arrivals.next_purge_ms = engine->turn.now_ms + COUNTED_PURGE_MS;
    return true;
}

/* The numbers of other tenants have gaps, too. Each purge counts the records of one of them. */
static enum status purge_tenant(struct engine *engine, size_t max, size_t *ret_removed, struct error *err)
{
    int32_t ns, last = engine->arrivals.purged_tenant;
    TRY(store_next_tenant(engine->store, last < TENANT_DEFAULT ? TENANT_DEFAULT : last, &ns, err));
    engine->arrivals.purged_tenant = ns;
    if (!ns || !max) return ST_OK;
    const int64_t kept = engine->limits.arrivals_kept_max;
    const struct record_filter filter = {
        .ns = ns, .kind = RECORD_ARRIVAL, .skip = kept > 1 ? (size_t)kept : 1, .max = max
    };
    struct record_row *row;
    size_t count;
    TRY(store_records(engine->store, &filter, &engine->turn.arena, &row, &count, err));
    struct changeset changeset = { .record_remove = row, .record_remove_count = count };
    if (count) TRY(store_apply(engine->store, &changeset, err));
    *ret_removed += count;
    return ST_OK;
}

static enum status purge_default(struct engine *engine, size_t max, size_t *ret_removed, struct error *err)
{
    uint64_t kept = (uint64_t)engine->limits.arrivals_kept_max, last = engine->arrivals.purged;
    char key[8];
    *ret_removed = 0;
    bool counts = has_gaps(engine);
    bool few = !counts && engine->arrivals.next_number <= kept + 1; /* Other nodes have arrivals, too. */
    if (few || !max || !is_purge_due(engine)) return ST_OK;
    if (!kept) kept = 1;
    if (!counts) last = engine->arrivals.next_number - kept;
    const struct record_filter filter = {
        .ns = NAMESPACE_DEFAULT,
        .kind = RECORD_ARRIVAL,
        .after = last ? key_of(last, key) : STR_NONE,
        .skip = last ? 0 : (size_t)kept,
        .max = max,
    };
    struct record_row *row;
    TRY(store_records(engine->store, &filter, &engine->turn.arena, &row, ret_removed, err));
    /* If this does not commit, they are found again when the kept ones are counted. */
    engine->arrivals.purged = counts && *ret_removed == max ? number_of(row[max - 1].key) : 0;
    struct changeset changeset = { .record_remove = row, .record_remove_count = *ret_removed };
    return *ret_removed ? store_apply(engine->store, &changeset, err) : ST_OK;
}

enum status arrive_log_purge(struct engine *engine, size_t max, size_t *ret_removed, struct error *err)
{
    TRY(purge_default(engine, max, ret_removed, err));
    return purge_tenant(engine, max - *ret_removed, ret_removed, err);
}

/* ---- reading ---- */

static bool matches(const struct call_arrivals *asked, const struct arrival_view *view)
{
    return (!asked->definition_id.n || str_equal(asked->definition_id, view->definition_id)) &&
           (!asked->trigger.n || str_equal(asked->trigger, view->trigger)) &&
           (asked->outcome < 0 || asked->outcome == (int32_t)view->outcome);
}

static void keep_view(const struct arrival_view *view, struct arena *arena, struct arrival_view *ret_view)
{
    *ret_view = *view;
    ret_view->definition_id = arena_str(arena, view->definition_id);
    ret_view->trigger = arena_str(arena, view->trigger);
    ret_view->key = arena_str(arena, view->key);
    ret_view->note = arena_str(arena, view->note);
}

/* There is no index by definition: a page ends after so many records have been looked at, and the next one
 * goes on from there. */
enum status arrive_log_list(struct store_reader *reader, struct call *call, struct error *err)
{
    const struct call_arrivals *asked = &call->as.arrivals;
    struct answer_arrivals *answer = &call->value.arrivals;
    const struct sight sight = sight_of(call);
    struct arena scratch;
    char first[8];
    struct record_filter filter = { .ns = call->ns, .kind = RECORD_ARRIVAL, .max = LOG_PAGE };
    if (asked->before) filter.after = key_of(asked->before, first);
    *answer = (struct answer_arrivals){ .view = arena_make_n(call->arena, struct arrival_view, asked->max) };
    enum status status = ST_OK;
    size_t looked = 0, count = LOG_PAGE;
    arena_init(&scratch, 0);
    while (status == ST_OK && count == LOG_PAGE && answer->count < asked->max &&
           looked < ARRIVALS_SCANNED_MAX) {
        struct record_row *row;
        status = reader_records(reader, &filter, &scratch, &row, &count, err);
        for (size_t i = 0; status == ST_OK && i < count && answer->count < asked->max; i++, looked++) {
            struct arrival_view view;
            filter.after = row[i].key;
            answer->next = number_of(row[i].key);
            if (decode(&row[i], &scratch, &view) && matches(asked, &view) &&
                sight_has(&sight, view.definition_id))
                keep_view(&view, call->arena, &answer->view[answer->count++]);
        }
    }
    answer->more = answer->count == asked->max || count == LOG_PAGE;
    arena_done(&scratch);
    return status;
}
