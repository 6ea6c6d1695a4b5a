/* dialect/startable.c — reads the roles and groups that may start a definition by hand. */
#include "dialect/startable.h"

#include "dialect/limits.h"

static bool is_name(const struct json *value) { return json_is(value, JSON_STRING) && json_string(value).n; }

static bool are_names(const struct json *list)
{
    bool good = json_is(list, JSON_ARRAY) && json_count(list) <= STARTABLE_NAMES_MAX;
    for (size_t i = 0; good && i < json_count(list); i++) good = is_name(json_item(list, i));
    return good;
}

void startable_read(const struct json *document, struct program *program, struct problems *problems)
{
    const struct json *names = json_get(document, STR("startableBy"));
    if (!names || json_is(names, JSON_NULL)) return;
    if (are_names(names)) program->startable_by = json_copy(program_arena(program), names);
    else
        problem_error(problems, PROBLEM_BAD_VALUE, STR("/startableBy"), NULL,
                      "startableBy must be a list of at most %d names of roles and groups",
                      STARTABLE_NAMES_MAX);
}
