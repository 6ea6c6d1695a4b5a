/* cli/access/opened_store.c — an engine without threads on a store, for calls about access only.
 *
 * The engine takes the calls as it always does, so checks, records and the audit are the same as those of a
 * served engine. Its timers rest and it does no maintenance: nothing happens in the store but the call.
 */
#include "cli/access/opened_store.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/must.h"
#include "cli/serve/directory.h"
#include "cli/maintain/store_copy.h"
#include "runtime/engine.h"
#include "runtime/queries.h"

#include <poll.h>
#include <stdlib.h>

enum { CALL_WAIT_MS = 30000, CALL_PAUSE_MS = 5 };

struct opened_store {
    struct arena *arena;
    struct store *store;
    struct metrics metrics;
    struct limits limits;
    struct engine engine;
    struct query query;
    bool has_engine, has_query;
    struct principal *principal;
    struct grant grant;
    struct caller caller;
};

/* ---- opening ---- */

/* A process that may write the file may do everything with it. */
static void make_caller(struct opened_store *store)
{
    struct principal *principal = principal_new(PRINCIPAL_STORE);
    store->grant = (struct grant){ .role = ROLE_ADMIN, .tenant = TENANT_ANY, .source = STR("the file") };
    principal->name = principal->id = STR("store");
    principal->home = TENANT_DEFAULT;
    principal->grant = &store->grant;
    principal->grant_count = 1;
    principal->generation = GENERATION_ALWAYS;
    store->principal = principal;
    store->caller = (struct caller){
        .principal = principal, .tenant = TENANT_DEFAULT, .needs = MAY_ACCESS_ADMIN, .way = WAY_CLI
    };
}

/* The first admin is made before the first start, so a store may be made for one. Others would find nothing
 * in a new store, and their --store is a mistake. */
static bool may_make(const struct options *options)
{
    str what = options->argument_count ? options->argument[0] : STR_NONE;
    return str_equal(what, STR("add")) || str_equal(what, STR("apply"));
}

static enum status open_engine(struct opened_store *store, const char *path, bool make, struct error *err)
{
    const struct store_config config = { .path = path, .create = make, .alone = true };
    TRY(store_open(&config, &store->store, err));
    store->limits = limits_default();
    TRY(engine_open(&store->engine, store->store, clock_system(), &store->limits, (struct retention){ 0 },
                    &store->metrics, err));
    store->has_engine = true;
    store->engine.work.hold_timers_ms = INT64_MAX;
    TRY(query_open(&store->query, store->engine.store, &store->limits, err));
    store->has_query = true;
    store->query.clock = clock_system();
    return ST_OK;
}

static enum status choose_tenant(struct opened_store *store, str name, struct error *err)
{
    const struct json *answer;
    if (!name.n || str_equal(name, STR("*"))) return ST_OK;
    const struct call_access_list asked = { .kind = ACCESS_TENANT, .name = name, .max = 1 };
    TRY(opened_store_list(store, &asked, &answer, err));
    const struct json *tenant = json_item(json_get(answer, STR("items")), 0);
    store->caller.tenant = (int32_t)json_integer(tenant, STR("number"));
    return ST_OK;
}

enum status opened_store_new(const struct options *options, struct opened_store **ret_store,
                             struct error *err)
{
    const char *path, *directory;
    str name = option_text(options, OPTION_ACCESS_STORE);
    bool make = may_make(options);
    TRY(store_copy_place(name, options->arena, &path, &directory, err));
    if (directory && !make) return fail(err, ST_NOT_FOUND, directory, "there is no directory %s", directory);
    if (directory) TRY(directory_make(directory, options->arena, err));
    struct opened_store *store = calloc(1, sizeof *store);
    must(store);
    log_set_level(LOG_ERROR);
    store->arena = options->arena;
    make_caller(store);
    enum status status = open_engine(store, path, make, err);
    if (status == ST_OK) status = choose_tenant(store, option_text(options, OPTION_TENANT), err);
    if (status == ST_OK) *ret_store = store;
    else opened_store_free(store);
    return status;
}

void opened_store_free(struct opened_store *store)
{
    struct call_list none = { 0 };
    if (!store) return;
    if (store->has_engine) {
        engine_drain(&store->engine);
        engine_accept(&store->engine, &none);
        engine_commit(&store->engine);
    }
    if (store->has_query) query_close(&store->query);
    if (store->has_engine) engine_close(&store->engine);
    store_close(store->store);
    principal_unref(store->principal);
    free(store);
}

/* ---- calls ---- */

static struct call_origin origin_of(const struct opened_store *store)
{
    return (struct call_origin){ .arena = store->arena, .caller = &store->caller };
}

/* A turn that a database does not commit runs again, as long as anybody would wait. */
static enum status run_on_engine(struct opened_store *store, struct call *call, struct error *err)
{
    int64_t until_us = clock_monotonic_us() + CALL_WAIT_MS * INT64_C(1000);
    struct call_list list = { 0 };
    struct call *answered;
    call_list_add(&list, call);
    for (;;) {
        engine_accept(&store->engine, &list);
        engine_commit(&store->engine);
        answered = call_list_take(&store->engine.answered);
        if (answered) break;
        if (clock_monotonic_us() > until_us)
            return fail(err, ST_BUSY, "--store", "the store did not take it in %d seconds",
                        CALL_WAIT_MS / 1000);
        poll(NULL, 0, CALL_PAUSE_MS);
    }
    must(answered == call);
    if (call->status != ST_OK) *err = call->error;
    return call->status;
}

/* Runs the call to its end. */
static enum status submit(struct opened_store *store, struct call *call, struct error *err)
{
    bool goes_on = call_description(call->kind)->on_engine || queries_call(&store->query, call);
    if (goes_on) return run_on_engine(store, call, err);
    if (call->status != ST_OK) *err = call->error;
    return call->status;
}

static const struct json *items_of(struct opened_store *store, struct json_builder *items)
{
    json_close(items);
    return json_set(store->arena, json_empty_object(), STR("items"), json_built(items));
}

enum status opened_store_list(struct opened_store *store, const struct call_access_list *asked,
                              const struct json **ret_answer, struct error *err)
{
    struct call *call = call_list_access(origin_of(store), asked);
    struct json_builder items;
    TRY(submit(store, call, err));
    const struct answer_access_list *answer = &call->value.access_list;
    json_builder_init(&items, store->arena);
    json_open_array(&items);
    for (size_t i = 0; i < answer->count; i++) json_add(&items, answer->view[i]);
    *ret_answer = items_of(store, &items);
    if (!answer->more) return ST_OK;
    const struct json *last = json_of_string(store->arena, answer->name[answer->count - 1]);
    *ret_answer = json_set(store->arena, *ret_answer, STR("nextCursor"), last);
    return ST_OK;
}

static const char *outcome_of(const struct answer_access *answer, size_t i)
{
    if (!answer->view[i]) return "removed";
    return answer->is_new[i] ? "added" : answer->is_same[i] ? "same" : "changed";
}

enum status opened_store_change(struct opened_store *store, struct access_change *change, size_t count,
                                bool dry_run, const struct json **ret_answer, struct error *err)
{
    const struct call_access asked = { .change = change, .count = count, .dry_run = dry_run };
    struct call *call = call_change_access(origin_of(store), &asked);
    struct json_builder items;
    TRY(submit(store, call, err));
    const struct answer_access *answer = &call->value.access;
    json_builder_init(&items, store->arena);
    json_open_array(&items);
    for (size_t i = 0; i < answer->count; i++) {
        json_open_object(&items);
        json_add_text(&items, STR("kind"), str_of(access_kind_word(change[i].kind)));
        json_add_text(&items, STR("name"), answer->name[i]);
        json_add_text(&items, STR("outcome"), str_of(outcome_of(answer, i)));
        json_add_name(&items, STR("record"));
        json_add(&items, answer->view[i]);
        json_close(&items);
    }
    *ret_answer = items_of(store, &items);
    return ST_OK;
}

/* ---- all records ---- */

struct records {
    struct access_file_record *record;
    size_t count, cap;
};

/* The key of a grant has its holder before its id. */
static str name_of(enum access_kind kind, str key)
{
    const char *end = kind == ACCESS_GRANT ? memchr(key.p, 0, key.n) : NULL;
    return end ? str_slice(key, (size_t)(end - key.p) + 1, key.n) : key;
}

static void add_record(struct opened_store *store, struct records *records, enum access_kind kind,
                       const struct record_row *row)
{
    if (records->count == records->cap)
        records->record =
            array_grow_in(store->arena, records->record, &records->cap, sizeof *records->record);
    records->record[records->count++] =
        (struct access_file_record){ .kind = kind,
                                     .name = arena_str(store->arena, name_of(kind, row->key)),
                                     .record = json_decode(row->value, store->arena) };
}

enum status opened_store_records(struct opened_store *store, struct access_file_record **ret_record,
                                 size_t *ret_count, struct error *err)
{
    enum { AT_ONCE = 500 };
    static const enum record_kind kind_of[] = { [ACCESS_USER] = RECORD_USER,
                                                [ACCESS_KEY] = RECORD_KEY,
                                                [ACCESS_GRANT] = RECORD_GRANT,
                                                [ACCESS_ISSUER] = RECORD_ISSUER,
                                                [ACCESS_TENANT] = RECORD_TENANT };
    struct records records = { 0 };
    for (enum access_kind kind = 0; kind < COUNT(kind_of); kind++) {
        struct record_filter filter = { .ns = TENANT_ANY, .kind = kind_of[kind], .max = AT_ONCE };
        struct record_row *row;
        for (size_t count = AT_ONCE; count == AT_ONCE;) {
            TRY(reader_records(store->query.reader, &filter, store->arena, &row, &count, err));
            for (size_t i = 0; i < count; i++) add_record(store, &records, kind, &row[i]);
            if (count) filter.after = row[count - 1].key;
        }
    }
    *ret_record = records.record;
    *ret_count = records.count;
    return ST_OK;
}

/* ---- the audit ---- */

enum status opened_store_audit(struct opened_store *store, const struct call_audit_rows *asked,
                               const struct json **ret_answer, struct error *err)
{
    struct call *call = call_list_audit_rows(origin_of(store), asked);
    struct buf text;
    TRY(submit(store, call, err));
    const struct answer_audit_rows *answer = &call->value.audit_rows;
    buf_init(&text, store->arena);
    buf_add_str(&text, STR("{\"items\":["));
    for (size_t i = 0; i < answer->count; i++) {
        if (i) buf_add_char(&text, ',');
        audit_put(&answer->row[i], answer->id[i], &text);
    }
    buf_add_str(&text, STR("]"));
    if (answer->next.n) {
        buf_add_str(&text, STR(",\"nextCursor\":"));
        json_print_string(answer->next, &text);
    }
    buf_add_char(&text, '}');
    return json_parse(buf_str(&text), NULL, store->arena, ret_answer, err);
}

enum status opened_store_verify(struct opened_store *store, const struct json **ret_answer, struct error *err)
{
    struct call *call = call_verify_audit(origin_of(store), &(struct call_audit_rows){ 0 });
    TRY(submit(store, call, err));
    const struct answer_audit_rows *answer = &call->value.audit_rows;
    *ret_answer = json_set(store->arena, json_empty_object(), STR("checked"),
                           json_of_int(store->arena, answer->checked));
    if (answer->broken.n)
        *ret_answer =
            json_set(store->arena, *ret_answer, STR("broken"), json_of_string(store->arena, answer->broken));
    return ST_OK;
}
