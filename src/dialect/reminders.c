/* dialect/reminders.c — reads `reminders` and `escalation` of a task, and makes timers of them. */
#include "dialect/reminders.h"

#include "base/duration.h"
#include "base/must.h"
#include "core/task.h"
#include "dialect/limits.h"

static const char *const reminder_members[] = { "after", "every", "email" };

static bool is_one_of(str name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(name, str_of(names[i]))) return true;
    return false;
}

static enum status read_delay(const struct json *value, const char *where, int64_t *ret_ms, struct error *err)
{
    if (json_is(value, JSON_STRING) && json_string(value).n &&
        duration_parse_any(json_string(value), ret_ms, NULL) == ST_OK && *ret_ms > 0 &&
        *ret_ms <= CLOCK_MS_MAX)
        return ST_OK;
    return fail(err, ST_INVALID, where, "must be a duration longer than zero, such as P1D");
}

static enum status read_email(const struct json *object, const char *where, struct program_timer *timer,
                              struct error *err)
{
    const struct json *email = json_get(object, STR("email"));
    if (email && !json_is(email, JSON_BOOL))
        return fail(err, ST_INVALID, where, "email must be true or false");
    timer->is_quiet = email && !json_flag(object, STR("email"));
    return ST_OK;
}

/* A duration, or an object with `after`, `every` and `email`. */
static enum status read_reminder(const struct json *value, const char *where, struct arena *arena,
                                 struct program_timer *ret_timer, struct error *err)
{
    *ret_timer = (struct program_timer){ .does = TIMER_TASK, .target = NODE_NONE };
    if (!json_is(value, JSON_OBJECT)) return read_delay(value, where, &ret_timer->delay_ms, err);
    struct json_each each = json_each(value);
    while (json_next(&each))
        if (!is_one_of(each.name, reminder_members, COUNT(reminder_members)))
            return fail(err, ST_INVALID, where, "\"%.*s\" is none of after, every, email",
                        STR_ARG(each.name));
    TRY(read_delay(json_get(value, STR("after")), arena_printf(arena, "%s/after", where).p,
                   &ret_timer->delay_ms, err));
    const struct json *every = json_get(value, STR("every"));
    const char *at = arena_printf(arena, "%s/every", where).p;
    if (every) TRY(read_delay(every, at, &ret_timer->every_ms, err));
    if (every && ret_timer->every_ms < REMINDER_EVERY_MS_MIN)
        return fail(err, ST_INVALID, at, "must be at least one minute (REMINDER_EVERY_MS_MIN)");
    return read_email(value, where, ret_timer, err);
}

static enum status check_change(str name, const struct json *value, const char *where, struct error *err)
{
    static const char *const known[] = { "assignee", "assignees", "groups", "priority", "due" };
    int64_t priority;
    bool gone = json_is(value, JSON_NULL);
    if (!is_one_of(name, known, COUNT(known)))
        return fail(err, ST_INVALID, where,
                    "\"%.*s\" is none of after, assignee, assignees, groups, priority, due, email",
                    STR_ARG(name));
    if (gone) return ST_OK;
    if (str_equal(name, STR("priority")))
        return json_int64(value, &priority) && priority >= 0 && priority <= 100
                   ? ST_OK
                   : fail(err, ST_INVALID, where, "priority must be between 0 and 100");
    if (str_equal(name, STR("due")))
        return task_time(value, 1) ? ST_OK : fail(err, ST_INVALID, where, "due must be a time or a duration");
    if (json_is(value, JSON_STRING) && json_string(value).n) return ST_OK;
    bool list = json_is(value, JSON_ARRAY) && !str_equal(name, STR("assignee"));
    struct json_each each = json_each(list ? value : json_empty_array());
    while (list && json_next(&each)) list = json_is(each.value, JSON_STRING) && json_string(each.value).n;
    return list ? ST_OK
                : fail(err, ST_INVALID, where, "%.*s must be a name, or a list of names", STR_ARG(name));
}

static enum status read_escalation(const struct json *value, const char *where, struct arena *arena,
                                   struct program_timer *ret_timer, struct error *err)
{
    if (!json_is(value, JSON_OBJECT)) return fail(err, ST_INVALID, where, "must be an object with \"after\"");
    *ret_timer = (struct program_timer){ .does = TIMER_TASK, .target = NODE_NONE };
    TRY(read_delay(json_get(value, STR("after")), arena_printf(arena, "%s/after", where).p,
                   &ret_timer->delay_ms, err));
    TRY(read_email(value, where, ret_timer, err));
    ret_timer->change = json_without(arena, json_without(arena, value, STR("after")), STR("email"));
    if (!json_count(ret_timer->change)) return fail(err, ST_INVALID, where, "must say what changes");
    struct json_each each = json_each(ret_timer->change);
    while (json_next(&each)) TRY(check_change(each.name, each.value, where, err));
    return ST_OK;
}

/* The items of a list, or the value alone. */
static size_t count_of(const struct json *value)
{
    return !value || json_is(value, JSON_NULL) ? 0 : json_is(value, JSON_ARRAY) ? json_count(value) : 1;
}

static const struct json *item_of(const struct json *value, size_t i)
{
    return json_is(value, JSON_ARRAY) ? json_item(value, i) : value;
}

enum status reminders_add(const struct json *reminders, const struct json *escalation, struct arena *arena,
                          struct program_node *node, struct error *err)
{
    size_t first = count_of(reminders), second = count_of(escalation), count = node->timer_count;
    if (!first && !second) return ST_OK;
    if (first > REMINDERS_MAX)
        return fail(err, ST_LIMIT, "/reminders", "at most %d reminders (REMINDERS_MAX)", REMINDERS_MAX);
    if (second > REMINDERS_MAX)
        return fail(err, ST_LIMIT, "/escalation", "at most %d escalations (REMINDERS_MAX)", REMINDERS_MAX);
    struct program_timer *timer = arena_make_n(arena, struct program_timer, count + first + second);
    if (count) memcpy(timer, node->timer, count * sizeof *timer);
    for (size_t i = 0; i < first; i++) {
        bool list = json_is(reminders, JSON_ARRAY);
        const char *where = list ? arena_printf(arena, "/reminders/%zu", i).p : "/reminders";
        TRY(read_reminder(item_of(reminders, i), where, arena, &timer[count++], err));
    }
    for (size_t i = 0; i < second; i++) {
        bool list = json_is(escalation, JSON_ARRAY);
        const char *where = list ? arena_printf(arena, "/escalation/%zu", i).p : "/escalation";
        TRY(read_escalation(item_of(escalation, i), where, arena, &timer[count++], err));
    }
    must(count == node->timer_count + first + second);
    node->timer = timer;
    node->timer_count = count;
    return ST_OK;
}
