/* core/timer.c — timers are opened and closed. */

#include "core/core_int.h"

#include "base/datetime.h"
#include "base/duration.h"

/* The time that a computed timer gives: a number of milliseconds from now, a duration, or a time; TIMER_NEVER
 * if there is none. */
static enum status computed_due(struct step *step, const struct token *token,
                                const struct program_timer *timer, int64_t from_ms, int64_t *ret_due_ms,
                                struct error *err)
{
    const struct json *value;
    int64_t delay_ms;
    TRY(expression_at(step, timer->when, token, NULL, &value, err));
    if (json_is(value, JSON_NUMBER)) {
        double ms = json_double(value);
        if (!(ms >= -(double)DURATION_MS_MAX && ms <= (double)DURATION_MS_MAX))
            return fail(err, ST_INVALID, "", "a delay of so many milliseconds is out of range");
        *ret_due_ms = time_after(from_ms, (int64_t)ms);
        return ST_OK;
    }
    if (json_is(value, JSON_NULL) && timer->does == TIMER_FIRE) {
        *ret_due_ms = TIMER_NEVER;
        return ST_OK;
    }
    if (!json_is(value, JSON_STRING))
        return fail(err, ST_INVALID, "", "a time, a duration or a number of milliseconds is needed, not %s",
                    json_kind_name(json_kind(value)));
    str text = json_string(value);
    if (datetime_parse(text, ret_due_ms)) return ST_OK;
    if (duration_parse_any(text, &delay_ms, NULL) != ST_OK)
        return fail(err, ST_INVALID, "", "\"%.*s\" is neither a time nor a duration", STR_ARG(text));
    *ret_due_ms = time_after(from_ms, delay_ms);
    return ST_OK;
}

enum status timer_due(struct step *step, const struct token *token, const struct program_timer *timer,
                      int64_t from_ms, int64_t *ret_due_ms, struct error *err)
{
    if (timer->when) return computed_due(step, token, timer, from_ms, ret_due_ms, err);
    *ret_due_ms = timer->at_ms ? timer->at_ms : time_after(from_ms, timer->delay_ms);
    return ST_OK;
}

static enum status timer_open(struct step *step, const struct token *token, const struct program_node *node,
                              size_t index, int64_t from_ms, struct error *err)
{
    int64_t due_ms;
    TRY(timer_due(step, token, &node->timer[index], from_ms, &due_ms, err));
    if (due_ms == TIMER_NEVER) return ST_OK;
    timer_open_again(step, token->execution, (uint32_t)index, due_ms);
    return ST_OK;
}

enum status timer_open_all(struct step *step, const struct token *token, const struct program_node *node,
                           struct error *err)
{
    for (size_t i = 0; i < node->timer_count; i++)
        if (node->timer[i].does != TIMER_GIVE_UP)
            TRY(timer_open(step, token, node, i, step->command->now_ms, err));
    return ST_OK;
}

enum status timer_open_for_lock(struct step *step, const struct token *token, const struct program_node *node,
                                struct error *err)
{
    for (size_t i = 0; i < node->timer_count; i++)
        if (node->timer[i].does == TIMER_GIVE_UP)
            TRY(timer_open(step, token, node, i, step->command->now_ms, err));
    return ST_OK;
}

enum status timer_open_for_attempt(struct step *step, const struct token *token,
                                   const struct program_node *node, int64_t from_ms, struct error *err)
{
    for (size_t i = 0; i < node->timer_count; i++)
        if (node->timer[i].per_attempt) TRY(timer_open(step, token, node, i, from_ms, err));
    return ST_OK;
}

void timer_open_again(struct step *step, uint32_t execution, uint32_t index, int64_t due_ms)
{
    note(step, &(struct entry){ .kind = ENTRY_KIND_TIMER_OPEN,
                                .execution = execution,
                                .timer = note_number(step),
                                .index = index,
                                .due_ms = due_ms });
}

void timer_close(struct step *step, uint32_t number, bool fired)
{
    note(step, &(struct entry){ .kind = ENTRY_KIND_TIMER_CLOSE, .timer = number, .fired = fired });
}

void timer_close_all(struct step *step, uint32_t execution)
{
    const struct instance *instance = step->instance;
    for (size_t i = instance->timer_count; i-- > 0;)
        if (instance->timer[i].execution == execution) timer_close(step, instance->timer[i].number, false);
}

bool timer_yields(const struct instance *instance, uint32_t host)
{
    for (size_t i = 0; i < instance->timer_count; i++)
        if (instance->timer[i].execution == host && instance->timer[i].index == TIMER_YIELD) return true;
    return false;
}

void timer_yield(struct step *step, uint32_t host)
{
    if (timer_yields(step->instance, host)) return;
    timer_open_again(step, host, TIMER_YIELD, step->command->now_ms);
}
