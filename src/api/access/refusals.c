/* api/access/refusals.c — notes refused requests: the last ones for admins, and counts for the audit.
 *
 *     a refusal ──► the directory counts it ──► at the end of its minute: one row for each principal
 *
 * The counts of a minute are one call of the engine. If the engine does not take it, the same rows are sent
 * again with the next look. An engine that stops writes the counts of the running minute.
 */
#include "api/access/access_int.h"

#include "base/clock.h"
#include "base/must.h"
#include "json/put.h"

#include <stdio.h>
#include <stdlib.h>

/* Rows that the engine has not written yet. */
struct refusal_rows {
    struct arena arena;
    struct call_note_access asked;
    struct api *api;
    bool is_sent;
};

static int64_t now_ms(void)
{
    struct clock clock = clock_system();
    return clock_now_ms(&clock);
}

/* ---- one refusal ---- */

static struct refusal_note new_note(struct api_request *request, const char *why)
{
    const struct principal *principal = request->caller.principal;
    struct refusal_note note = { .at_ms = now_ms(),
                                 .tenant = request->caller.tenant,
                                 .way = request->caller.way };
    snprintf(note.address, sizeof note.address, "%.*s", STR_ARG(request->caller.address));
    snprintf(note.asked, sizeof note.asked, "%.*s %.*s", STR_ARG(request->http->method),
             STR_ARG(request->http->path));
    if (principal) snprintf(note.principal, sizeof note.principal, "%.*s", STR_ARG(principal->id));
    snprintf(note.why, sizeof note.why, "%s", why);
    request->is_refused = true;
    return note;
}

void access_note_refusal(struct api_request *request, const char *why)
{
    if (request->is_refused) return;
    struct refusal_note note = new_note(request, why);
    directory_note_refusal(request->api->directory, &note);
}

enum status access_refuse(struct api_request *request, const char *why, struct error *err)
{
    access_note_refusal(request, why);
    return fail(err, ST_UNAUTHORIZED, "",
                "send a key or a token that counts: Authorization: Bearer …; people sign in at /ui/login");
}

/* People type passwords where their name belongs. A text that cannot be a name is not kept. */
void access_refuse_login(struct api_request *request, str issuer, str name, const char *why)
{
    struct refusal_note note = new_note(request, why);
    bool is_name = access_check_name(ACCESS_USER, name, NULL) == ST_OK || issuer.n;
    note.is_login = true;
    if (is_name)
        snprintf(note.principal, sizeof note.principal, "user:%.*s%s%.*s", STR_ARG(issuer),
                 issuer.n ? "#" : "", STR_ARG(name));
    directory_note_refusal(request->api->directory, &note);
}

/* ---- rows ---- */

static str details_of(const struct refusal_count *count, struct arena *arena)
{
    struct buf details;
    buf_init(&details, arena);
    PUT(&details, "\"why\":");
    put_text(&details, str_of(count->newest.why));
    return buf_str(&details);
}

static struct audit_row row_of(const struct refusal_count *count, struct arena *arena)
{
    const struct refusal_note *newest = &count->newest;
    struct audit_row row = { .tenant = newest->tenant,
                             .principal = newest->principal[0] ? str_of(newest->principal) : STR("nobody"),
                             .way = newest->way,
                             .action = newest->is_login ? STR("session.login") : STR("access.refused"),
                             .object = str_of(newest->asked),
                             .outcome = STR("refused"),
                             .address = str_of(newest->address),
                             .details = details_of(count, arena),
                             .count = count->count };
    if (!count->is_shared) return row;
    row.tenant = TENANT_DEFAULT;
    row.principal = STR("others");
    row.action = STR("access.refused");
    row.address = row.object = STR_NONE;
    return row;
}

static struct refusal_rows *take_rows(struct api *api, bool all)
{
    struct arena arena;
    struct refusal_count *count;
    arena_init(&arena, 0);
    size_t n = directory_take_refusals(api->directory, now_ms(), all, &arena, &count);
    if (!n) {
        arena_done(&arena);
        return NULL;
    }
    struct refusal_rows *rows = arena_make(&arena, struct refusal_rows);
    struct audit_row *row = arena_make_n(&arena, struct audit_row, n);
    for (size_t i = 0; i < n; i++) row[i] = row_of(&count[i], &arena);
    rows->asked = (struct call_note_access){ .row = row, .count = n };
    rows->api = api;
    rows->arena = arena;
    return rows;
}

static void drop_rows(struct refusal_rows *rows)
{
    struct arena arena = rows->arena;
    arena_done(&arena);
}

static void written(struct call *call)
{
    struct refusal_rows *rows = call->user;
    rows->is_sent = false;
    if (call->status != ST_OK) return;
    rows->api->refusal_rows = NULL;
    drop_rows(rows);
}

void access_look_at_refusals(struct api *api, bool all)
{
    if (!api->refusal_rows) api->refusal_rows = take_rows(api, all);
    struct refusal_rows *rows = api->refusal_rows;
    if (!rows || rows->is_sent) return;
    struct call *call = call_note_access((struct call_origin){ &rows->arena, written, rows }, &rows->asked);
    rows->is_sent = true;
    if (runtime_submit(api->config.client, call) != ST_OK) rows->is_sent = false;
}

void access_free_refusals(struct api *api)
{
    if (api->refusal_rows) drop_rows(api->refusal_rows);
    api->refusal_rows = NULL;
}
