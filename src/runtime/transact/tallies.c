/* runtime/transact/tallies.c — how many entities a model has in each state.
 *
 * Each state of a model that has entities has a record with their number: to count a million entities is to
 * read one record. A turn adds up what its transaction changes and writes each record once, right before the
 * commit. So the numbers are those of the records by state (index_records.c) in every committed moment,
 * whatever was rolled back or crashed; `pawl store check` compares the two.
 */
#include "runtime/transact/transact_int.h"

#include "base/array.h"
#include "base/hash.h"
#include "base/must.h"

/* The sum that the transaction adds to one number. */
struct state_tally {
    int32_t ns;
    str key;
    int64_t delta;
    struct state_tally *next;
};

/* The key of a mark by state ends with the instance. */
static str tally_key(const struct record_row *mark)
{
    must(mark->key.n > MARK_ID_BYTES);
    return str_slice(mark->key, 0, mark->key.n - MARK_ID_BYTES);
}

static void note(struct turn *turn, const struct record_row *mark, int64_t delta)
{
    if (mark->kind != RECORD_STATE) return;
    str key = tally_key(mark);
    struct state_tally **bucket = &turn->tally[hash_bytes(key) % TALLY_BUCKETS];
    for (struct state_tally *it = *bucket; it; it = it->next)
        if (it->ns == mark->ns && str_equal(it->key, key)) {
            it->delta += delta;
            return;
        }
    struct state_tally *added = arena_make(&turn->arena, struct state_tally);
    *added = (struct state_tally){ .ns = mark->ns, .key = key, .delta = delta, .next = *bucket };
    *bucket = added;
}

/* Adds the marks that a write adds and removes. */
static void note_effects(struct turn *turn, const struct effects *effects)
{
    for (size_t i = 0; i < effects->unmarked_count; i++) note(turn, &effects->unmarked[i], -1);
    for (size_t i = 0; i < effects->marked_count; i++) note(turn, &effects->marked[i], 1);
}

/* The record as it will be; false in `ret_any`: it goes. */
static enum status read_tally(struct turn *turn, const struct state_tally *tally, struct record_row *ret_row,
                              bool *ret_any, struct error *err)
{
    struct record_row found;
    int64_t count = 0;
    bool is_there;
    TRY(found_asked(store_find_record(turn->engine->store, tally->ns, RECORD_TALLY, tally->key, &turn->arena,
                                      &found, err),
                    &is_there));
    if (is_there) str_to_int64(found.value, &count);
    count += tally->delta;
    *ret_any = count != 0;
    *ret_row = (struct record_row){ .ns = tally->ns, .kind = RECORD_TALLY, .key = tally->key };
    ret_row->value = arena_printf(&turn->arena, "%lld", (long long)count);
    return ST_OK;
}

enum status tallies_change(struct turn *turn, struct changeset *ret_change, struct error *err)
{
    struct record_row *put = NULL, *removed = NULL, row;
    size_t put_count = 0, put_cap = 0, removed_count = 0, removed_cap = 0;
    for (const struct effects *effects = turn->first_effects; effects; effects = effects->next)
        note_effects(turn, effects);
    for (size_t i = 0; i < TALLY_BUCKETS; i++)
        for (const struct state_tally *it = turn->tally[i]; it; it = it->next) {
            bool any;
            if (!it->delta) continue;
            TRY(read_tally(turn, it, &row, &any, err));
            if (any) {
                array_reserve_in(&turn->arena, put, put_count, put_cap);
                put[put_count++] = row;
            } else {
                array_reserve_in(&turn->arena, removed, removed_count, removed_cap);
                removed[removed_count++] = row;
            }
        }
    *ret_change = (struct changeset){ .record_put = put,
                                      .record_put_count = put_count,
                                      .record_remove = removed,
                                      .record_remove_count = removed_count };
    return ST_OK;
}
