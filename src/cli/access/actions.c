/* cli/access/actions.c — finds the action of a verb, makes objects from options, prints records. */
#include "cli/access/actions.h"

#include "base/clock.h"
#include "base/datetime.h"
#include "cli/output.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- the action ---- */

/* Options that say where to ask and how to print. */
static bool is_for_all(enum option option)
{
    return option == OPTION_SERVER || option == OPTION_TOKEN || option == OPTION_TENANT ||
           option == OPTION_CONFIG || option == OPTION_JSON || option == OPTION_ACCESS_STORE;
}

static bool obeys(const struct verb_action *action, enum option option)
{
    if (is_for_all(option)) return true;
    for (size_t i = 0; i < ACTION_OPTIONS_MAX && action->option[i] != OPTION_COUNT; i++)
        if (action->option[i] == option) return true;
    return false;
}

static bool check_options(const struct options *options, const struct verb_action *action)
{
    for (enum option option = 0; option < OPTION_COUNT; option++) {
        if (!options->value[option].given || obeys(action, option)) continue;
        output_complain("--%s has no effect on \"pawl %s %s\"", option_specs[option].flag,
                        verb_specs[options->verb].word, action->word);
        return false;
    }
    return true;
}

static bool check_arguments(const struct options *options, const struct verb_action *action)
{
    size_t count = options->argument_count - 1;
    const char *verb = verb_specs[options->verb].word;
    if (count < action->arguments_min) output_complain("%s %s needs %s", verb, action->word, action->needs);
    else if (count > action->arguments_max)
        output_complain("%s %s does not know what to do with \"%.*s\"", verb, action->word,
                        STR_ARG(options->argument[action->arguments_max + 1]));
    else return true;
    return false;
}

static const struct verb_action *find_action(const struct options *options, const struct verb_action *action,
                                             size_t count)
{
    struct buf words;
    buf_init(&words, options->arena);
    for (size_t i = 0; i < count; i++) {
        if (str_equal(options->argument[0], str_of(action[i].word))) return &action[i];
        buf_printf(&words, "%s%s", !i ? "" : i + 1 < count ? ", " : " or ", action[i].word);
    }
    output_complain("%s: \"%.*s\" is not %.*s", verb_specs[options->verb].word, STR_ARG(options->argument[0]),
                    (int)words.n, words.p);
    return NULL;
}

int actions_run(const struct options *options, const struct verb_action *action, size_t count)
{
    const struct verb_action *found = find_action(options, action, count);
    struct door door;
    if (!found || !check_arguments(options, found) || !check_options(options, found))
        return status_exit(ST_INVALID);
    int code = door_open(&door, options);
    if (!code) code = found->run(&door);
    door_close(&door);
    return code;
}

str action_argument(const struct door *door, size_t i)
{
    return i + 1 < door->options->argument_count ? door->options->argument[i + 1] : STR_NONE;
}

/* ---- objects from options ---- */

const struct json *action_set_text(const struct door *door, const struct json *object, const char *member,
                                   enum option option)
{
    const struct option_value *value = &door->options->value[option];
    if (!value->given) return object;
    return json_set(door->arena, object, str_of(member),
                    value->text.n ? json_of_string(door->arena, value->text) : json_null());
}

const struct json *action_set_list(const struct door *door, const struct json *object, const char *member,
                                   enum option option)
{
    const struct option_value *value = &door->options->value[option];
    struct json_builder list;
    if (!value->given) return object;
    json_builder_init(&list, door->arena);
    json_open_array(&list);
    bool is_empty = value->list_count == 1 && !value->list[0].n;
    for (size_t i = 0; i < value->list_count && !is_empty; i++) json_add_string(&list, value->list[i]);
    json_close(&list);
    return json_set(door->arena, object, str_of(member), json_built(&list));
}

enum status action_time(str text, int sign, const char *where, int64_t *ret_ms, struct error *err)
{
    struct clock clock = clock_system();
    int64_t ms;
    *ret_ms = 0;
    if (!text.n || datetime_parse(text, ret_ms)) return ST_OK;
    if (options_duration(text, &ms, NULL) != ST_OK)
        return fail(err, ST_INVALID, where,
                    "%s: \"%.*s\" is neither a time such as 2026-11-16T09:00:00Z nor a duration such as 90d",
                    where, STR_ARG(text));
    *ret_ms = clock_now_ms(&clock) + sign * ms;
    return ST_OK;
}

/* ---- what is printed ---- */

int action_say(struct door *door, const char *format, ...)
{
    char text[1024];
    struct buf out;
    va_list args;
    if (option_on(door->options, OPTION_JSON)) return client_print_json(&door->client);
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    buf_init(&out, door->arena);
    output_add_safe(&out, str_of(text), false);
    buf_add_char(&out, '\n');
    return output_write(buf_str(&out));
}

int action_show(struct door *door)
{
    enum { COLUMN = 16 };
    struct buf out;
    if (option_on(door->options, OPTION_JSON)) return client_print_json(&door->client);
    buf_init(&out, door->arena);
    struct json_each each = json_each(door_answer(door));
    while (json_next(&each)) {
        bool is_list = json_is(each.value, JSON_ARRAY);
        const char *name = arena_str(door->arena, each.name).p;
        str text = is_list ? client_list(&door->client, door_answer(door), name)
                           : client_text(&door->client, door_answer(door), name);
        buf_printf(&out, "%-*s", COLUMN, name);
        output_add_safe(&out, text, false);
        buf_add_char(&out, '\n');
    }
    return output_write(buf_str(&out));
}
