/* runtime/access/change_access.c — changes of users, keys, grants, issuers, tenants and sessions.
 *
 * When the last change of a call was judged, one changeset writes all of them in the turn's transaction, and
 * counts up the generation, which makes every node resolve its principals again.
 *
 * The API has let the caller in already. The caller is checked here once more, because other nodes send
 * calls, too, and because only here the record says whose it is.
 */
#include "runtime/access/access_int.h"

#include "base/must.h"
#include "json/put.h"
#include "runtime/transact/transact.h"

/* ---- the end ---- */

static enum status count_generation(struct changes *changes, uint64_t *ret_generation, struct error *err)
{
    str value = STR_NONE;
    bool there;
    TRY(found_asked(changes_find(changes, TENANT_ANY, RECORD_ACCESS, STR("generation"), &value, err),
                    &there));
    *ret_generation = (there ? access_rows_generation(value) : 0) + 1;
    value = access_rows_generation_value(*ret_generation, changes->arena);
    TRY(changes_put(changes,
                    (struct record_row){ .kind = RECORD_ACCESS, .key = STR("generation"), .value = value },
                    err));
    if (!changes->first_tenant) return ST_OK;
    return changes_put(
        changes, (struct record_row){ .kind = RECORD_ACCESS, .key = STR("tenants"), .value = value }, err);
}

static enum status note_any(void *context, const struct record_row *row, bool *ret_stop, struct error *err)
{
    (void)row, (void)err;
    *(bool *)context = *ret_stop = true;
    return ST_OK;
}

static enum status gather_news(struct changes *changes, struct access_news *news, struct error *err)
{
    if (changes->advances) TRY(count_generation(changes, &news->generation, err));
    news->first_generation = news->generation;
    TRY(ended_sessions_count(changes, news, err));
    TRY(changes_each(changes, TENANT_ANY, RECORD_USER, STR_NONE, note_any, &news->has_users, err));
    TRY(changes_each(changes, TENANT_ANY, RECORD_ISSUER, STR_NONE, note_any, &news->has_issuers, err));
    news->first_tenant = changes->first_tenant;
    return ST_OK;
}

static void add_ended(struct access_news *news, struct access_news *before)
{
    struct ended_session **last = &before->first_ended;
    if (!before->first_ended) return;
    if (!news->first_ended) news->ended = before->ended;
    news->ended_before = before->ended_before;
    while (*last) last = &(*last)->next;
    *last = news->first_ended;
    news->first_ended = before->first_ended;
}

/* Behind the news of earlier calls in the same transaction. */
static void add_news(struct turn *turn, struct access_news *news)
{
    struct access_news *before = turn->access_news;
    struct access_tenant_news **last = before ? &before->first_tenant : NULL;
    turn->access_news = news;
    if (!before) return;
    if (!news->generation) news->generation = before->generation;
    if (before->first_generation) news->first_generation = before->first_generation;
    add_ended(news, before);
    while (*last) last = &(*last)->next;
    *last = news->first_tenant;
    news->first_tenant = before->first_tenant;
}

/* ---- the audit ---- */

static str action_of(struct changes *changes, const struct access_change *change, bool is_new)
{
    const char *word = access_action_word(change->action);
    if (change->action == ACCESS_PUT) word = access_action_word(is_new ? ACCESS_CREATE : ACCESS_CHANGE);
    if (change->kind == ACCESS_SESSION && change->action == ACCESS_CREATE) return STR("session.login");
    if (change->action == ACCESS_END) return STR("session.end");
    return arena_printf(changes->arena, "%s.%s", access_kind_word(change->kind), word);
}

/* Names of the members that the client has sent, never their values. */
static str details_of(struct changes *changes, const struct access_change *change)
{
    struct buf out;
    struct json_each each = json_each(change->object);
    bool first = true;
    if (!json_is(change->object, JSON_OBJECT) || !json_count(change->object)) return STR_NONE;
    buf_init(&out, changes->arena);
    PUT(&out, "\"members\":[");
    while (json_next(&each)) {
        if (!first) PUT(&out, ",");
        put_text(&out, each.name);
        first = false;
    }
    PUT(&out, "]");
    return buf_str(&out);
}

/* A login is the user's own, although nobody was known when it was asked for. */
static enum status note_login(struct changes *changes, const struct access_change *change, size_t i,
                              struct error *err)
{
    const struct json *session = changes->call->value.access.view[i];
    str owner = access_rows_owner(session, changes->arena);
    const struct audit_row row = { .tenant = changes->call->ns,
                                   .principal = arena_printf(changes->arena, "user:%.*s", STR_ARG(owner)),
                                   .way = change->way,
                                   .action = action_of(changes, change, true),
                                   .object = json_text(session, STR("id")),
                                   .outcome = STR("done"),
                                   .request_id = change->request_id,
                                   .address = change->address,
                                   .count = 1 };
    return audit_note_row(changes->turn, &row, err);
}

/* The chain of a tenant goes with it, so the row about that is in the default tenant's. */
static enum status note_change(struct changes *changes, const struct access_change *change, size_t i,
                               struct error *err)
{
    const struct answer_access *answer = &changes->call->value.access;
    struct audit_row row = { .action = action_of(changes, change, answer->is_new[i]),
                             .object = answer->name[i],
                             .details = details_of(changes, change) };
    if (change->kind != ACCESS_TENANT || change->action != ACCESS_REMOVE)
        return audit_note(changes->turn, changes->call, &row, err);
    struct call call = *changes->call;
    call.ns = TENANT_DEFAULT;
    if (change->with_everything) row.details = STR("\"with\":\"everything\"");
    return audit_note(changes->turn, &call, &row, err);
}

static enum status note_changes(struct changes *changes, struct error *err)
{
    const struct call *call = changes->call;
    const struct answer_access *answer = &call->value.access;
    for (size_t i = 0; i < call->as.access.count; i++) {
        const struct access_change *change = &call->as.access.change[i];
        bool begins = change->kind == ACCESS_SESSION && change->action == ACCESS_CREATE;
        if (answer->is_same[i]) continue;
        if (begins) TRY(note_login(changes, change, i, err));
        else TRY(note_change(changes, change, i, err));
    }
    return ST_OK;
}

static enum status finish(struct changes *changes, struct error *err)
{
    struct access_news *news = arena_make(changes->arena, struct access_news);
    if (changes->may_lose_admin) TRY(last_admin_check(changes, err));
    if (changes->call->as.access.dry_run || !changes->first) return ST_OK;
    TRY(gather_news(changes, news, err));
    TRY(changes_write(changes, err));
    add_news(changes->turn, news);
    return note_changes(changes, err);
}

/* ---- the call ---- */

static enum status change_all(struct changes *changes, struct error *err)
{
    static change_fn *const functions[] = {
        [ACCESS_USER] = change_user,      [ACCESS_KEY] = change_key,       [ACCESS_GRANT] = change_grant,
        [ACCESS_ISSUER] = change_issuer,  [ACCESS_TENANT] = change_tenant, [ACCESS_SESSION] = change_session,
        [ACCESS_PROVIDER] = change_trust, [ACCESS_TRUSTED] = change_trust, [ACCESS_KEY_PAIR] = change_trust,
    };
    const struct call_access *asked = &changes->call->as.access;
    for (size_t i = 0; i < asked->count; i++) {
        enum access_kind kind = asked->change[i].kind;
        must(kind < ACCESS_KIND_COUNT);
        TRY(functions[kind](changes, &asked->change[i], err));
    }
    return finish(changes, err);
}

enum status change_access_call(struct turn *turn, struct call *call, struct error *err)
{
    size_t count = call->as.access.count;
    struct changes changes = { .turn = turn,
                               .call = call,
                               .arena = &turn->arena,
                               .by = call->caller ? call->caller->principal->id : STR("engine") };
    call->value.access =
        (struct answer_access){ .view = arena_make_n(call->arena, const struct json *, count),
                                .name = arena_make_n(call->arena, str, count),
                                .is_new = arena_make_n(call->arena, bool, count),
                                .is_same = arena_make_n(call->arena, bool, count),
                                .count = count };
    TRY(transact_begin(turn, err));
    text_map_init(&changes.staged_of);
    map_init(&changes.keys_left);
    enum status status = change_all(&changes, err);
    map_done(&changes.keys_left);
    text_map_done(&changes.staged_of);
    return status;
}
