/* runtime/arrivals/kept.c — arrivals that are kept for an instance with their key, and the backlog that
 * delivers what is kept, events as well, or lets it expire.
 *
 * An arrival that only updates instances may come before its instance. It is kept as long as its trigger
 * says, delivered when an instance of the definition gets the key, and recorded once more then. If nobody
 * comes in time, its record says that it has expired, and the same arrival may come again.
 */
#include "runtime/arrivals/arrivals_int.h"

#include "base/must.h"
#include "json/json.h"
#include "runtime/call/call.h"
#include "runtime/events/events.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

enum status kept_arrival_add(struct turn *turn, int32_t ns, const struct arrival_view *view,
                             const struct arrival_event *event, str given_key,
                             const struct arrival_terms *terms, const struct json *seen, str *ret_refusal,
                             struct error *err)
{
    must(view->key.n && terms->life_ms > 0);
    struct kept kept = { .ns = ns,
                         .definition_id = view->definition_id,
                         .kind = KEPT_ARRIVAL,
                         .key = view->key,
                         .until_ms = turn->now_ms + terms->life_ms,
                         .value = overflow_encode(view, event, given_key, terms, &turn->arena),
                         .seen = seen };
    return kept_add(turn, &kept, ret_refusal, err);
}

static enum status record(struct turn *turn, const struct kept *kept, const struct queued_arrival *queued,
                          struct arrival_view *view, struct error *err)
{
    struct definition *definition;
    struct error none;
    bool found = found_hint(catalogue_find(&turn->engine->memory.catalogue, kept->ns, kept->definition_id,
                                           VERSION_LATEST, &definition, &none));
    view->at_ms = turn->now_ms;
    view->definition_id = kept->definition_id;
    view->version = found ? definition->version : 0;
    view->trigger = queued->trigger;
    view->key = kept->key;
    view->note = STR("EARLY");
    TRY(arrive_log_meet(turn, kept->ns, err));
    view->number = arrive_log_number(turn);
    return arrive_record(turn, kept->ns, view, false, err);
}

static enum status deliver_arrival(struct turn *turn, struct definition *definition,
                                   const struct instance *instance, const struct kept *kept, bool *ret_taken,
                                   struct error *err)
{
    must(kept->kind == KEPT_ARRIVAL && kept->until_ms > turn->now_ms);
    struct queued_arrival queued;
    struct transition *transition = NULL;
    *ret_taken = false;
    if (!overflow_decode(kept->value, STR_NONE, &queued)) return ST_OK;
    const struct json *value = arrival_value(&queued.event, &turn->arena);
    const struct command command = command_arrive(turn->now_ms, STR("trigger"), value,
                                                  (struct command_arrive){ .arrival = queued.trigger });
    enum status status = follow_command(turn, definition, instance, &command, &transition, err);
    if (status != ST_OK) return transact_is_lost(turn, status) ? status : ST_OK;
    struct arrival_view view = { .outcome = OUTCOME_UPDATED,
                                 .http_status = 202,
                                 .instance = instance->id,
                                 .instance_created_ms = instance->created_ms };
    *ret_taken = true;
    return record(turn, kept, &queued, &view, err);
}

/* ---- an instance that has got a key ---- */

static enum status deliver_one(struct backlog_run *run, uint64_t id, const struct kept *kept,
                               struct error *err)
{
    struct turn *turn = run->turn;
    const struct instance *instance;
    struct definition *definition;
    bool taken;
    TRY(found_needed(transact_load(turn, id, &instance, &definition, err)));
    TRY(kept->kind == KEPT_EVENT ? kept_event_deliver(turn, definition, instance, kept, &taken, err)
                                 : deliver_arrival(turn, definition, instance, kept, &taken, err));
    if (!taken) {
        backlog_give_back(run);
        return ST_OK;
    }
    turn->counts.kept_taken++;
    return kept_remove(turn, kept, err);
}

/* Delivers what is kept for one key of the instance. `*ret_stopped`: the rest follows in another turn. */
static enum status deliver_all(struct backlog_run *run, uint64_t id, enum kept_kind kind, bool *ret_stopped,
                               struct error *err)
{
    struct turn *turn = run->turn;
    const struct instance *instance;
    struct definition *definition;
    struct kept kept = { .record = STR_NONE };
    TRY(found_needed(transact_load(turn, id, &instance, &definition, err)));
    str key = arena_str(&turn->arena, kind == KEPT_EVENT ? instance->correlation : instance->business_key);
    for (;;) {
        bool is_there = false;
        if (key.n)
            TRY(found_asked(
                kept_first(turn, definition->ns, definition->id, kind, key, kept.record, &kept, err),
                &is_there));
        if (!is_there) return ST_OK;
        if (!backlog_take(run, kept.record)) {
            *ret_stopped = true;
            return ST_OK;
        }
        if (kept.until_ms > turn->now_ms) TRY(deliver_one(run, id, &kept, err));
        else backlog_give_back(run);
    }
}

/* A turn does one row at least. */
static enum status deliver(struct backlog_run *run, const struct record_row *row, struct error *err)
{
    uint64_t id = index_record_instance_of(row->key);
    bool stopped = false;
    run->stops |= run->passed.n && slice_is_over(run->turn);
    if (run->stops) return ST_OK;
    enum status status = deliver_all(run, id, KEPT_EVENT, &stopped, err);
    if (status == ST_OK && !stopped) status = deliver_all(run, id, KEPT_ARRIVAL, &stopped, err);
    if (status == ST_OK && stopped) return ST_OK;
    if (status != ST_OK && status != ST_NOT_FOUND) return status;
    return kept_remove_row(run->turn, row, err);
}

/* ---- one whose time is over ---- */

/* The same arrival may come again: nobody has it. */
static enum status forget_seen(struct turn *turn, const struct kept *kept, struct error *err)
{
    for (size_t i = 0; i < json_count(kept->seen); i++) {
        const struct record_row row = { .ns = kept->ns,
                                        .kind = RECORD_SEEN,
                                        .key = json_string(json_item(kept->seen, i)) };
        TRY(kept_remove_row(turn, &row, err));
    }
    return ST_OK;
}

static enum status expire_arrival(struct turn *turn, const struct kept *kept, struct error *err)
{
    struct queued_arrival queued;
    struct arrival_view view = { .outcome = OUTCOME_EXPIRED, .http_status = 202 };
    if (!overflow_decode(kept->value, STR_NONE, &queued)) return ST_OK;
    TRY(forget_seen(turn, kept, err));
    return record(turn, kept, &queued, &view, err);
}

static enum status expire_one(struct turn *turn, const struct kept *kept, struct error *err)
{
    TRY(kept->kind == KEPT_EVENT ? kept_event_expire(turn, kept, err) : expire_arrival(turn, kept, err));
    turn->counts.kept_expired++;
    return kept_remove(turn, kept, err);
}

static enum status expire(struct turn *turn, const struct record_row *row, struct error *err)
{
    struct kept kept;
    bool is_there;
    TRY(found_asked(kept_find(turn, row, &kept, err), &is_there));
    return is_there ? expire_one(turn, &kept, err) : kept_remove_row(turn, row, err);
}

enum status kept_end(struct turn *turn, int32_t ns, str definition_id, size_t max, size_t *ret_count,
                     struct error *err)
{
    struct record_row row;
    bool is_there, is_intact;
    for (*ret_count = 0; *ret_count < max; ++*ret_count) {
        struct kept kept;
        TRY(kept_of_definition(turn, ns, definition_id, &row, &kept, &is_there, &is_intact, err));
        if (!is_there) return ST_OK;
        TRY(is_intact ? expire_one(turn, &kept, err) : kept_remove_row(turn, &row, err));
    }
    return ST_OK;
}

/* ---- the backlog ---- */

static enum status read_kept(struct backlog_run *run, str after, size_t max, struct backlog_row **ret_row,
                             size_t *ret_count, struct error *err)
{
    struct record_row *record;
    size_t count;
    TRY(kept_rows(run->turn, after, max, &record, &count, err));
    struct backlog_row *row = arena_make_n(&run->turn->arena, struct backlog_row, count);
    for (size_t i = 0; i < count; i++) {
        bool expires = kept_row_expires(&record[i]);
        row[i] = (struct backlog_row){ .key = expires ? record[i].key : STR_NONE,
                                       .place = record[i].key,
                                       .instance = expires ? 0 : index_record_instance_of(record[i].key),
                                       .of = &record[i] };
    }
    run->has_all = !count;
    if (!count && !after.n) TRY(kept_look_ahead(run->turn, err));
    *ret_row = row;
    *ret_count = count;
    return ST_OK;
}

static enum status do_row(struct backlog_run *run, const struct backlog_row *row,
                          enum backlog_outcome *ret_outcome, struct error *err)
{
    const struct record_row *record = row->of;
    (void)ret_outcome;
    return kept_row_expires(record) ? expire(run->turn, record, err) : deliver(run, record, err);
}

void kept_go_on(struct turn *turn)
{
    static const struct backlog_user user = {
        .max = KEPT_PER_TURN_MAX,
        .unread = "an event that is kept for a key cannot be read",
        .read = read_kept,
        .row = do_row,
    };
    struct backlog *backlog = &turn->engine->transact.backlog[BACKLOG_EARLY];
    backlog_run(turn, backlog, &user, NULL);
    /* Another node may have died, with its things undelivered. */
    backlog->left |= turn->engine->nodes.shared;
}

int64_t kept_next_ms(const struct engine *engine)
{
    if (engine->transact.backlog[BACKLOG_EARLY].due) return engine->turn.now_ms;
    return engine->transact.kept.next_ms;
}
