/* runtime/entities/entity_audit.c — what happened to an entity, in pages, from its history.
 *
 * The newest events come first. A place in the list is a revision and a number among its events, which never
 * change, so that a page begins where the one before ended, whatever has happened since. Histories are read a
 * part at a time, because others wait for the query thread, and one page looks at only so many of them.
 */
#include "runtime/entities/entities_int.h"

#include "runtime/entities/entity_history.h"
#include "runtime/limits.h"
#include "runtime/memory/memory.h"

/* Between the parts of a page. */
struct entity_auditing {
    uint64_t instance;
    struct history_place from;
    uint32_t below;              /* In the revision at `from`: only events before this one. */
    str transaction;             /* The transaction of the history that was told last, … */
    struct history_place newest; /* … and its newest history. */
    size_t scanned, bytes;       /* bytes: of the changes on the page. */
    uint32_t growth;             /* So often twice as many histories are read at once. */
    bool is_done;
};

/* Histories in one part, newest first. */
struct audited {
    struct history *history;
    struct history_row *row;
    size_t count;
    struct history_place next; /* Behind them. */
    bool is_whole;
};

/* ---- what a transaction has changed ---- */

static void add_members(struct json_builder *builder, str name, const struct json *from,
                        const struct json *other)
{
    struct json_each each = json_each(from);
    json_add_name(builder, name);
    json_open_object(builder);
    while (json_next(&each)) {
        const struct json *same = other ? json_get(other, each.name) : NULL;
        if (same && json_equal(same, each.value)) continue;
        json_add_name(builder, each.name);
        json_add(builder, each.value);
    }
    json_close(builder);
}

static const struct json *changes_of(const struct json *before, const struct json *after, struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    if (before) add_members(&builder, STR("before"), before, after);
    if (after) add_members(&builder, STR("after"), after, before);
    json_close(&builder);
    return json_built(&builder);
}

/* All that one transaction did is one change: from what was before the history that tells it to what its
 * newest history has left. */
static enum status find_changes(struct query *query, struct call *call, const struct audited *read,
                                size_t which, const struct json **ret_changes, struct error *err)
{
    struct entity_auditing *auditing = call->entity_.auditing;
    struct history_place older = which + 1 < read->count ? read->row[which + 1].place : read->next;
    struct history_place newest =
        entity_history_transaction(&read->history[which]).n ? auditing->newest : read->row[which].place;
    bool is_new = read->history[which].command == COMMAND_START, is_known;
    struct past_state before = { 0 }, after;
    struct arena scratch;
    arena_init(&scratch, 0);
    enum status status =
        entity_history_state(query, auditing->instance, newest, &scratch, &after, &is_known, err);
    if (status == ST_OK && is_known && !is_new)
        status = entity_history_state(query, auditing->instance, older, &scratch, &before, &is_known, err);
    if (status == ST_OK && is_known)
        *ret_changes = json_copy(call->arena, changes_of(is_new ? NULL : before.data,
                                                         after.has_ended ? NULL : after.data, &scratch));
    arena_done(&scratch);
    return status;
}

/* ---- a page ---- */

static bool is_asked(const struct call_audit *asked, const struct entity_event *event)
{
    enum audit_kind kind = entity_event_is_change(event->kind) ? AUDIT_CHANGE : AUDIT_STATE_MACHINE;
    if (asked->kinds && !(asked->kinds & kind)) return false;
    if (asked->only_finish && event->kind != ENTITY_EVENT_FINISH) return false;
    return asked->severity == AUDIT_ANY ||
           asked->severity == (event->is_warning ? AUDIT_WARNING : AUDIT_INFORMATION);
}

static enum status list_events(struct query *query, struct call *call, const struct audited *read,
                               size_t which, const struct entity_event *event, size_t count,
                               struct error *err)
{
    const struct history *history = &read->history[which];
    struct entity_auditing *auditing = call->entity_.auditing;
    struct answer_audit *answer = &call->value.audit;
    for (size_t i = count; i-- > 0;) {
        if (i >= auditing->below || !is_asked(&call->as.audit, &event[i])) continue;
        bool is_full = answer->count == call->as.audit.max || auditing->bytes > AUDIT_CHANGES_BYTES_MAX;
        if (is_full) { /* There is one more: the next page begins with it. */
            answer->more = auditing->is_done = true;
            return ST_OK;
        }
        struct audit_item *item = &answer->item[answer->count++];
        *item =
            (struct audit_item){ .event = event[i],
                                 .at_ms = history->at_ms,
                                 .by = entity_keep_attribution(history, call->arena),
                                 .transaction = arena_str(call->arena, entity_history_transaction(history)) };
        if (entity_event_is_change(event[i].kind))
            TRY(find_changes(query, call, read, which, &item->changes, err));
        if (item->changes) auditing->bytes += json_bytes(item->changes);
        answer->next = (struct audit_place){ read->row[which].place, (uint32_t)i, auditing->newest };
        if (call->as.audit.only_finish) auditing->is_done = true;
        if (auditing->is_done) return ST_OK;
    }
    return ST_OK;
}

/* Histories come newest first, so the first one of a transaction is its newest. */
static void note_transaction(struct call *call, const struct audited *read, size_t which)
{
    struct entity_auditing *auditing = call->entity_.auditing;
    str transaction = entity_history_transaction(&read->history[which]);
    /* The page before knew it. */
    bool is_cursor = !auditing->transaction.n && auditing->newest.revision &&
                     read->history[which].revision == call->as.audit.after.place.revision;
    if (!transaction.n || str_equal(transaction, auditing->transaction)) return;
    auditing->transaction = arena_str(call->arena, transaction);
    if (!is_cursor) auditing->newest = read->row[which].place;
}

struct program_search {
    struct query *query;
    enum status status; /* Why one cannot be read now: events would be left out. */
    struct error why;
};

static const struct program *find_program(void *context, int64_t version)
{
    struct program_search *search = context;
    struct definition *definition;
    struct error err;
    bool known;
    enum status status =
        found_intact(catalogue_get(&search->query->catalogue, version, &definition, &err), &known);
    if (status != ST_OK) search->status = status, search->why = err;
    return known ? definition->program : NULL;
}

/* Is the history one of the transaction that is asked for? Its end may come in a later one, behind a
 * processor that commits first. False: the histories that were read do not tell. */
static bool tell_transaction(const struct call_audit *asked, const struct audited *read, size_t which,
                             bool *ret_is_of)
{
    const struct history *history = &read->history[which];
    str origin;
    *ret_is_of = !asked->transaction.n || str_equal(asked->transaction, entity_history_transaction(history));
    if (*ret_is_of || !asked->only_finish) return true;
    if (!entity_audit_origin(history, read->count - which, read->is_whole, &origin)) return false;
    *ret_is_of = str_equal(asked->transaction, origin);
    return true;
}

/* `*ret_told` is false: the histories that were read do not tell enough of this one. */
static enum status audit_one(struct query *query, struct call *call, const struct audited *read, size_t which,
                             bool *ret_told, struct error *err)
{
    const struct history *history = &read->history[which];
    const struct call_audit *asked = &call->as.audit;
    struct program_search search = { .query = query };
    const struct entity_programs programs = { find_program, &search };
    struct entity_event *event;
    size_t count;
    bool is_of;
    note_transaction(call, read, which);
    *ret_told = true;
    if (history->at_ms < asked->from_ms || history->at_ms >= asked->to_ms) return ST_OK;
    *ret_told = tell_transaction(asked, read, which, &is_of);
    if (!*ret_told || !is_of) return ST_OK;
    *ret_told = entity_audit_tell(&programs, history, read->count - which, read->is_whole, call->arena,
                                  &event, &count);
    if (search.status != ST_OK) {
        *err = search.why;
        return search.status;
    }
    return *ret_told ? list_events(query, call, read, which, event, count, err) : ST_OK;
}

static enum status audit_some(struct query *query, struct call *call, struct arena *scratch,
                              struct error *err)
{
    struct entity_auditing *auditing = call->entity_.auditing;
    const struct history_filter filter = { auditing->instance, auditing->from, INT64_MAX,
                                           (size_t)HISTORIES_READ_MAX << auditing->growth };
    struct audited read;
    TRY(entity_history_read(query, &filter, (size_t)ENTITIES_READ_BYTES_MAX << auditing->growth, scratch,
                            &read.history, &read.row, &read.count, &read.next, err));
    read.is_whole = !read.next.revision;
    size_t told = 0;
    while (told < read.count && !auditing->is_done) {
        bool is_told;
        TRY(audit_one(query, call, &read, told, &is_told, err));
        if (!is_told) break;
        auditing->below = UINT32_MAX;
        told++;
    }
    auditing->scanned += told;
    auditing->growth = told || !read.count ? 0 : auditing->growth + 1;
    if (auditing->is_done) return ST_OK;
    auditing->from = told < read.count ? read.row[told].place : read.next;
    auditing->is_done = !auditing->from.revision;
    if (auditing->is_done || call->as.audit.only_finish || auditing->scanned < AUDIT_SCANNED_MAX)
        return ST_OK;
    /* The page ends here, and the next one goes on. */
    call->value.audit.next = (struct audit_place){ .place = auditing->from, .event = UINT32_MAX };
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
                                  .newest = asked->after.newest,
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
    fail_code(err, ST_NOT_FOUND, "ENTITY_NOT_FOUND",
              "no state machine of the entity came to rest in transaction %.*s",
              STR_ARG(call->as.audit.transaction));
    entity_error_add_id(err, call->as.audit.id);
    return ST_NOT_FOUND;
}
