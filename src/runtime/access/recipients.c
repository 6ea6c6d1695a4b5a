/* runtime/access/recipients.c — addresses of the people whom a task asks.
 *
 * People are users with a role in the tenant: a task of one tenant never writes to somebody who knows only
 * others. Groups have no list of their members, so the users are read in order, up to a bound.
 */
#include "runtime/access/access_int.h"

#include "base/must.h"
#include "core/task.h"
#include "runtime/limits.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

struct recipient_search {
    struct query *query;
    struct call *call;
    struct answer_recipients *answer;
    struct text_map found;   /* Names of users and addresses that are in the answer. */
    struct text_map reached; /* Groups of which somebody is. */
    struct text_map missing; /* Names that are among those without an address. */
};

static void add_missing(struct recipient_search *search, str name)
{
    struct answer_recipients *answer = search->answer;
    if (text_map_get(&search->missing, name) || answer->without_count == RECIPIENTS_MAX) return;
    must(answer->without_count < RECIPIENTS_MAX);
    text_map_put(&search->missing, name, search);
    answer->without[answer->without_count++] = name;
}

static void add_address(struct recipient_search *search, str name, str address)
{
    struct answer_recipients *answer = search->answer;
    if (text_map_get(&search->found, address)) return;
    if (answer->count == RECIPIENTS_MAX) {
        answer->cut = true;
        return;
    }
    must(answer->count < RECIPIENTS_MAX && address.n);
    text_map_put(&search->found, address, search);
    answer->name[answer->count] = name;
    answer->address[answer->count++] = address;
}

static bool is_address(str text)
{
    size_t at = str_find(text, STR("@"), 0);
    return at != SIZE_MAX && at && at + 1 < text.n;
}

/* ---- people ---- */

/* True if the user may be written to: active, and with a role in the tenant. */
static enum status find_user(struct recipient_search *search, str name, const struct json **ret_record,
                             bool *ret_there, struct error *err)
{
    struct arena *arena = search->call->arena;
    struct record_row row;
    bool knows = false;
    *ret_record = NULL;
    TRY(found_asked(
        reader_find_record(search->query->reader, TENANT_ANY, RECORD_USER, name, arena, &row, err),
        ret_there));
    if (*ret_there) TRY(resolve_knows(search->query, name, search->call->ns, arena, &knows, err));
    if (knows) *ret_record = access_rows_decode(ACCESS_USER, row.value, arena);
    return ST_OK;
}

static enum status add_person(struct recipient_search *search, str name, struct error *err)
{
    const struct json *record;
    bool there;
    TRY(find_user(search, name, &record, &there, err));
    str address = json_text(record, STR("email"));
    if (address.n) add_address(search, name, address);
    else if (!there && is_address(name)) add_address(search, name, name);
    else add_missing(search, name);
    return ST_OK;
}

static enum status add_people(struct recipient_search *search, struct error *err)
{
    size_t cursor = 0, count = 0;
    str name;
    while (task_next_name(search->call->as.recipients.people, &cursor, &name)) {
        search->answer->cut |= count == RECIPIENTS_MAX;
        if (count++ >= RECIPIENTS_MAX) break;
        TRY(add_person(search, name, err));
    }
    return ST_OK;
}

/* ---- groups ---- */

/* The first of the groups asked for that the user is in; empty: none. */
static str group_of(const struct recipient_search *search, const struct json *record)
{
    struct json_each each = json_each(json_get(record, STR("groups")));
    while (json_next(&each))
        if (json_is(each.value, JSON_STRING) &&
            task_has_name(search->call->as.recipients.groups, json_string(each.value)))
            return json_string(each.value);
    return STR_NONE;
}

static enum status take_member(struct recipient_search *search, const struct record_row *row,
                               struct error *err)
{
    struct arena *arena = search->call->arena;
    const struct json *record = access_rows_decode(ACCESS_USER, row->value, arena);
    str group = record ? group_of(search, record) : STR_NONE;
    bool knows = false;
    if (!group.n) return ST_OK;
    TRY(resolve_knows(search->query, row->key, search->call->ns, arena, &knows, err));
    if (!knows) return ST_OK;
    struct json_each each = json_each(json_get(record, STR("groups")));
    while (json_next(&each))
        if (json_is(each.value, JSON_STRING)) text_map_put(&search->reached, json_string(each.value), search);
    str address = json_text(record, STR("email"));
    if (address.n) add_address(search, row->key, address);
    else add_missing(search, row->key);
    return ST_OK;
}

static enum status add_members(struct recipient_search *search, struct error *err)
{
    struct record_filter filter = { .ns = TENANT_ANY, .kind = RECORD_USER, .max = ACCESS_ROWS_AT_ONCE };
    struct record_row *row;
    size_t count, seen = 0;
    do {
        TRY(reader_records(search->query->reader, &filter, search->call->arena, &row, &count, err));
        for (size_t i = 0; i < count && seen < RECIPIENT_USERS_MAX; i++, seen++)
            TRY(take_member(search, &row[i], err));
        if (count) filter.after = row[count - 1].key;
    } while (count == ACCESS_ROWS_AT_ONCE && seen < RECIPIENT_USERS_MAX);
    search->answer->cut |= count && seen == RECIPIENT_USERS_MAX;
    size_t cursor = 0;
    str group;
    while (task_next_name(search->call->as.recipients.groups, &cursor, &group))
        if (!text_map_get(&search->reached, group)) add_missing(search, group);
    return ST_OK;
}

enum status recipients_call(struct query *query, struct call *call, struct error *err)
{
    struct answer_recipients *answer = &call->value.recipients;
    const struct call_recipients *asked = &call->as.recipients;
    struct recipient_search search = { .query = query, .call = call, .answer = answer };
    size_t cursor = 0;
    str name;
    *answer = (struct answer_recipients){ .name = arena_make_n(call->arena, str, RECIPIENTS_MAX),
                                          .address = arena_make_n(call->arena, str, RECIPIENTS_MAX),
                                          .without = arena_make_n(call->arena, str, RECIPIENTS_MAX) };
    text_map_init(&search.found);
    text_map_init(&search.reached);
    text_map_init(&search.missing);
    enum status status = add_people(&search, err);
    if (status == ST_OK && task_next_name(asked->groups, &cursor, &name)) status = add_members(&search, err);
    text_map_done(&search.found);
    text_map_done(&search.reached);
    text_map_done(&search.missing);
    return status;
}
