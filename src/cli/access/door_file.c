/* cli/access/door_file.c — all records at once: listed, applied from a file, exported to one. */
#include "base/array.h"
#include "cli/access/door.h"
#include "cli/access/opened_store.h"
#include "cli/output.h"

static const enum access_kind kinds[] = { ACCESS_TENANT, ACCESS_USER, ACCESS_ISSUER, ACCESS_KEY,
                                          ACCESS_GRANT };

struct gathering {
    struct door *door;
    struct door_record *record;
    size_t count, cap;
};

static void gather(struct gathering *all, enum access_kind kind, str name, const struct json *view)
{
    if (all->count == all->cap)
        all->record = array_grow_in(all->door->arena, all->record, &all->cap, sizeof *all->record);
    all->record[all->count++] = (struct door_record){ .kind = kind, .name = name, .view = view };
}

/* ---- from an engine ---- */

static bool has_id(enum access_kind kind) { return kind == ACCESS_KEY || kind == ACCESS_GRANT; }

/* A grant in all tenants is in the list of each. */
static bool is_here(const struct gathering *all, enum access_kind kind, str name)
{
    for (size_t i = all->count; kind == ACCESS_GRANT && i-- > 0;)
        if (all->record[i].kind == kind && str_equal(all->record[i].name, name)) return true;
    return false;
}

/* All pages of a list. */
static int gather_list(struct gathering *all, enum access_kind kind)
{
    struct client *client = &all->door->client;
    str first = arena_printf(all->door->arena, "/api/%s?pageSize=200", access_kind_words(kind));
    str cursor = STR_NONE;
    do {
        int code = client_get(client, client_with(client, first, "cursor", cursor));
        if (code) return code;
        struct json_each each = json_each(json_get(client->answer, STR("items")));
        while (json_next(&each)) {
            str name = json_text(each.value, has_id(kind) ? STR("id") : STR("name"));
            if (!is_here(all, kind, name)) gather(all, kind, name, each.value);
        }
        cursor = json_text(client->answer, STR("nextCursor"));
    } while (cursor.n);
    return 0;
}

/* Keys and grants are listed by tenant. */
static int gather_of_tenants(struct gathering *all, enum access_kind kind)
{
    struct client *client = &all->door->client;
    str before = client->identity;
    size_t count = all->count;
    int code = 0;
    for (size_t i = 0; i < count && !code; i++) {
        if (all->record[i].kind != ACCESS_TENANT) continue;
        str session = str_find(before, STR("Cookie:"), 0) == SIZE_MAX
                          ? STR_NONE
                          : str_slice(before, str_find(before, STR("Cookie:"), 0), before.n);
        client->identity = arena_printf(all->door->arena, "X-Pawl-Tenant: %.*s\r\n%.*s",
                                        STR_ARG(all->record[i].name), STR_ARG(session));
        code = gather_list(all, kind);
    }
    client->identity = before;
    return code;
}

/* ---- from a store ---- */

static int gather_stored(struct gathering *all)
{
    struct access_file_record *record;
    struct arena *arena = all->door->arena;
    struct error err;
    size_t count;
    if (opened_store_records(all->door->store, &record, &count, &err) != ST_OK) return output_fail(&err);
    for (size_t i = 0; i < count; i++) {
        bool is_good =
            record[i].record && access_record_check(record[i].kind, record[i].record, NULL) == ST_OK;
        gather(all, record[i].kind, record[i].name,
               is_good ? access_record_view(record[i].kind, record[i].name, record[i].record, arena)
                       : json_empty_object());
    }
    return 0;
}

int door_all(struct door *door, struct door_record **ret_record, size_t *ret_count)
{
    struct gathering all = { .door = door };
    int code = door->store ? gather_stored(&all) : 0;
    for (size_t i = 0; i < COUNT(kinds) && !code && !door->store; i++)
        code = has_id(kinds[i]) ? gather_of_tenants(&all, kinds[i]) : gather_list(&all, kinds[i]);
    *ret_record = all.record;
    *ret_count = all.count;
    return code;
}

/* ---- apply ---- */

/* The tenant of a key or grant; others belong to none. */
static str tenant_of(const struct door_record *record)
{
    return has_id(record->kind) ? json_text(record->view, STR("tenant")) : STR_NONE;
}

static int apply_to_store(struct door *door, const struct json *file, const struct door_record *removed,
                          size_t count, bool dry_run)
{
    struct access_change *read, *change;
    const struct json *answer;
    struct error err;
    size_t read_count;
    if (access_file_read(file, door->arena, &read, &read_count, &err) != ST_OK) {
        output_complain("%s: %s", err.where, err.message);
        return status_exit(err.status);
    }
    change = arena_make_n(door->arena, struct access_change, read_count + count);
    if (read_count) memcpy(change, read, read_count * sizeof *read);
    for (size_t i = 0; i < count; i++)
        change[read_count + i] = (struct access_change){ .kind = removed[i].kind,
                                                         .action = ACCESS_REMOVE,
                                                         .name = removed[i].name,
                                                         .tenant = tenant_of(&removed[i]) };
    if (opened_store_change(door->store, change, read_count + count, dry_run, &answer, &err) != ST_OK)
        return output_fail(&err);
    door->client.answer = answer;
    return 0;
}

/* {"file": …, "remove": [{kind, name, tenant}]} */
static str apply_body(struct door *door, const struct json *file, const struct door_record *removed,
                      size_t count)
{
    struct json_builder body;
    struct buf text;
    json_builder_init(&body, door->arena);
    json_open_object(&body);
    json_add_name(&body, STR("file"));
    json_add(&body, file);
    json_add_name(&body, STR("remove"));
    json_open_array(&body);
    for (size_t i = 0; i < count; i++) {
        json_open_object(&body);
        json_add_text(&body, STR("kind"), str_of(access_kind_word(removed[i].kind)));
        json_add_text(&body, STR("name"), removed[i].name);
        if (tenant_of(&removed[i]).n) json_add_text(&body, STR("tenant"), tenant_of(&removed[i]));
        json_close(&body);
    }
    json_close(&body);
    json_close(&body);
    buf_init(&text, door->arena);
    json_print(json_built(&body), &text);
    return buf_str(&text);
}

int door_apply(struct door *door, const struct json *file, const struct door_record *removed, size_t count,
               bool dry_run)
{
    if (door->store) return apply_to_store(door, file, removed, count, dry_run);
    str path = dry_run ? STR("/api/access/apply?dryRun=true") : STR("/api/access/apply");
    return client_post(&door->client, path, apply_body(door, file, removed, count), 0);
}

/* ---- export ---- */

/* An engine shows no hashes, and a key without its hash could not be applied again. */
static size_t leave_out_keys(struct access_file_record *record, size_t *count)
{
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++)
        if (record[i].kind != ACCESS_KEY) record[kept++] = record[i];
    size_t left_out = *count - kept;
    *count = kept;
    return left_out;
}

static int records_of(struct door *door, struct access_file_record **ret_record, size_t *ret_count)
{
    struct door_record *all;
    struct error err;
    if (door->store)
        return opened_store_records(door->store, ret_record, ret_count, &err) == ST_OK ? 0
                                                                                       : output_fail(&err);
    int code = door_all(door, &all, ret_count);
    *ret_record = arena_make_n(door->arena, struct access_file_record, *ret_count);
    for (size_t i = 0; i < *ret_count && !code; i++) {
        const struct json *given = access_record_given(all[i].kind, all[i].view, door->arena);
        (*ret_record)[i] = (struct access_file_record){ all[i].kind, all[i].name, given };
    }
    return code;
}

int door_export(struct door *door, bool with_hashes, const struct json **ret_file)
{
    struct access_file_record *record;
    size_t count, damaged;
    if (with_hashes && !door->store) {
        output_complain("an engine shows no hashes: --with-hashes needs --store");
        return status_exit(ST_INVALID);
    }
    int code = records_of(door, &record, &count);
    if (code) return code;
    size_t keys = with_hashes ? 0 : leave_out_keys(record, &count);
    *ret_file = access_file_write(record, count, with_hashes, door->arena, &damaged);
    if (keys)
        output_complain("%zu key%s left out: only --store with --with-hashes has their hashes", keys,
                        keys == 1 ? " is" : "s are");
    if (damaged) output_complain("%zu damaged record%s left out", damaged, damaged == 1 ? " is" : "s are");
    return 0;
}
