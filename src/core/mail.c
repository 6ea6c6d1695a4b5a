/* core/mail.c — events and early signals: kept until something that waits uses them.
 *
 * A wait fires by the first of its cases, in the order of the definition, that holds for the events received.
 * Events that arrived before the wait began count as if they arrived now, one after the other, so that the
 * outcome does not depend on which came first, the wait or the event. An event is used once. It is set aside
 * until the outermost token around the wait leaves its node, because a retry of that node needs its events.
 *
 * A wait for a signal uses the oldest signal for its node.
 */

#include "core/core_int.h"

#include "base/limits.h"
#include "base/sort.h"

static bool text_is(const struct json *object, const char *name, str text)
{
    const struct json *value = json_get(object, str_of(name));
    return json_is(value, JSON_STRING) && str_equal(json_string(value), text);
}

static bool trigger_takes(const struct program_trigger *trigger, const struct json *event)
{
    return text_is(event, "type", trigger->type) && text_is(event, "source", trigger->source);
}

bool core_takes_event(const struct program *program, const struct json *event)
{
    for (size_t i = 0; i < program->trigger_count; i++)
        if (trigger_takes(&program->trigger[i], event)) return true;
    return false;
}

bool core_starts_by_event(const struct program *program, const struct json *event)
{
    for (size_t i = 0; i < program->starting_count; i++)
        if (trigger_takes(&program->trigger[program->starting[i]], event)) return true;
    return false;
}

static const struct json *key_value(const struct program_trigger *trigger, const struct json *event,
                                    int64_t fuel, struct arena *arena)
{
    if (!trigger->key) return json_get(event, trigger->attribute);
    const struct json *value = NULL, *data = json_get(event, STR("data"));
    if (jsonpath_value(trigger->key, event, &fuel, arena, &value, NULL) != ST_OK) return NULL;
    bool nothing = !value || (!jsonpath_is_definite(trigger->key) && json_count(value) == 0);
    if (nothing && data && jsonpath_value(trigger->key, data, &fuel, arena, &value, NULL) != ST_OK)
        return NULL;
    return value;
}

str core_correlation_key(const struct program *program, const struct json *event, int64_t fuel,
                         struct arena *arena)
{
    for (size_t i = 0; i < program->trigger_count; i++) {
        const struct program_trigger *trigger = &program->trigger[i];
        if (!trigger->correlated || !trigger_takes(trigger, event)) continue;
        const struct json *value = key_value(trigger, event, fuel, arena);
        if (!value || json_is(value, JSON_NULL)) continue;
        struct buf out;
        buf_init(&out, arena);
        json_print_canonical(value, &out);
        if (out.n > EVENT_KEY_BYTES_MAX) continue;
        return buf_str(&out);
    }
    return STR_NONE;
}

/* ---- firing ---- */

bool mail_case_is_live(const struct step *step, const struct token *token, uint32_t index)
{
    const struct program_node *node = token_node(step, token);
    bool timed = false;
    for (size_t i = 0; i < node->timer_count; i++)
        timed |= node->timer[i].does == TIMER_EXPIRE && node->timer[i].event_case == index;
    if (!timed) return true;
    for (size_t i = 0; i < step->instance->timer_count; i++) {
        const struct timer *timer = &step->instance->timer[i];
        if (timer->execution == token->execution && node->timer[timer->index].event_case == index)
            return true;
    }
    return false;
}

static bool mail_is_of(const struct mail *mail, const struct program_trigger *trigger)
{
    return mail_is_event(mail) && trigger_takes(trigger, mail->event);
}

/* The index of the first piece of mail that a trigger takes; SIZE_MAX: none. All triggers are looked up at
 * once, and the result is kept until the mail changes. */
static size_t first_mail(struct step *step, uint32_t trigger)
{
    const struct program *program = step->program;
    const struct instance *instance = step->instance;
    if (!step->first_mail) {
        step->first_mail = arena_alloc(step->arena, program->trigger_count * sizeof *step->first_mail);
        step_spend(step, (int64_t)(program->trigger_count * (instance->mail_count + 1)));
        for (size_t t = 0; t < program->trigger_count; t++) {
            size_t i = 0;
            while (i < instance->mail_count && !mail_is_of(&instance->mail[i], &program->trigger[t])) i++;
            step->first_mail[t] = i < instance->mail_count ? i : SIZE_MAX;
        }
    }
    return step->first_mail[trigger];
}

static bool case_holds(struct step *step, const struct program_event_case *event_case, size_t limit)
{
    bool positive = false;
    for (size_t i = 0; i < event_case->positive_count && !positive; i++)
        positive = first_mail(step, event_case->positive[i]) < limit;
    if (!positive) return false;
    struct json_builder builder;
    json_builder_init(&builder, step->arena);
    json_open_object(&builder);
    for (size_t i = 0; i < event_case->mentioned_count; i++) {
        json_add_name(&builder, step->program->trigger[event_case->mentioned[i]].name);
        json_add_bool(&builder, first_mail(step, event_case->mentioned[i]) < limit);
    }
    json_close(&builder);
    const struct json *value;
    struct error err;
    return expression_value(step, event_case->when, json_built(&builder), &value, &err) == ST_OK &&
           json_is(value, JSON_BOOL) && json_bool(value);
}

static bool can_be_set_aside(const struct step *step, const struct json *event)
{
    const struct instance *instance = step->instance;
    int64_t bytes = (int64_t)json_bytes(event);
    for (size_t i = 0; i < instance->taken_count; i++) bytes += (int64_t)json_bytes(instance->taken[i].event);
    return (int64_t)instance->taken_count < step->limits->mailbox_events_max &&
           bytes <= step->limits->mailbox_bytes_max;
}

/* Takes an event out of the mail. It is set aside for a retry, which detached regions never have. */
static void use(struct step *step, uint32_t execution, uint32_t number)
{
    uint32_t holder = instance_outermost(step->instance, execution);
    bool aside = holder && can_be_set_aside(step, instance_find_mail(step->instance, number)->event);
    note(step, &(struct entry){ .kind = aside ? ENTRY_KIND_MAIL_TAKE : ENTRY_KIND_MAIL_OUT,
                                .mail = number,
                                .execution = execution,
                                .holder = holder });
}

/* Adds {data, context}: the event's data apart from its attributes. */
static void add_envelope(struct json_builder *builder, const struct json *event)
{
    const struct json *data = json_get(event, STR("data"));
    json_open_object(builder);
    if (data) {
        json_add_name(builder, STR("data"));
        json_add(builder, data);
    }
    json_add_name(builder, STR("context"));
    json_open_object(builder);
    struct json_each each = json_each(event);
    while (json_next(&each)) {
        if (str_equal(each.name, STR("data"))) continue;
        json_add_name(builder, each.name);
        json_add(builder, each.value);
    }
    json_close(builder);
    json_close(builder);
}

/* {trigger, event}, or {trigger, envelope} if the trigger asks for the attributes beside the data. */
static void add_event(struct json_builder *builder, const struct program_trigger *trigger,
                      const struct json *event)
{
    json_open_object(builder);
    json_add_name(builder, STR("trigger"));
    json_add_string(builder, trigger->name);
    json_add_name(builder, trigger->envelope ? STR("envelope") : STR("event"));
    if (trigger->envelope) add_envelope(builder, event);
    else json_add(builder, event);
    json_close(builder);
}

/* The events in order of arrival; each is taken out of the mail. */
static const struct json *use_mail(struct step *step, uint32_t execution,
                                   const struct program_event_case *event_case, size_t limit)
{
    const struct instance *instance = step->instance;
    uint32_t *number = arena_make_n(step->arena, uint32_t, limit);
    size_t count = 0;
    struct json_builder builder;
    json_builder_init(&builder, step->arena);
    json_open_array(&builder);
    for (size_t i = 0; i < limit; i++) {
        for (size_t m = 0; m < event_case->mentioned_count; m++) {
            uint32_t trigger = event_case->mentioned[m];
            if (first_mail(step, trigger) != i) continue;
            add_event(&builder, &step->program->trigger[trigger], instance->mail[i].event);
            number[count++] = instance->mail[i].number;
            break;
        }
    }
    json_close(&builder);
    for (size_t i = 0; i < count; i++) use(step, execution, number[i]);
    return json_built(&builder);
}

static void fire(struct step *step, const struct token *token, const struct program_event_case *event_case,
                 const struct json *events)
{
    struct locals locals = { .count = 0 };
    struct error err;
    locals_add(&locals, STR("events"), events);
    timer_close_all(step, token->execution);
    if (data_put_output(step, token, event_case->output, event_case->output_count, &locals, &err) != ST_OK) {
        raise_failed(step, token->execution, &err);
        return;
    }
    token_leave(step, token->execution);
    token_enter(step, event_case->target, token->scope, token->execution);
}

/* True if the wait has fired on the first `limit` pieces of mail. */
static bool try_cases(struct step *step, const struct token *token, size_t limit)
{
    const struct program_node *node = token_node(step, token);
    for (uint32_t i = 0; i < node->as.wait.event_case_count; i++) {
        const struct program_event_case *event_case = &node->as.wait.event_case[i];
        if (!mail_case_is_live(step, token, i) || !case_holds(step, event_case, limit)) continue;
        fire(step, token, event_case, use_mail(step, token->execution, event_case, limit));
        return true;
    }
    return false;
}

/* {type, source, data: {}} */
static void add_pretended(struct json_builder *builder, const struct program_trigger *trigger)
{
    json_open_object(builder);
    json_add_name(builder, STR("trigger"));
    json_add_string(builder, trigger->name);
    json_add_name(builder, STR("event"));
    json_open_object(builder);
    json_add_name(builder, STR("type"));
    json_add_string(builder, trigger->type);
    json_add_name(builder, STR("source"));
    json_add_string(builder, trigger->source);
    json_add_name(builder, STR("data"));
    json_add(builder, json_empty_object());
    json_close(builder);
    json_close(builder);
}

void mail_pretend(struct step *step, const struct token *token)
{
    const struct program_node *node = token_node(step, token);
    must(node->as.wait.event_case_count);
    const struct program_event_case *event_case = &node->as.wait.event_case[0];
    struct json_builder builder;
    json_builder_init(&builder, step->arena);
    json_open_array(&builder);
    for (size_t i = 0; i < event_case->positive_count; i++)
        add_pretended(&builder, &step->program->trigger[event_case->positive[i]]);
    json_close(&builder);
    fire(step, token, event_case, json_built(&builder));
}

/* The smallest number of pieces of mail, above `limit`, among which is one that the wait mentions and has not
 * seen yet; 0: none. No case can become true in between. */
static size_t next_limit(struct step *step, const struct program_node *node, size_t limit)
{
    size_t next = 0;
    for (uint32_t i = 0; i < node->as.wait.event_case_count; i++) {
        const struct program_event_case *event_case = &node->as.wait.event_case[i];
        step_spend(step, (int64_t)event_case->mentioned_count);
        for (size_t m = 0; m < event_case->mentioned_count; m++) {
            size_t at = first_mail(step, event_case->mentioned[m]);
            if (at != SIZE_MAX && at >= limit && (!next || at + 1 < next)) next = at + 1;
        }
    }
    return next;
}

/* If the data has no room for the signal it stays in the mail, for a retry. */
static void serve_signal(struct step *step, const struct token *token)
{
    const struct mail *mail = step->instance->mail;
    size_t i = 0;
    while (i < step->instance->mail_count && !str_equal(mail[i].node, token->node_name)) i++;
    step_spend(step, (int64_t)i);
    if (i == step->instance->mail_count) return;
    const struct mail signal = mail[i];
    struct error err;
    if (data_take(step, token->execution, signal.event, MERGE_SHALLOW, &err) != ST_OK) {
        token_fail(step, token->execution, arena_str(step->arena, str_of(err.message)));
        return;
    }
    note(step, &(struct entry){
                   .kind = ENTRY_KIND_MAIL_OUT, .mail = signal.number, .execution = token->execution });
    exit_node(step, token->execution);
}

void mail_serve(struct step *step, uint32_t execution)
{
    const struct token token = *instance_find_token(step->instance, execution);
    const struct program_node *node = token_node(step, &token);
    if (token.state == TOKEN_SIGNAL) {
        serve_signal(step, &token);
        return;
    }
    for (size_t limit = 0; (limit = next_limit(step, node, limit)) != 0;) {
        if (budget_stopped(step, execution) || try_cases(step, &token, limit)) return;
    }
}

/* ---- all that wait ---- */

static int compare_waiters(const void *a, const void *b, const void *context)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    (void)context;
    return left < right ? -1 : left > right;
}

static bool waits_for_mail(const struct token *token)
{
    return token->state == TOKEN_EVENT || token->state == TOKEN_SIGNAL;
}

/* The executions of the tokens that wait for events or signals, in the order of the definition; of those at
 * one node the older one comes first. */
static uint64_t *find_waiters(struct step *step, size_t *ret_count)
{
    const struct instance *instance = step->instance;
    size_t count = 0;
    for (size_t i = 0; i < instance->token_count; i++) count += waits_for_mail(&instance->token[i]);
    uint64_t *key = arena_alloc(step->arena, 2 * count * sizeof *key), *next = key;
    for (size_t i = 0; i < instance->token_count; i++) {
        const struct token *token = &instance->token[i];
        if (waits_for_mail(token)) *next++ = (uint64_t)token->node << 32 | token->execution;
    }
    sort_stable(key, key + count, count, sizeof *key, compare_waiters, NULL);
    step_spend(step, (int64_t)(instance->token_count / TOKENS_PER_FUEL + count));
    *ret_count = count;
    return key;
}

/* True if there is mail to serve. Serving a token may fail the instance. */
static bool has_mail(const struct step *step)
{
    return step->instance->mail_count && !instance_status_ended(step->instance->status);
}

/* No token begins to wait while others are served, but a wait that fires may take other tokens away. */
static void serve_waiters(struct step *step, bool late)
{
    if (!has_mail(step)) return;
    size_t count;
    const uint64_t *key = find_waiters(step, &count);
    for (size_t i = 0; i < count && has_mail(step); i++) {
        uint32_t execution = (uint32_t)key[i];
        const struct token *waiter = instance_find_token(step->instance, execution);
        if (!waiter || !waits_for_mail(waiter)) continue;
        if (budget_stopped(step, execution)) return;
        const struct token token = *waiter;
        if (late) mail_serve(step, execution);
        else if (token.state == TOKEN_EVENT) try_cases(step, &token, step->instance->mail_count);
    }
}

void mail_serve_late(struct step *step) { serve_waiters(step, true); }

void mail_serve_all(struct step *step) { serve_waiters(step, false); }

enum status mail_has_room(const struct step *step, const struct json *more, struct error *rejection)
{
    const struct instance *instance = step->instance;
    int64_t bytes = (int64_t)json_bytes(more), count = (int64_t)instance->mail_count;
    for (size_t i = 0; i < instance->mail_count; i++) bytes += (int64_t)json_bytes(instance->mail[i].event);
    if (count >= step->limits->mailbox_events_max)
        return fail(rejection, ST_LIMIT, "mailbox_events_max",
                    "the instance holds %lld events and signals it has not used yet, the most allowed "
                    "(mailbox_events_max)",
                    (long long)count);
    if (bytes > step->limits->mailbox_bytes_max)
        return fail(
            rejection, ST_LIMIT, "mailbox_bytes_max",
            "what the instance has not used yet would take %lld bytes; the most is %lld (mailbox_bytes_max)",
            (long long)bytes, (long long)step->limits->mailbox_bytes_max);
    return ST_OK;
}
