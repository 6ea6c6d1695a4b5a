/* runtime/access/touched.c — when keys and sessions were last used.
 *
 * A credential that this process does not know is resolved on the query thread, at least every quarter of an
 * hour while it is used. If the record says that it was last used an hour ago or more, the query thread notes
 * it here. The engine writes what was noted between turns, so that no request waits for it. A note that is
 * lost comes again with the next resolution.
 */
#include "runtime/access/access_int.h"

#include "base/must.h"
#include "runtime/transact/transact.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { TOUCHED_KEY_BYTES = 2 * CREDENTIAL_HASH_BYTES };
#define TOUCHED_INTERVAL_MS (INT64_C(3600) * 1000)

struct touched {
    pthread_mutex_t mutex; /* Guards all members below. */
    struct touched_record {
        enum access_kind kind;
        size_t n;
        char key[TOUCHED_KEY_BYTES];
    } record[TOUCHED_MAX];
    size_t count;
};

struct touched *touched_new(void)
{
    struct touched *touched = calloc(1, sizeof *touched);
    must(touched);
    must(pthread_mutex_init(&touched->mutex, NULL) == 0);
    return touched;
}

void touched_free(struct touched *touched)
{
    if (!touched) return;
    must(pthread_mutex_destroy(&touched->mutex) == 0);
    free(touched);
}

static bool has(const struct touched *touched, enum access_kind kind, str key)
{
    for (size_t i = 0; i < touched->count; i++)
        if (touched->record[i].kind == kind &&
            str_equal((str){ touched->record[i].key, touched->record[i].n }, key))
            return true;
    return false;
}

void touched_note(struct touched *touched, enum access_kind kind, str key, const struct json *record,
                  int64_t now_ms)
{
    int64_t used_ms = access_rows_time(record, STR("lastUsed"));
    if (!touched || now_ms - used_ms < TOUCHED_INTERVAL_MS || key.n > TOUCHED_KEY_BYTES) return;
    pthread_mutex_lock(&touched->mutex);
    if (touched->count < TOUCHED_MAX && !has(touched, kind, key)) {
        struct touched_record *note = &touched->record[touched->count++];
        note->kind = kind;
        note->n = key.n;
        memcpy(note->key, key.p, key.n);
    }
    pthread_mutex_unlock(&touched->mutex);
}

/* ---- the engine writes ---- */

static size_t take_all(struct touched *touched, struct arena *arena, struct touched_record **ret_record)
{
    pthread_mutex_lock(&touched->mutex);
    size_t count = touched->count;
    must(count <= TOUCHED_MAX);
    *ret_record = arena_make_n(arena, struct touched_record, count);
    memcpy(*ret_record, touched->record, count * sizeof **ret_record);
    touched->count = 0;
    pthread_mutex_unlock(&touched->mutex);
    return count;
}

static enum status write_one(struct engine *engine, const struct touched_record *note, struct error *err)
{
    struct arena *arena = &engine->turn.arena;
    struct record_row row;
    bool there;
    TRY(found_asked(store_find_record(engine->store, TENANT_ANY, access_rows_kind(note->kind),
                                      (str){ note->key, note->n }, arena, &row, err),
                    &there));
    const struct json *record = there ? access_rows_decode(note->kind, row.value, arena) : NULL;
    if (!record) return ST_OK; /* It was removed meanwhile. */
    record = access_record_set(record, "lastUsed", json_of_int(arena, engine->turn.now_ms), arena);
    row.value = json_encoded(record);
    struct changeset changeset = { .record_put = &row, .record_put_count = 1 };
    return store_apply(engine->store, &changeset, err);
}

enum status touched_write(struct engine *engine, struct error *err)
{
    struct touched_record *note;
    struct touched *touched = engine->access.touched;
    size_t count = touched ? take_all(touched, &engine->turn.arena, &note) : 0;
    if (!count) return ST_OK;
    TRY(store_begin(engine->store, err));
    enum status status = ST_OK;
    for (size_t i = 0; i < count && status == ST_OK; i++) status = write_one(engine, &note[i], err);
    if (status == ST_OK) status = store_commit(engine->store, err);
    if (status != ST_OK) store_rollback(engine->store);
    arena_reset(&engine->turn.arena);
    return status;
}
