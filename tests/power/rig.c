#include "rig.h"

#include "base/hash.h"
#include "base/must.h"
#include "source/source.h"
#include "store/sqlite/sqlite_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char directory[64];

static void remove_directory(void)
{
    char command[96];
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    if (system(command) != 0) fprintf(stderr, "%s is left behind\n", directory);
}

const char *rig_directory(void)
{
    if (directory[0]) return directory;
    const char *base = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%.40s/pawl-power-XXXXXX", base ? base : "/tmp");
    must(mkdtemp(directory));
    atexit(remove_directory);
    return directory;
}

static int64_t now_ms(void *context) { return ((struct rig *)context)->now_ms; }

void rig_init(struct rig *rig, const char *name)
{
    *rig = (struct rig){ .limits = limits_default(), .now_ms = 1767225600000 /* 2026-01-01T00:00:00Z */ };
    snprintf(rig->path, sizeof rig->path, "%s/%s", rig_directory(), name);
    arena_init(&rig->arena, 0);
}

void rig_done(struct rig *rig)
{
    rig_close(rig);
    arena_done(&rig->arena);
}

enum status rig_open(struct rig *rig, struct error *err)
{
    const struct store_config config = { .path = rig->path, .create = true };
    TRY(store_open(&config, &rig->store, err));
    if (rig->checkpoint_pages) sqlite_checkpoint_every(rig->store, rig->checkpoint_pages);
    if (rig->cache_pages) {
        char sql[64];
        snprintf(sql, sizeof sql, "PRAGMA cache_size = %d", rig->cache_pages);
        must(sqlite_exec(&((struct sqlite_store *)rig->store)->db, sql, NULL) == ST_OK);
        rig->limits.cache_bytes_max = 1;
    }
    enum status status =
        engine_open(&rig->engine, rig->store, (struct clock){ now_ms, rig }, &rig->limits,
                    (struct retention){ rig->retention_ms, rig->retention_ms }, &rig->metrics, err);
    if (status == ST_OK) {
        status = query_open(&rig->query, rig->store, &rig->limits, err);
        if (status != ST_OK) engine_close(&rig->engine);
    }
    if (status != ST_OK) store_close(rig->store);
    rig->open = status == ST_OK;
    return status;
}

void rig_close(struct rig *rig)
{
    if (!rig->open) return;
    engine_close(&rig->engine);
    query_close(&rig->query);
    store_close(rig->store);
    rig->open = false;
}

/* ---- calls ---- */

struct call *rig_call(struct rig *rig, enum call_kind kind)
{
    return call_new(kind, &rig->arena, NULL, NULL);
}

static bool is_for_engine(enum call_kind kind) { return call_description(kind)->on_engine; }

void rig_add(struct rig *rig, struct call *call)
{
    if (is_for_engine(call->kind) || queries_call(&rig->query, call)) call_list_add(&rig->batch, call);
    else call_list_add(&rig->answered, call);
}

void rig_turn(struct rig *rig, bool with_maintenance)
{
    rig->engine.maintenance.next_ms = with_maintenance ? 0 : INT64_MAX;
    engine_turn(&rig->engine, &rig->batch);
    for (struct call *call; (call = call_list_take(&rig->engine.for_query)) != NULL;) {
        queries_call(&rig->query, call);
        call_list_add(&rig->answered, call);
    }
    call_list_append(&rig->answered, &rig->engine.answered);
    if (rig->turned) rig->turned(rig, rig->context);
    rig->answered = (struct call_list){ 0 };
}

bool rig_run(struct rig *rig, struct call *call)
{
    rig_add(rig, call);
    if (is_for_engine(call->kind) || call->kind == CALL_DEPLOY) rig_turn(rig, false);
    else if (rig->turned) rig->turned(rig, rig->context);
    rig->answered = (struct call_list){ 0 };
    return call->status == ST_OK;
}

/* ---- checks ---- */

struct finding {
    char *text;
    size_t bytes, count;
};

static void found(void *context, const char *sentence)
{
    struct finding *finding = context;
    if (!finding->count++) snprintf(finding->text, finding->bytes, "store check: %s", sentence);
}

static struct program *compile(str source, struct arena *arena)
{
    struct problems problems;
    problems_init(&problems, arena);
    return source_compile(source, SOURCE_JSON, source.n, &problems, NULL);
}

bool rig_check(struct rig *rig, char *ret_why, size_t why_bytes)
{
    struct finding finding = { .text = ret_why, .bytes = why_bytes };
    struct error err;
    int64_t instances;
    if (store_check(rig->store, true, compile, found, &finding, &instances, &err) != ST_OK)
        found(&finding, err.message);
    return finding.count == 0;
}

static bool add_rows(sqlite3 *handle, const char *table, struct buf *dump)
{
    char sql[128];
    sqlite3_stmt *statement;
    snprintf(sql, sizeof sql, "SELECT * FROM \"%s\" ORDER BY 1, 2", table);
    if (sqlite3_prepare_v2(handle, sql, -1, &statement, NULL) != SQLITE_OK) return false;
    buf_printf(dump, "%s\n", table);
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(statement); i++) {
            const void *bytes = sqlite3_column_blob(statement, i);
            size_t n = (size_t)sqlite3_column_bytes(statement, i);
            buf_printf(dump, "%d %zu ", sqlite3_column_type(statement, i), n);
            buf_add(dump, bytes, n);
        }
        buf_add_char(dump, '\n');
    }
    sqlite3_finalize(statement);
    return code == SQLITE_DONE;
}

static bool add_tables(sqlite3 *handle, struct buf *dump)
{
    sqlite3_stmt *tables;
    static const char sql[] = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
    if (sqlite3_prepare_v2(handle, sql, -1, &tables, NULL) != SQLITE_OK) return false;
    bool good = true;
    int code;
    while ((code = sqlite3_step(tables)) == SQLITE_ROW && good)
        good = add_rows(handle, (const char *)sqlite3_column_text(tables, 0), dump);
    sqlite3_finalize(tables);
    return good && code == SQLITE_DONE;
}

uint64_t rig_digest(const char *path)
{
    sqlite3 *handle;
    uint64_t digest = DIGEST_NONE;
    if (sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK) {
        struct arena arena;
        struct buf dump;
        arena_init(&arena, 0);
        buf_init(&dump, &arena);
        /* The log stays for whoever opens the file next. */
        sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        if (!add_tables(handle, &dump)) digest = DIGEST_UNREADABLE;
        else if (dump.n) digest = hash_bytes(buf_str(&dump));
        arena_done(&arena);
    }
    sqlite3_close(handle);
    return digest;
}
