/* tests/sim/checker_event.c — events: who gets them, once, and what becomes of them.
 *
 * Whom an event concerns is computed from the documents and the model at the moment when the first
 * of its effects is found: every live instance of a definition with a trigger for it whose token is
 * the same, or that has none yet; a trigger with a token takes no event without one. Failed instances count
 * as live ones, unless the trigger has no token and starts instances. The event must reach all of them in
 * that transaction, save those that end in it, and start an instance of each definition that begins with it
 * and of which nobody got it. Never again does it reach anybody.
 *
 * Where turns are small an event may take several of them, and others come and go meanwhile. Then it must
 * have reached all of them at the end of the run, save those that ended before, and nobody twice.
 */
#include "record.h"

#include "server.h"

#include <inttypes.h>

static str text_of(const struct json *event, const char *name)
{
    const struct json *value = json_get(event, str_of(name));
    return json_is(value, JSON_STRING) ? json_string(value) : STR_NONE;
}

static struct model_event *find_event(const struct checker *checker, str id)
{
    for (size_t i = checker->events.count; i-- > 0;)
        if (str_equal(checker->events.item[i]->id, id)) return checker->events.item[i];
    return NULL;
}

static bool has_taken(const struct model_event *event, uint64_t instance)
{
    for (size_t i = 0; i < event->taken.count; i++)
        if (event->taken.item[i].instance == instance) return true;
    return false;
}

void checker_events_sent(struct world *world, const struct request *request)
{
    struct checker *checker = world->checker;
    for (size_t i = 0; i < request->event_count; i++) {
        str id = text_of(request->event[i], "id");
        if (find_event(checker, id)) continue;
        struct model_event *event = arena_make(&checker->arena, struct model_event);
        event->id = id;
        event->json = request->event[i];
        event->sent_commit = checker->commit_count;
        *list_push(&checker->arena, &checker->events) = event;
    }
}

/* Is a request with this event in the engine? */
static bool is_inside(const struct world *world, const struct model_event *event)
{
    for (size_t i = 0; i < world->inside.count; i++) {
        const struct request *request = world->inside.item[i]->request;
        for (size_t k = 0; k < request->event_count; k++)
            if (str_equal(text_of(request->event[k], "id"), event->id)) return true;
    }
    return false;
}

/* ---- whom it concerns ---- */

/* Does the trigger take the event? */
static bool has_its_token(const struct flow_trigger *trigger, const struct json *json, struct arena *arena)
{
    return !trigger->token.n || flow_token(trigger, json, arena).n;
}

bool checker_event_concerns(const struct model_instance *instance, const struct json *json,
                            struct arena *arena)
{
    const struct flow_trigger *trigger = flow_trigger_of(instance->spec->flow, json);
    bool failed = instance->status == INSTANCE_FAILED && !instance->purged;
    if (!trigger || !has_its_token(trigger, json, arena) || !(model_live(instance) || failed) ||
        instance->by_event)
        return false;
    if (!trigger->token.n) return !failed || !flow_starts_by(instance->spec->flow, trigger);
    return !instance->correlation.n || str_equal(instance->correlation, flow_token(trigger, json, arena));
}

static void expect(struct world *world, struct model_event *event)
{
    struct checker *checker = world->checker;
    event->commit = checker->commit_count;
    for (size_t i = 0; i < checker->instances.count; i++)
        if (checker_event_concerns(checker->instances.item[i], event->json, &checker->arena))
            *list_push(&checker->arena, &event->expected) = checker->instances.item[i]->id;
    for (size_t i = 0; i < checker->specs.count; i++) {
        const struct spec *spec = checker->specs.item[i];
        const struct flow_trigger *trigger = flow_trigger_of(spec->flow, event->json);
        if (trigger && has_its_token(trigger, event->json, &checker->arena) &&
            spec == model_latest(checker, spec->id) && flow_starts_by(spec->flow, trigger))
            *list_push(&checker->arena, &event->starting) = spec->id;
    }
}

/* No instance took the event the first time: it is kept, or its producer sends it again. */
static bool is_late(const struct model_event *event) { return event->kept || event->unmatched; }

/* The first effect of an event, or one more in the same transaction. */
struct model_event *checker_begin_event(struct world *world, const struct json *json)
{
    struct model_event *event = find_event(world->checker, text_of(json, "id"));
    if (!event || !json_equal(event->json, json))
        violated(world, "nobody sent the event %.*s", STR_ARG(text_of(json, "id")));
    else if (event->commit && event->commit != world->checker->commit_count && !is_late(event) &&
             !world_has_small_turns(world))
        violated(world, "the event %.*s was taken a second time", STR_ARG(event->id));
    else if (!world_has_small_turns(world) && !event->kept &&
             !is_inside(world, event)) /* Else it may have been opened before a crash. */
        violated(world, "the event %.*s is not in the engine", STR_ARG(event->id));
    if (world->failed) return NULL;
    if (!event->commit) expect(world, event);
    return event;
}

bool checker_definition_has_event(const struct checker *checker, const struct model_event *event,
                                  str definition)
{
    for (size_t i = 0; i < event->taken.count; i++)
        if (str_equal(model_instance_of(checker, event->taken.item[i].instance)->spec->id, definition))
            return true;
    return false;
}

/* Another version may have taken its place meanwhile. */
static bool still_begins(const struct world *world, const struct model_event *event, str definition)
{
    const struct spec *spec = model_latest(world->checker, definition);
    const struct flow_trigger *trigger = flow_trigger_of(spec->flow, event->json);
    return !world_has_small_turns(world) || (trigger && flow_starts_by(spec->flow, trigger));
}

/* Another instance of the definition that waits for an event with a token; NULL: there is none. */
static const struct model_instance *find_waiting(const struct record *record, const struct model_event *event)
{
    struct checker *checker = record->checker;
    for (size_t i = 0; i < checker->instances.count; i++) {
        const struct model_instance *other = checker->instances.item[i];
        const struct flow_trigger *trigger = flow_trigger_of(other->spec->flow, event->json);
        if (other != record->instance && trigger && trigger->token.n &&
            str_equal(other->spec->id, record->instance->spec->id) &&
            checker_event_concerns(other, event->json, &checker->arena))
            return other;
    }
    return NULL;
}

/* However long the way of the event was, an instance that waits for it must have it, and no new one: each of
 * two would have a part of what both wait for. */
static void check_start(struct record *record, const struct model_event *event)
{
    if (checker_definition_has_event(record->checker, event, record->instance->spec->id))
        bad(record, "it was started by %.*s, which others have", STR_ARG(event->id));
    const struct model_instance *other = find_waiting(record, event);
    if (other)
        bad(record, "it was started by %.*s, for which %" PRIu64 " waits", STR_ARG(event->id), other->id);
}

void flow_got_event(struct record *record)
{
    struct model_instance *instance = record->instance;
    const struct entry *mail = record_find(record->history, ENTRY_KIND_MAIL_IN);
    struct model_event *event = mail ? checker_begin_event(record->world, mail->json) : NULL;
    if (!mail) bad(record, "an event without an event");
    if (!event) return;
    bool expected = false;
    for (size_t i = 0; i < event->expected.count; i++) expected |= event->expected.item[i] == instance->id;
    if (world_has_small_turns(record->world) || is_late(event))
        expected |= instance->by_event
                        ? still_begins(record->world, event, instance->spec->id)
                        : checker_event_concerns(instance, event->json, &record->checker->arena);
    for (size_t i = 0; i < event->starting.count && instance->by_event; i++)
        expected |= str_equal(event->starting.item[i], instance->spec->id);
    if (!expected) bad(record, "the event %.*s does not concern it", STR_ARG(event->id));
    if (has_taken(event, instance->id)) bad(record, "it gets the event %.*s twice", STR_ARG(event->id));
    if (instance->by_event) check_start(record, event);
    const struct flow_trigger *trigger = flow_trigger_of(instance->spec->flow, event->json);
    str token = trigger ? flow_token(trigger, event->json, &record->checker->arena) : STR_NONE;
    if (instance->by_event && !str_equal(token, instance->correlation))
        bad(record, "it was started under another token");
    *list_push(&record->checker->arena, &event->taken) =
        (struct model_taken){ instance->id, instance->by_event };
    instance->by_event = false;
}

/* Retention may have removed an old one since it was listed. */
static bool is_listed(const struct checker *checker, const struct model_event *event)
{
    return event->listed && event->listed_ms >= checker->purged_before_ms;
}

void checker_unmatched(struct world *world, const struct json *json)
{
    struct model_event *event = checker_begin_event(world, json);
    if (!event) return;
    if (is_listed(world->checker, event) || event->taken.count ||
        checker_is_kept(world->checker, event, world_wall_ms(world)))
        violated(world, "the event %.*s is unmatched, and more", STR_ARG(event->id));
    event->unmatched = event->listed = true;
    event->listed_ms = world_wall_ms(world);
    world->checker->unmatched_count++;
    trace(world, "commit: the event %.*s is unmatched", STR_ARG(event->id));
}

/* It was sent again. What became of it is checked at the end of the transaction or, on a long way, of all. */
void checker_not_unmatched(struct world *world, const struct json *json)
{
    struct model_event *event = find_event(world->checker, text_of(json, "id"));
    if (!event || !event->listed)
        violated(world, "the event %.*s is no longer unmatched, and was not", STR_ARG(text_of(json, "id")));
    if (world->failed) return;
    event->listed = false;
    world->checker->unmatched_count--;
    trace(world, "commit: the event %.*s is no longer unmatched", STR_ARG(event->id));
}

/* Each event has been taken, waits or is unmatched: one of the three. */
static void check_fate(struct world *world, const struct model_event *event)
{
    bool taken = event->taken.count;
    /* Old ones are removed. */
    if (world->profile.retention_ms) return;
    if (event->listed && (taken || checker_is_kept(world->checker, event, world_wall_ms(world))))
        violated(world, "the event %.*s is unmatched, and more", STR_ARG(event->id));
    if (!event->listed && !taken && !checker_is_kept(world->checker, event, 0))
        violated(world, "the event %.*s is not unmatched", STR_ARG(event->id));
}

/* Did it end before the event could reach it, or begin when those were found already whom it concerns? */
static bool ended_before(const struct world *world, const struct model_event *event, uint64_t id)
{
    const struct model_instance *instance = model_instance_of(world->checker, id);
    const struct flow_trigger *trigger = flow_trigger_of(instance->spec->flow, event->json);
    bool anothers =
        trigger && trigger->token.n && instance->correlation.n &&
        !str_equal(instance->correlation, flow_token(trigger, event->json, &world->checker->arena));
    if (world_has_small_turns(world) && anothers)
        return true; /* It took the token of another event before. */
    if (world_has_small_turns(world) && instance->started_commit > event->sent_commit) return true;
    return world_has_small_turns(world) ? instance->ended_commit >= event->commit || instance->purged
                                        : instance->ended_commit == event->commit;
}

/* An instance that must have the event and does not have it; 0: there is none. */
static uint64_t find_unreached(const struct world *world, const struct model_event *event)
{
    for (size_t i = 0; i < event->expected.count; i++) {
        uint64_t id = event->expected.item[i];
        if (!has_taken(event, id) && !ended_before(world, event, id)) return id;
    }
    return 0;
}

/* Everybody must have it by now. */
static void check_arrived(struct world *world, const struct model_event *event)
{
    const struct checker *checker = world->checker;
    uint64_t unreached = find_unreached(world, event);
    if (unreached)
        violated(world, "the event %.*s did not reach instance %" PRIu64, STR_ARG(event->id), unreached);
    for (size_t k = 0; k < event->starting.count; k++)
        if (!checker_definition_has_event(checker, event, event->starting.item[k]) &&
            still_begins(world, event, event->starting.item[k]))
            violated(world, "the event %.*s started no instance of %.*s", STR_ARG(event->id),
                     STR_ARG(event->starting.item[k]));
    check_fate(world, event);
}

void checker_events_committed(struct world *world)
{
    struct checker *checker = world->checker;
    for (size_t i = 0; i < checker->instances.count; i++)
        if (checker->instances.item[i]->by_event)
            violated(world, "instance %" PRIu64 " was started by an event and does not have it",
                     checker->instances.item[i]->id);
    for (size_t i = 0; i < checker->events.count && !world->failed && !world_has_small_turns(world); i++)
        if (checker->events.item[i]->commit == checker->commit_count)
            check_arrived(world, checker->events.item[i]);
        else if (checker->events.item[i]->commit) check_fate(world, checker->events.item[i]);
}

/* An event with very many takers is on its way for several turns, and a failure of the store holds it up. */
bool checker_events_done(const struct world *world)
{
    const struct checker *checker = world->checker;
    for (size_t i = 0; i < checker->events.count; i++) {
        const struct model_event *event = checker->events.item[i];
        if (event->promised && !event->commit) return false;
        if (event->commit && world_has_small_turns(world) && find_unreached(world, event)) return false;
    }
    return true;
}

void checker_events_arrived(struct world *world)
{
    const struct checker *checker = world->checker;
    for (size_t i = 0; i < checker->events.count && !world->failed && world_has_small_turns(world); i++) {
        const struct model_event *event = checker->events.item[i];
        if (event->commit) check_arrived(world, event);
    }
    if (!world->failed) checker_early_end(world);
}

/* ---- mail ---- */

void flow_correlate(struct record *record, const struct entry *entry)
{
    struct model_instance *instance = record->instance;
    const struct entry *mail = record_find(record->history, ENTRY_KIND_MAIL_IN);
    const struct flow_trigger *trigger = mail ? flow_trigger_of(instance->spec->flow, mail->json) : NULL;
    bool started = record->history->command == COMMAND_START && instance->by_event;
    if (instance->correlation.n ||
        (!started &&
         (!trigger || !str_equal(entry->text, flow_token(trigger, mail->json, &record->checker->arena)))))
        bad(record, "it takes the token %.*s", STR_ARG(entry->text));
    instance->correlation = arena_str(&record->checker->arena, entry->text);
}

void flow_mail_in(struct record *record, const struct entry *entry)
{
    if (!record_number(record, entry->number)) return;
    if (record->history->command != COMMAND_EVENT || record->data_count++) bad(record, "mail from nowhere");
    *list_push(&record->checker->arena, &record->instance->mail) =
        (struct model_mail){ entry->number, json_copy(&record->checker->arena, entry->json) };
}

/* Which triggers' events are among the first pieces of mail. */
static uint32_t received(const struct model_instance *instance, size_t limit)
{
    const struct flow *flow = instance->spec->flow;
    uint32_t bits = 0;
    for (size_t i = 0; i < limit; i++) {
        const struct flow_trigger *trigger = flow_trigger_of(flow, instance->mail.item[i].event);
        if (trigger) bits |= UINT32_C(1) << (trigger - flow->trigger);
    }
    return bits;
}

/* Is the entry still awaited? Its timer is the one of its number among the entries that have one. */
static bool is_awaited(const struct flow_state *state, size_t number, uint32_t expired)
{
    uint32_t timer = 0;
    if (!state->entry[number].timeout_ms) return true;
    for (size_t i = 0; i < number; i++) timer += state->entry[i].timeout_ms > 0;
    return !(expired >> timer & 1);
}

/* Is this what the entry takes out of the mail: the earliest event of each trigger it mentions? */
static bool takes(const struct record *record, uint32_t execution, uint32_t mentioned, size_t limit)
{
    const struct model_instance *instance = record->instance;
    const struct flow *flow = instance->spec->flow;
    uint32_t seen = 0;
    for (size_t i = 0; i < instance->mail.count; i++) {
        const struct flow_trigger *trigger = flow_trigger_of(flow, instance->mail.item[i].event);
        uint32_t bit = UINT32_C(1) << (trigger - flow->trigger);
        bool wanted = i < limit && (bit & mentioned) && !(bit & seen), taken = false;
        if (i < limit) seen |= bit;
        for (size_t k = 0; k < record->history->entry_count; k++) {
            const struct entry *entry = &record->history->entry[k];
            taken |= (entry->kind == ENTRY_KIND_MAIL_OUT || entry->kind == ENTRY_KIND_MAIL_TAKE) &&
                     entry->execution == execution && entry->number == instance->mail.item[i].number;
        }
        if (wanted != taken) return false;
    }
    return true;
}

/* Some entry that is still awaited holds over the mail, and takes just this. */
static void check_fired(struct record *record, const struct model_token *token)
{
    const struct model_instance *instance = record->instance;
    const struct flow_state *state = &instance->spec->flow->states.item[token->step];
    for (size_t limit = instance->mail.count; limit; limit--)
        for (size_t i = 0; i < state->entry_count; i++) {
            struct flow_held held =
                flow_condition(instance->spec->flow, state->entry[i].condition, received(instance, limit));
            if (held.holds && is_awaited(state, i, token->expired) &&
                takes(record, token->execution, held.mentioned, limit))
                return;
        }
    bad(record, "\"%.*s\" goes on, and nothing it waits for is there", STR_ARG(token->node));
}

void flow_mail_out(struct record *record, const struct entry *entry)
{
    struct model_instance *instance = record->instance;
    const struct model_token *token = entry->execution ? record_token(record, entry->execution) : NULL;
    size_t i = 0;
    while (i < instance->mail.count && instance->mail.item[i].number != entry->number) i++;
    if (i == instance->mail.count) {
        bad(record, "event %u was taken and is not there", entry->number);
        return;
    }
    if (entry->execution && token && record->fired_wait != entry->execution) {
        if (token->state != TOKEN_EVENT)
            bad(record, "\"%.*s\" does not wait for events", STR_ARG(token->node));
        check_fired(record, token);
        record->fired_wait = entry->execution;
    }
    list_cut(&instance->mail, i);
}

/* The token around which there is no region; 0 in one that is detached. */
static uint32_t outermost(const struct model_instance *instance, uint32_t execution)
{
    for (;;) {
        const struct model_token *token = model_token(instance, execution);
        const struct model_scope *scope = token ? model_scope(instance, token->scope) : NULL;
        if (!token || !scope) return token ? execution : 0;
        execution = scope->host;
    }
}

/* Used, and kept for the retry of the state around the wait. */
void flow_mail_take(struct record *record, const struct entry *entry)
{
    struct model_instance *instance = record->instance;
    struct model_mail taken = { 0 };
    for (size_t i = 0; i < instance->mail.count; i++)
        if (instance->mail.item[i].number == entry->number) taken = instance->mail.item[i];
    if (!entry->from || outermost(instance, entry->execution) != entry->from)
        bad(record, "an event is kept for the retry of another state");
    flow_mail_out(record, entry);
    taken.holder = entry->from;
    *list_push(&record->checker->arena, &instance->used) = taken;
}

void flow_drop_taken(struct record *record, uint32_t holder, bool give_back)
{
    struct model_instance *instance = record->instance;
    for (size_t i = 0; i < instance->used.count;) {
        const struct model_mail used = instance->used.item[i];
        if (used.holder != holder) {
            i++;
            continue;
        }
        list_cut(&instance->used, i);
        if (!give_back) continue;
        *list_push(&record->checker->arena, &instance->mail) = (struct model_mail){ used.number, used.event };
        for (size_t k = instance->mail.count - 1; k && instance->mail.item[k - 1].number > used.number; k--) {
            const struct model_mail later = instance->mail.item[k - 1];
            instance->mail.item[k - 1] = instance->mail.item[k];
            instance->mail.item[k] = later;
        }
    }
}

/* Nobody waits for what is there. What asks for the absence of an event is looked at only when one
 * arrives; the others cannot have been missed. */
void flow_check_waits(struct record *record, const struct model_token *token)
{
    const struct model_instance *instance = record->instance;
    const struct flow_state *state = &instance->spec->flow->states.item[token->step];
    bool awaits = false;
    for (size_t i = 0; i < state->entry_count; i++) {
        struct flow_held held = flow_condition(instance->spec->flow, state->entry[i].condition,
                                               received(instance, instance->mail.count));
        bool live = is_awaited(state, i, token->expired);
        awaits |= live;
        if (live && held.holds && held.mentioned == held.positive)
            bad(record, "\"%.*s\" waits for what is there", STR_ARG(token->node));
    }
    if (!awaits) bad(record, "\"%.*s\" waits for nothing", STR_ARG(token->node));
}

/* ---- answers ---- */

static enum event_outcome outcome_of(const struct model_event *event)
{
    for (size_t i = 0; i < event->taken.count; i++)
        if (event->taken.item[i].started) return EVENT_STARTED;
    return event->taken.count ? EVENT_DELIVERED : EVENT_UNMATCHED;
}

static void check_answer(struct world *world, const struct call_event *answer, const struct copy *copy)
{
    struct model_event *event = find_event(world->checker, text_of(answer->event, "id"));
    uint32_t op = copy->request->op;
    if (answer->outcome == EVENT_REFUSED) {
        violated(world, "op %u: an event was refused: %s", op, answer->error.message);
        return;
    }
    if (answer->outcome == EVENT_DUPLICATE && world_has_small_turns(world))
        return; /* It may still be on its way. */
    /* Another node has taken over the rest of the way. */
    if (world_has_small_turns(world) && copy->server->rejoined_ms > copy->arrived_ms) {
        event->promised = true;
        return;
    }
    if (!event->commit) {
        violated(world, "op %u: the event %.*s was acknowledged, and nobody has it", op, STR_ARG(event->id));
        return;
    }
    if (is_late(event)) { /* It may be sent again, and be taken since. */
        if ((answer->first == EVENT_WAITING && !event->kept) ||
            (answer->first != EVENT_WAITING && answer->first != EVENT_UNMATCHED && !event->taken.count))
            violated(world, "op %u: the event %.*s was acknowledged as %s", op, STR_ARG(event->id),
                     call_event_outcome_word(answer->first));
        return;
    }
    if (answer->outcome != EVENT_DUPLICATE && event->answer_count++)
        violated(world, "op %u: the event %.*s was new twice", op, STR_ARG(event->id));
    size_t listed = event->taken.count < EVENT_LISTED_MAX ? event->taken.count : EVENT_LISTED_MAX;
    bool same = answer->first == outcome_of(event) && answer->instance_total == event->taken.count &&
                answer->instance_count == listed;
    for (size_t i = 0; same && i < listed; i++)
        same = answer->instance[i].id == event->taken.item[i].instance &&
               answer->instance[i].started == event->taken.item[i].started;
    if (!same)
        violated(world, "op %u: the event %.*s was acknowledged as %s for %zu instances, %zu have it", op,
                 STR_ARG(event->id), call_event_outcome_word(answer->first), answer->instance_total,
                 event->taken.count);
}

void checker_events_answered(struct world *world, const struct copy *copy)
{
    const struct call *call = copy->call;
    if (call->status == ST_OK)
        for (size_t i = 0; i < call->as.events.event_count && !world->failed; i++)
            check_answer(world, &call->as.events.event[i], copy);
    else if (!status_retry(call->status))
        violated(world, "op %u: events were refused: %s", copy->request->op, call->error.message);
}
