/* dialect/entity/answer.c — what a task asks a calculation node for, and the times in an answer.
 *
 * A function that says when a scheduled transition is due answers with {"fireAt" or "fireAfterMs", perhaps
 * "expireAt" or "expireAfterMs"}. The token goes on with the times that this means (ENTITY_SCHEDULE).
 */
#include "dialect/entity/entity_int.h"

#include "base/clock.h"
#include "base/datetime.h"

#define TIME_NONE INT64_MIN

/* ---- tasks ---- */

const struct json *entity_task(const struct program *program, const struct instance *instance, uint32_t job)
{
    const struct job *open = instance_find_job(instance, job);
    const struct token *token = open ? instance_find_token(instance, open->execution) : NULL;
    return token ? program->node[token->node].as.task.config : NULL;
}

bool entity_asks(const struct json *task, str kind) { return str_equal(json_text(task, STR("kind")), kind); }

bool entity_task_is_aside(const struct json *task)
{
    return str_equal(json_text(task, STR("mode")), STR(ENTITY_MODE_NEW_TX_WORD));
}

bool entity_task_has_savepoint(const struct json *task) { return json_flag(task, ENTITY_SAVEPOINT); }

/* ---- schedules ---- */

static enum status fail_schedule(struct error *err, const char *why)
{
    return fail(err, ST_INVALID, "SCHEDULE_FUNCTION_INVALID_RESULT",
                "the function's answer is no schedule: %s", why);
}

/* A time that is given as such, or as so many milliseconds after another; TIME_NONE: neither is there. */
static enum status read_time(const struct json *result, str at, str after, int64_t from_ms, int64_t *ret_ms,
                             struct error *err)
{
    const struct json *when = json_get(result, at), *delay = json_get(result, after);
    if (json_is(when, JSON_NULL)) when = NULL;
    if (json_is(delay, JSON_NULL)) delay = NULL;
    *ret_ms = TIME_NONE;
    if (when && delay) return fail_schedule(err, "it has a time and a delay for the same thing");
    if (!when && !delay) return ST_OK;
    if (!json_int64(when ? when : delay, ret_ms) ||
        (delay && __builtin_add_overflow(from_ms, *ret_ms, ret_ms)))
        return fail_schedule(err, "times and delays are whole numbers of milliseconds");
    if (*ret_ms < 0 || *ret_ms > CLOCK_MS_MAX)
        return fail_schedule(err, "a time is not between the years 1970 and 9999");
    return ST_OK;
}

static const struct json *time_text(int64_t at_ms, struct arena *arena)
{
    char text[DATETIME_CHARS + 1];
    if (at_ms == TIME_NONE) return json_null();
    datetime_print(at_ms, text);
    return json_of_string(arena, str_of(text));
}

enum status entity_answer_schedule(const struct json *answer, int64_t now_ms, struct arena *arena,
                                   const struct json **ret_schedule, struct error *err)
{
    const struct json *result = json_get(answer, STR("result")), *schedule = json_empty_object();
    int64_t due_ms, expires_ms;
    if (!str_equal(json_text(answer, STR("resultKind")), STR("Schedule")))
        return fail_schedule(err, "its resultKind is not \"Schedule\"");
    if (!json_is(result, JSON_OBJECT)) return fail_schedule(err, "its result is no object");
    TRY(read_time(result, STR("fireAt"), STR("fireAfterMs"), now_ms, &due_ms, err));
    if (due_ms == TIME_NONE) return fail_schedule(err, "it has neither fireAt nor fireAfterMs");
    TRY(read_time(result, STR("expireAt"), STR("expireAfterMs"), due_ms, &expires_ms, err));
    if (expires_ms != TIME_NONE && expires_ms <= due_ms) {
        *ret_schedule = json_set(arena, schedule, ENTITY_MISSED, time_text(due_ms, arena));
        return ST_OK;
    }
    schedule = json_set(arena, schedule, ENTITY_DUE, time_text(due_ms, arena));
    *ret_schedule = json_set(arena, schedule, ENTITY_EXPIRES, time_text(expires_ms, arena));
    return ST_OK;
}
