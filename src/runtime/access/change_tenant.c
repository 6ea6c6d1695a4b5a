/* runtime/access/change_tenant.c — tenants, and their numbers.
 *
 * Rows of the store have the number of their tenant. A number is never given twice, so that nothing of a
 * tenant that is gone comes back under another name. `default` has the number 1 and is there without a
 * record.
 */
#include "runtime/access/access_int.h"

#include "base/must.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

/* ---- looking ---- */

static bool is_default(str name) { return str_equal(name, STR("default")); }

enum status change_tenant_find(struct changes *changes, str name, const char *where,
                               struct tenant *ret_tenant, struct error *err)
{
    const struct json *record;
    bool there;
    if (str_equal(name, STR("*"))) {
        *ret_tenant = (struct tenant){ .name = STR("*"), .number = TENANT_ANY };
        return ST_OK;
    }
    TRY(changes_read(changes, ACCESS_TENANT, name, &record, &there, err));
    if (!there && is_default(name)) record = access_rows_default_tenant(changes->arena), there = true;
    there = there && !json_flag(record, STR("removing"));
    /* Others than admins of all tenants get the answer that they get for a tenant that they do not know. */
    if (!there && caller_check_for(changes->call->caller, MAY_GLOBAL_ADMIN, STR_NONE, NULL) != ST_OK)
        return fail(err, ST_NOT_FOUND, where, "there is no tenant of this name");
    if (!there) return fail(err, ST_INVALID, where, "there is no tenant “%.*s”", STR_ARG(name));
    if (record && tenant_read(name, record, changes->arena, ret_tenant, err) == ST_OK) return ST_OK;
    return fail(err, ST_CONFLICT, where, "the record of the tenant “%.*s” is damaged", STR_ARG(name));
}

enum status change_tenant_name(struct changes *changes, int32_t number, str *ret_name, struct error *err)
{
    bool there;
    *ret_name = STR("default");
    if (number == TENANT_DEFAULT) return ST_OK;
    TRY(found_asked(changes_find(changes, TENANT_ANY, RECORD_TENANT_NUMBER,
                                 access_rows_number_key(number, changes->arena), ret_name, err),
                    &there));
    return there ? ST_OK : fail(err, ST_NOT_FOUND, "/tenant", "there is no tenant of this name");
}

/* ---- writing ---- */

static enum status next_number(struct changes *changes, int32_t *ret_number, struct error *err)
{
    str value = STR_NONE, key = STR("last-tenant");
    bool there;
    TRY(found_asked(changes_find(changes, TENANT_ANY, RECORD_ACCESS, key, &value, err), &there));
    uint64_t last = there ? access_rows_generation(value) : TENANT_DEFAULT;
    if (last + 1 >= TENANT_NOWHERE) return fail(err, ST_LIMIT, "/name", "the tenants' numbers are used up");
    *ret_number = (int32_t)last + 1;
    return changes_put(changes,
                       (struct record_row){ .kind = RECORD_ACCESS,
                                            .key = key,
                                            .value = access_rows_generation_value(last + 1, changes->arena) },
                       err);
}

static enum status number_record(struct changes *changes, str name, const struct json **record,
                                 struct error *err)
{
    int32_t number = TENANT_DEFAULT;
    if (json_get(*record, STR("number"))) return ST_OK;
    if (!is_default(name)) TRY(next_number(changes, &number, err));
    *record = access_record_set(*record, "number", json_of_int(changes->arena, number), changes->arena);
    return changes_put(changes,
                       (struct record_row){ .kind = RECORD_TENANT_NUMBER,
                                            .key = access_rows_number_key(number, changes->arena),
                                            .value = name },
                       err);
}

static void note_news(struct changes *changes, const struct tenant *tenant, bool is_gone)
{
    struct access_tenant_news *news = arena_make(changes->arena, struct access_tenant_news);
    *news = (struct access_tenant_news){ .tenant = *tenant, .is_gone = is_gone };
    if (changes->last_tenant) changes->last_tenant->next = news;
    else changes->first_tenant = news;
    changes->last_tenant = news;
    changes->advances = true;
}

static enum status write_tenant(struct changes *changes, const struct access_change *change,
                                const struct json *old, bool is_new, struct error *err)
{
    const struct json *record;
    struct tenant tenant;
    TRY(changes_make(changes, change, old, &record, err));
    TRY(number_record(changes, change->name, &record, err));
    TRY(tenant_read(change->name, record, changes->arena, &tenant, err));
    if (is_default(change->name) && tenant.is_suspended)
        return fail(err, ST_INVALID, "/state", "the tenant default cannot be suspended");
    bool is_same = old && json_equal(old, record);
    changes_answer(changes, change, change->name, record, is_new, is_same);
    if (is_same) return ST_OK;
    note_news(changes, &tenant, false);
    return changes_put(
        changes,
        (struct record_row){ .kind = RECORD_TENANT, .key = change->name, .value = json_encoded(record) },
        err);
}

/* ---- removing ---- */

/* Names what a tenant still has: "keys, secrets and instances". */
struct tenant_contents {
    const char *word[16];
    size_t count;
};

static void note_content(struct tenant_contents *contents, bool any, const char *word)
{
    must(contents->count < COUNT(contents->word));
    if (any) contents->word[contents->count++] = word;
}

static enum status refuse_full(struct changes *changes, str name, const struct tenant_contents *contents,
                               struct error *err)
{
    struct buf words;
    buf_init(&words, changes->arena);
    for (size_t i = 0; i < contents->count; i++)
        buf_printf(&words, "%s%s", !i ? "" : i + 1 < contents->count ? ", " : " and ", contents->word[i]);
    return fail_code(err, ST_CONFLICT, "tenant-not-empty",
                     "the tenant “%.*s” still has %.*s; remove them first, or the tenant with everything",
                     STR_ARG(name), STR_ARG(buf_str(&words)));
}

static enum status note_any(void *context, const struct record_row *row, bool *ret_stop, struct error *err)
{
    (void)row, (void)err;
    *(bool *)context = *ret_stop = true;
    return ST_OK;
}

static enum status look_at_records(struct changes *changes, const struct tenant *tenant,
                                   struct tenant_contents *contents, struct error *err)
{
    struct arena *arena = changes->arena;
    /* Keys of providers and trusted keys begin with the number, those of secrets with the qualification. */
    const str number = access_rows_number_key(tenant->number, arena),
              qualified = tenant_qualify(tenant->number, STR_NONE, arena);
    const struct {
        int32_t ns;
        enum record_kind kind;
        str prefix;
        const char *word;
    } kinds[] = { { tenant->number, RECORD_KEY_OF, STR_NONE, "keys" },
                  { tenant->number, RECORD_GRANT_OF, STR_NONE, "grants" },
                  { NAMESPACE_DEFAULT, RECORD_SECRET, qualified, "secrets" },
                  { tenant->number, RECORD_DRAFT, STR_NONE, "drafts" },
                  { tenant->number, RECORD_MODEL, STR_NONE, "models" },
                  { tenant->number, RECORD_ROUTE, STR_NONE, "triggers" },
                  { tenant->number, RECORD_MEMBER, STR_NONE, "entities" },
                  { TENANT_ANY, RECORD_PROVIDER, number, "providers" },
                  { TENANT_ANY, RECORD_TRUSTED, number, "trusted keys" } };
    for (size_t i = 0; i < COUNT(kinds); i++) {
        bool any = false;
        TRY(changes_each(changes, kinds[i].ns, kinds[i].kind, kinds[i].prefix, note_any, &any, err));
        note_content(contents, any, kinds[i].word);
    }
    return ST_OK;
}

/* The writer has no list of definitions, and a reader does not see those of the running transaction. */
static enum status look_at_definitions(struct changes *changes, const struct tenant *tenant,
                                       struct tenant_contents *contents, struct error *err)
{
    struct store_reader *reader;
    struct definition_row *row;
    struct instance_row *instance;
    const struct instance_filter filter = { .ns = tenant->number, .status = -1, .max = 1 };
    size_t definitions, instances = 0;
    if (changes->turn->deployed) return fail(err, ST_BUSY, "", "definitions change just now; try again");
    TRY(store_reader_open(changes->turn->engine->store, &reader, err));
    enum status status = reader_definitions_after(reader, tenant->number, STR_NONE, 1, changes->arena, &row,
                                                  &definitions, err);
    if (status == ST_OK)
        status = reader_instances(reader, &filter, changes->arena, &instance, &instances, NULL, err);
    store_reader_close(reader);
    TRY(status);
    note_content(contents, definitions, "definitions");
    note_content(contents, instances, "instances");
    return ST_OK;
}

static enum status check_empty(struct changes *changes, const struct tenant *tenant, struct error *err)
{
    struct tenant_contents contents = { .count = 0 };
    TRY(look_at_records(changes, tenant, &contents, err));
    TRY(look_at_definitions(changes, tenant, &contents, err));
    return contents.count ? refuse_full(changes, tenant->name, &contents, err) : ST_OK;
}

static str removal_value(const struct changes *changes, str name)
{
    struct json_builder builder;
    json_builder_init(&builder, changes->arena);
    json_open_object(&builder);
    json_add_text(&builder, STR("name"), name);
    json_add_name(&builder, STR("at"));
    json_add_int(&builder, changes->turn->now_ms);
    json_close(&builder);
    return json_encoded(json_built(&builder));
}

/* From this commit on the tenant has no number, and nobody finds it. A backlog removes its rows
 * (runtime/removal.c), also those that an empty tenant has: its audit, for one. The record of one that goes
 * with everything stays until then, so that its name is not given again before. */
static enum status begin_removal(struct changes *changes, const struct tenant *tenant,
                                 const struct json *record, bool with_everything, struct error *err)
{
    struct arena *arena = changes->arena;
    must(tenant->number > TENANT_DEFAULT);
    note_news(changes, tenant, true);
    TRY(changes_remove(changes, TENANT_ANY, RECORD_TENANT_NUMBER,
                       access_rows_number_key(tenant->number, arena), err));
    TRY(changes_put(changes,
                    (struct record_row){ .kind = RECORD_REMOVAL,
                                         .key = usage_removal_key(REMOVAL_RUNS, tenant->number, arena),
                                         .value = removal_value(changes, tenant->name) },
                    err));
    changes->turn->engine->transact.backlog[BACKLOG_REMOVAL].due = true;
    if (!with_everything) return changes_remove(changes, TENANT_ANY, RECORD_TENANT, tenant->name, err);
    record = access_record_set(record, "removing", json_of_bool(true), arena);
    return changes_put(
        changes,
        (struct record_row){ .kind = RECORD_TENANT, .key = tenant->name, .value = json_encoded(record) },
        err);
}

static enum status remove_tenant(struct changes *changes, const struct access_change *change,
                                 const struct json *old, struct error *err)
{
    struct tenant tenant;
    if (is_default(change->name))
        return fail(err, ST_CONFLICT, "", "the tenant default is there always and cannot be removed");
    if (!old) return fail(err, ST_CONFLICT, "", "the record of the tenant is damaged; put it anew first");
    TRY(tenant_read(change->name, old, changes->arena, &tenant, err));
    if (!change->with_everything) TRY(check_empty(changes, &tenant, err));
    TRY(begin_removal(changes, &tenant, old, change->with_everything, err));
    changes_answer(changes, change, change->name, NULL, false, false);
    return ST_OK;
}

static enum status check_stays(const struct access_change *change, const struct json *old, struct error *err)
{
    if (!json_flag(old, STR("removing"))) return ST_OK;
    return fail_code(err, ST_CONFLICT, "tenant-removing",
                     "the tenant “%.*s” is being removed with everything in it; wait until that is done",
                     STR_ARG(change->name));
}

enum status change_tenant(struct changes *changes, const struct access_change *change, struct error *err)
{
    const struct json *old;
    bool there;
    TRY(changes_check_admin(changes, TENANT_ANY, err));
    TRY(access_check_name(ACCESS_TENANT, change->name, err));
    TRY(changes_read(changes, ACCESS_TENANT, change->name, &old, &there, err));
    if (!there && is_default(change->name)) {
        old = access_rows_default_tenant(changes->arena);
        there = true;
    }
    TRY(check_stays(change, old, err));
    TRY(changes_check_there(change, old, there, err));
    switch (change->action) {
    case ACCESS_CREATE:
    case ACCESS_CHANGE:
    case ACCESS_PUT: return write_tenant(changes, change, old, !there, err);
    case ACCESS_REMOVE: return remove_tenant(changes, change, old, err);
    default: return changes_refuse_action(change, err);
    }
}
