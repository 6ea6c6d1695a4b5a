/* runtime/entities/entity_counts.c — how many entities there are, by model and by state (tallies.c). */
#include "runtime/entities/entities_int.h"

#include "base/array.h"
#include "runtime/call/sight.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

/* The model and the state of a tally's key: definition id, state, each with a zero behind it. */
static bool read_key(str key, struct arena *arena, struct entity_count *ret_count)
{
    const char *end = key.n ? memchr(key.p, '\0', key.n) : NULL;
    if (!end || key.p[key.n - 1]) return false;
    size_t id_bytes = (size_t)(end - key.p);
    if (id_bytes + 2 > key.n) return false;
    key = arena_str(arena, key);
    entity_model_of(str_slice(key, 0, id_bytes), &ret_count->model, &ret_count->version);
    ret_count->state = str_slice(key, id_bytes + 1, key.n - 1);
    return true;
}

bool entity_count_is_asked(const struct call_counts *asked, str state)
{
    for (size_t i = 0; i < asked->state_count; i++)
        if (str_equal(asked->state[i], state)) return true;
    return !asked->state_count;
}

/* Counts of one model follow each other. */
static void add_count(struct call *call, const struct entity_count *count)
{
    struct answer_counts *answer = &call->value.counts;
    struct entity_count *last = answer->count ? &answer->item[answer->count - 1] : NULL;
    if (!call->as.counts.by_state && last && last->version == count->version &&
        str_equal(last->model, count->model)) {
        last->count += count->count;
        return;
    }
    array_reserve_in(call->arena, answer->item, answer->count, answer->cap);
    answer->item[answer->count++] = *count;
}

enum status entity_counts_call(struct query *query, struct call *call, bool *ret_more, struct error *err)
{
    const struct call_counts *asked = &call->as.counts;
    struct answer_counts *answer = &call->value.counts;
    const struct sight sight = sight_of(call);
    struct record_filter filter = { .ns = call->ns, .kind = RECORD_TALLY, .max = TALLIES_READ_MAX };
    struct record_row *row;
    size_t count;
    if (asked->model.n) {
        if (!answer->after.n)
            TRY(found_needed(models_exist(query->reader, call->ns, asked->model, asked->version, err)));
        filter.prefix =
            index_record_prefix(model_key(asked->model, asked->version, call->arena), call->arena);
    }
    filter.after = answer->after;
    TRY(reader_records(query->reader, &filter, call->arena, &row, &count, err));
    for (size_t i = 0; i < count; i++) {
        struct entity_count read = { .count = 0 };
        if (!read_key(row[i].key, call->arena, &read) || !entity_count_is_asked(asked, read.state)) continue;
        if (!sight_has(&sight, read.model)) continue;
        str_to_int64(row[i].value, &read.count);
        add_count(call, &read);
    }
    if (count) answer->after = row[count - 1].key;
    *ret_more = count == filter.max;
    return ST_OK;
}
