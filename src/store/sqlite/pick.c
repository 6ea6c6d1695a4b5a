/* store/sqlite/pick.c — finds the first ids of a list that is spread over many places.
 *
 * A place is a definition's version and a phase. The index instance_place holds the ids of each place in
 * order, and `tally` tells which places are not empty. As soon as `max` ids are found they become a heap that
 * keeps the best ids so far, the worst of them on top. From then on a place is left at its first id that is
 * not better than the top, because all that follow are worse. So the cost grows with `max` and with the
 * number of places, not with the number of instances.
 */
#include "store/sqlite/sqlite_int.h"

#include <stdlib.h>

struct pick_place {
    int64_t definition;
    int phase;
};

struct pick {
    uint64_t *id; /* A heap as soon as there are `max`: no id is better than its parent. */
    size_t count, cap, max;
    bool newest; /* Higher ids are better; else lower ones. */
    struct arena *arena;
};

static bool is_better(const struct pick *pick, uint64_t a, uint64_t b)
{
    return pick->newest ? a > b : a < b;
}

static void swap(uint64_t *a, uint64_t *b)
{
    uint64_t kept = *a;
    *a = *b;
    *b = kept;
}

/* Restores the heap below `at`, whose id may be better than those below it. */
static void sink(struct pick *pick, size_t at)
{
    for (;;) {
        size_t worst = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < pick->count; child++)
            if (is_better(pick, pick->id[worst], pick->id[child])) worst = child;
        if (worst == at) return;
        swap(&pick->id[at], &pick->id[worst]);
        at = worst;
    }
}

static void make_heap(struct pick *pick)
{
    for (size_t at = pick->count / 2; at-- > 0;) sink(pick, at);
}

/* False if the id is not among the best. Then those that follow it in its place are not, either. */
static bool offer(struct pick *pick, uint64_t id)
{
    if (pick->count == pick->max) {
        if (!is_better(pick, id, pick->id[0])) return false;
        pick->id[0] = id;
        sink(pick, 0);
        return true;
    }
    array_reserve_in(pick->arena, pick->id, pick->count, pick->cap);
    pick->id[pick->count++] = id;
    if (pick->count == pick->max) make_heap(pick);
    return true;
}

static bool is_sorted(const struct pick *pick)
{
    for (size_t i = 1; i < pick->count; i++)
        if (is_better(pick, pick->id[i], pick->id[i - 1])) return false;
    return true;
}

/* Sorts the heap, best first: moves the worst behind all others, again and again. */
static void sort(struct pick *pick)
{
    if (is_sorted(pick)) return;
    if (pick->count < pick->max) make_heap(pick);
    size_t count = pick->count;
    while (pick->count > 1) {
        swap(&pick->id[0], &pick->id[--pick->count]);
        sink(pick, 0);
    }
    pick->count = count;
}

static enum status read_places(struct sqlite_db *db, sqlite3_stmt *statement, struct arena *arena,
                               struct pick_place **ret_place, size_t *ret_count, struct error *err)
{
    struct pick_place *place = NULL;
    size_t count = 0, cap = 0;
    for (bool row;;) {
        TRY(sqlite_step(db, statement, &row, err));
        if (!row) break;
        array_reserve_in(arena, place, count, cap);
        place[count++] = (struct pick_place){ .definition = sqlite3_column_int64(statement, 0),
                                              .phase = sqlite3_column_int(statement, 1) };
    }
    *ret_place = place;
    *ret_count = count;
    return ST_OK;
}

static enum status pick_place(struct sqlite_db *db, struct pick *pick, struct pick_place place,
                              int64_t cursor, struct error *err)
{
    sqlite3_stmt *statement;
    bool tasks = place.phase == TALLY_TASKS;
    enum sql sql = tasks ? SQL_FIND_TASKS : pick->newest ? SQL_PLACE_DOWN : SQL_PLACE_UP;
    TRY(sqlite_use(db, sql, &statement, err));
    sqlite_bind_number(statement, 1, place.definition);
    if (!tasks) sqlite_bind_number(statement, 2, place.phase);
    sqlite_bind_number(statement, tasks ? 2 : 3, cursor);
    for (bool row;;) {
        TRY(sqlite_step(db, statement, &row, err));
        if (!row) return ST_OK;
        if (!offer(pick, (uint64_t)sqlite3_column_int64(statement, 0))) break;
    }
    sqlite_end(statement);
    return ST_OK;
}

static enum status pick_places(struct sqlite_db *db, struct pick *pick, sqlite3_stmt *places, int64_t cursor,
                               struct error *err)
{
    struct pick_place *place;
    size_t count;
    TRY(read_places(db, places, pick->arena, &place, &count, err));
    if (pick->max == 0) return ST_OK;
    for (size_t i = 0; i < count; i++) TRY(pick_place(db, pick, place[i], cursor, err));
    sort(pick);
    return ST_OK;
}

enum status sqlite_pick_with_jobs(struct sqlite_db *db, int32_t ns, uint64_t after, size_t max,
                                  struct arena *arena, uint64_t **ret_id, size_t *ret_count,
                                  struct error *err)
{
    struct pick pick = { .max = max, .arena = arena };
    sqlite3_stmt *places;
    TRY(sqlite_use(db, ns == TENANT_ANY ? SQL_PLACES_WITH_JOBS : SQL_PLACES_WITH_JOBS_OF, &places, err));
    if (ns != TENANT_ANY) sqlite_bind_number(places, 1, ns);
    TRY(pick_places(db, &pick, places, (int64_t)after, err));
    *ret_id = pick.id;
    *ret_count = pick.count;
    return ST_OK;
}

enum status sqlite_pick_newest(struct sqlite_db *db, const struct instance_filter *filter, size_t max,
                               struct arena *arena, uint64_t **ret_id, size_t *ret_count, struct error *err)
{
    struct pick pick = { .max = max, .newest = true, .arena = arena };
    sqlite3_stmt *places;
    bool one = filter->definition_id.n;
    TRY(sqlite_use(db, one ? SQL_PLACES_OF : SQL_PLACES, &places, err));
    sqlite_bind_number(places, 1, filter->ns);
    sqlite_bind_number(places, 2, filter->status);
    if (one) sqlite_bind_str(places, 3, filter->definition_id);
    TRY(pick_places(db, &pick, places, filter->before ? (int64_t)filter->before : INT64_MAX, err));
    *ret_id = pick.id;
    *ret_count = pick.count;
    return ST_OK;
}

static enum status use_selection(struct sqlite_db *db, const struct selection_filter *filter,
                                 sqlite3_stmt **ret_places, struct error *err)
{
    bool one = filter->definition_id.n;
    TRY(sqlite_use(db, one ? SQL_SELECTION_PLACES_OF : SQL_SELECTION_PLACES, ret_places, err));
    sqlite_bind_number(*ret_places, 1, filter->ns);
    sqlite_bind_number(*ret_places, 2, filter->statuses);
    if (one) sqlite_bind_str(*ret_places, 3, filter->definition_id);
    sqlite_bind_number(*ret_places, 4, filter->version);
    return ST_OK;
}

enum status sqlite_pick_selected(struct sqlite_db *db, const struct selection_filter *filter, size_t max,
                                 struct arena *arena, uint64_t **ret_id, size_t *ret_count, struct error *err)
{
    struct pick pick = { .max = max, .arena = arena };
    sqlite3_stmt *places;
    TRY(use_selection(db, filter, &places, err));
    TRY(pick_places(db, &pick, places, (int64_t)filter->after, err));
    *ret_id = pick.id;
    *ret_count = pick.count;
    return ST_OK;
}

static int compare_places(const void *a, const void *b)
{
    const struct pick_place *x = a, *y = b;
    return (x->definition > y->definition) - (x->definition < y->definition);
}

enum status sqlite_pick_definitions(struct sqlite_db *db, const struct selection_filter *filter,
                                    struct arena *arena, int64_t **ret_number, size_t *ret_count,
                                    struct error *err)
{
    sqlite3_stmt *statement;
    struct pick_place *place;
    size_t count, distinct = 0;
    TRY(use_selection(db, filter, &statement, err));
    TRY(read_places(db, statement, arena, &place, &count, err));
    if (count) qsort(place, count, sizeof *place, compare_places);
    int64_t *number = arena_make_n(arena, int64_t, count);
    for (size_t i = 0; i < count; i++)
        if (!distinct || number[distinct - 1] != place[i].definition)
            number[distinct++] = place[i].definition;
    *ret_number = number;
    *ret_count = distinct;
    return ST_OK;
}

/* ---- lists of operators ---- */

static void bind_definitions(sqlite3_stmt *statement, const struct find_filter *filter)
{
    sqlite_bind_number(statement, 1, filter->ns);
    if (filter->definition_id.n) sqlite_bind_str(statement, 3, filter->definition_id);
    sqlite_bind_number(statement, 4, filter->version);
    sqlite_bind_optional(statement, 5, filter->dialect);
    sqlite_bind_optional(statement, 6, filter->other_dialect);
}

enum status sqlite_find(struct sqlite_db *db, const struct find_filter *filter, struct arena *arena,
                        uint64_t **ret_id, size_t *ret_count, struct error *err)
{
    struct pick pick = { .max = filter->max, .newest = true, .arena = arena };
    sqlite3_stmt *places;
    TRY(sqlite_use(db, filter->definition_id.n ? SQL_FIND_PLACES_OF : SQL_FIND_PLACES, &places, err));
    bind_definitions(places, filter);
    sqlite_bind_number(places, 2, filter->with_tasks ? 1 : (int64_t)filter->phases << 1);
    TRY(pick_places(db, &pick, places, filter->before ? (int64_t)filter->before : INT64_MAX, err));
    *ret_id = pick.id;
    *ret_count = pick.count;
    return ST_OK;
}

enum status sqlite_find_keys(struct sqlite_db *db, int32_t ns, str prefix, const struct found_key *after,
                             size_t max, struct arena *arena, struct found_key **ret_found, size_t *ret_count,
                             struct error *err)
{
    sqlite3_stmt *statement;
    struct found_key *found = arena_make_n(arena, struct found_key, max);
    size_t count = 0;
    bool goes_on = after->id && str_compare(after->key, prefix) >= 0;
    TRY(sqlite_use(db, SQL_FIND_KEYS, &statement, err));
    sqlite_bind_number(statement, 1, ns);
    sqlite_bind_str(statement, 2, goes_on ? after->key : prefix);
    sqlite_bind_number(statement, 3, goes_on ? (int64_t)after->phase : -1);
    sqlite_bind_id(statement, 4, goes_on ? after->id : 0);
    sqlite_bind_number(statement, 5, (int64_t)max);
    for (bool row;;) {
        TRY(sqlite_step(db, statement, &row, err));
        if (!row) break;
        str key = sqlite_column_str(statement, 0, arena);
        if (!str_starts(key, prefix)) {
            sqlite_end(statement);
            break;
        }
        found[count++] = (struct found_key){ key, (uint32_t)sqlite3_column_int(statement, 1),
                                             (uint64_t)sqlite3_column_int64(statement, 2) };
    }
    *ret_found = found;
    *ret_count = count;
    return ST_OK;
}

static enum status count_definitions(struct sqlite_db *db, int32_t ns, struct store_counts *counts,
                                     struct error *err)
{
    sqlite3_stmt *statement;
    bool row;
    TRY(sqlite_use(db, SQL_COUNT_DEFINITIONS, &statement, err));
    sqlite_bind_number(statement, 1, ns);
    TRY(sqlite_step(db, statement, &row, err));
    if (row) counts->definitions += sqlite3_column_int64(statement, 0);
    sqlite_end(statement);
    return ST_OK;
}

enum status sqlite_counts(struct sqlite_db *db, const struct find_filter *filter, struct store_counts *counts,
                          struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, filter->definition_id.n ? SQL_FIND_COUNTS_OF : SQL_FIND_COUNTS, &statement, err));
    bind_definitions(statement, filter);
    for (bool row;;) {
        TRY(sqlite_step(db, statement, &row, err));
        if (!row) break;
        int64_t slot = sqlite3_column_int64(statement, 0), count = sqlite3_column_int64(statement, 1);
        if (slot == TALLY_TASKS) counts->tasks += count;
        else if (slot >= 0 && slot < STORE_PHASES) counts->phase[slot] += count;
    }
    return filter->with_definitions ? count_definitions(db, filter->ns, counts, err) : ST_OK;
}
