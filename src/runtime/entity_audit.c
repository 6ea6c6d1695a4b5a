/* runtime/entity_audit.c — what happened to an entity, in pages, from its history.
 *
 * The newest events come first. A place in the list is a revision and a number among its events, which never
 * change, so that a page begins where the one before ended, whatever has happened since. Histories are read a
 * part at a time, because others wait for the query thread, and one page looks at only so many of them.
 */
#include "runtime/entity_history.h"
#include "runtime/limits.h"
#include "runtime/query.h"

/* Between the parts of a page. */
struct entity_auditing {
    uint64_t instance;
    struct history_place from;
    uint32_t below; /* Of the revision at `from`: only events before this one. */
    size_t scanned;
    uint32_t growth; /* So often twice as many histories are read at once. */
    bool is_done;
};

/* Histories in one part, newest first. */
struct audited {
    struct history *history;
    struct history_row *row;
    size_t count;
    bool is_whole;
};

static bool is_asked(const struct call_audit *asked, const struct entity_event *event)
{
    enum audit_kind kind = entity_event_is_change(event->kind) ? AUDIT_CHANGE : AUDIT_STATE_MACHINE;
    if (asked->kinds && !(asked->kinds & kind)) return false;
    if (asked->only_finish && event->kind != ENTITY_EVENT_FINISH) return false;
    return asked->severity == AUDIT_ANY ||
           asked->severity == (event->is_warning ? AUDIT_WARNING : AUDIT_INFORMATION);
}

static void list_events(struct call *call, const struct history *history, struct history_place place,
                        const struct entity_event *event, size_t count)
{
    struct entity_auditing *auditing = call->entity_.auditing;
    struct answer_audit *answer = &call->value.audit;
    for (size_t i = count; i-- > 0;) {
        if (i >= auditing->below || !is_asked(&call->as.audit, &event[i])) continue;
        if (answer->count == call->as.audit.max) { /* There is one more: the next page begins with it. */
            answer->more = auditing->is_done = true;
            return;
        }
        answer->item[answer->count++] =
            (struct audit_item){ .event = event[i],
                                 .at_ms = history->at_ms,
                                 .actor = arena_str(call->arena, history->actor),
                                 .transaction = arena_str(call->arena, entity_history_transaction(history)) };
        answer->next = (struct audit_place){ place, (uint32_t)i };
        if (call->as.audit.only_finish) auditing->is_done = true;
        if (auditing->is_done) return;
    }
}

/* False: the histories that were read do not tell enough of this one. */
static bool audit_one(struct query *query, struct call *call, const struct audited *read, size_t which)
{
    const struct history *history = &read->history[which];
    const struct call_audit *asked = &call->as.audit;
    struct definition *definition;
    struct entity_event *event;
    struct error unknown;
    size_t count;
    if (history->at_ms < asked->from_ms || history->at_ms >= asked->to_ms ||
        (asked->transaction.n && !str_equal(asked->transaction, entity_history_transaction(history))))
        return true;
    int64_t version = entity_audit_version(history, read->count - which);
    if (!version && !read->is_whole) return false;
    bool known = version && catalogue_get(&query->catalogue, version, &definition, &unknown) == ST_OK;
    if (!entity_audit_tell(known ? definition->program : NULL, history, read->count - which, read->is_whole,
                           call->arena, &event, &count))
        return false;
    list_events(call, history, read->row[which].place, event, count);
    return true;
}

static enum status audit_some(struct query *query, struct call *call, struct arena *scratch,
                              struct error *err)
{
    struct entity_auditing *auditing = call->entity_.auditing;
    const struct history_filter filter = { auditing->instance, auditing->from, INT64_MAX,
                                           (size_t)HISTORIES_READ_MAX << auditing->growth };
    struct history_place next;
    struct audited read;
    TRY(entity_history_read(query, &filter, (size_t)ENTITIES_READ_BYTES_MAX << auditing->growth, scratch,
                            &read.history, &read.row, &read.count, &next, err));
    read.is_whole = !next.revision;
    size_t told = 0;
    while (told < read.count && !auditing->is_done && audit_one(query, call, &read, told)) {
        auditing->below = UINT32_MAX;
        told++;
    }
    auditing->scanned += told;
    auditing->growth = told || !read.count ? 0 : auditing->growth + 1;
    if (auditing->is_done) return ST_OK;
    auditing->from = told < read.count ? read.row[told].place : next;
    auditing->is_done = !auditing->from.revision;
    if (auditing->is_done || call->as.audit.only_finish || auditing->scanned < AUDIT_SCANNED_MAX)
        return ST_OK;
    /* The page ends here, and the next one goes on. */
    call->value.audit.next = (struct audit_place){ auditing->from, UINT32_MAX };
    call->value.audit.more = auditing->is_done = true;
    return ST_OK;
}

static enum status begin_audit(struct query *query, struct call *call, struct error *err)
{
    const struct call_audit *asked = &call->as.audit;
    struct entity_auditing *auditing = arena_make(call->arena, struct entity_auditing);
    struct arena scratch;
    struct instance_row row;
    struct definition *definition;
    arena_init(&scratch, 0);
    enum status status = entity_find_row(query, call, asked->id, &scratch, &row, &definition, err);
    *auditing =
        (struct entity_auditing){ .instance = status == ST_OK ? row.id : 0,
                                  .from = asked->after.place,
                                  .below = asked->after.place.revision ? asked->after.event : UINT32_MAX };
    arena_done(&scratch);
    call->entity_.auditing = auditing;
    call->value.audit.item = arena_make_n(call->arena, struct audit_item, asked->max);
    return status;
}

enum status entity_audit_call(struct query *query, struct call *call, bool *ret_more, struct error *err)
{
    struct arena scratch;
    if (!call->entity_.auditing) TRY(begin_audit(query, call, err));
    arena_init(&scratch, 0);
    enum status status = audit_some(query, call, &scratch, err);
    arena_done(&scratch);
    TRY(status);
    *ret_more = !call->entity_.auditing->is_done;
    if (*ret_more || !call->as.audit.only_finish || call->value.audit.count) return ST_OK;
    return fail_code(err, ST_NOT_FOUND, "ENTITY_NOT_FOUND",
                     "no state machine of the entity came to rest in transaction %.*s",
                     STR_ARG(call->as.audit.transaction));
}
