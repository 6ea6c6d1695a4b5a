/* cli/client/migrate.c — `pawl migrate`: living instances go on with another version, or come back. */
#include "base/clock.h"
#include "cli/client/bulk.h"
#include "cli/output.h"
#include "cli/client/where.h"

static int refuse(const char *words)
{
    output_complain("migrate %s", words);
    output_complain("see \"pawl help migrate\"");
    return status_exit(ST_INVALID);
}

/* The pairs OLD=NEW as an object. */
static enum status read_map(const struct options *options, const struct json **ret_map, struct error *err)
{
    const struct option_value *pairs = &options->value[OPTION_MAP];
    const struct json *map = json_empty_object();
    for (size_t i = 0; i < pairs->list_count; i++) {
        str pair = pairs->list[i];
        size_t at = str_find(pair, STR("="), 0);
        if (at == SIZE_MAX || !at || at + 1 == pair.n)
            return fail(err, ST_INVALID, "--map", "--map wants OLD=NEW, not \"%.*s\"", STR_ARG(pair));
        str old = str_slice(pair, 0, at);
        if (json_get(map, old))
            return fail(err, ST_INVALID, "--map", "--map names \"%.*s\" twice", STR_ARG(old));
        map = json_set(options->arena, map, old,
                       json_of_string(options->arena, str_slice(pair, at + 1, pair.n)));
    }
    *ret_map = map;
    return ST_OK;
}

static const struct json *with_reason(const struct options *options, const struct json *body)
{
    str reason = option_text(options, OPTION_REASON);
    if (!reason.n) return body;
    return json_set(options->arena, body, STR("reason"), json_of_string(options->arena, reason));
}

static int undo(const struct options *options)
{
    static const enum option others[] = { OPTION_FROM_VERSION, OPTION_TO_VERSION, OPTION_MAP, OPTION_NO_RETRY,
                                          OPTION_WHERE };
    for (size_t i = 0; i < COUNT(others); i++)
        if (options->value[others[i]].given || options->argument_count)
            return refuse("--undo needs the id of a migration, and nothing that says what migrates");
    const struct json *body = json_set(options->arena, json_empty_object(), STR("bulk"),
                                       json_of_string(options->arena, option_text(options, OPTION_UNDO)));
    return bulk_run_body(options, "undo", with_reason(options, body), NULL);
}

/* The conditions of --where, and whose instances they are. */
static enum status read_filter(const struct options *options, int64_t from, const struct json **ret_filter,
                               struct error *err)
{
    struct clock clock = clock_system();
    const struct json *filter = NULL;
    bool all = false;
    if (bulk_wanted(options))
        TRY(where_read(&options->value[OPTION_WHERE], false, clock_now_ms(&clock), options->arena, &filter,
                       &all, err));
    if (!filter || all) filter = json_empty_object();
    if (json_get(filter, STR("definitionId")) || json_get(filter, STR("definitionVersion")))
        return fail(err, ST_INVALID, "--where",
                    "--where: DEFINITION and --from say already which definition and version it is");
    filter = json_set(options->arena, filter, STR("definitionId"),
                      json_of_string(options->arena, options->argument[0]));
    *ret_filter =
        json_set(options->arena, filter, STR("definitionVersion"), json_of_int(options->arena, from));
    return ST_OK;
}

int verb_migrate(const struct options *options)
{
    struct arena *arena = options->arena;
    const struct json *map = NULL, *filter = NULL, *body = json_empty_object();
    struct error err;
    if (options->value[OPTION_UNDO].given) return undo(options);
    if (!options->argument_count) return refuse("needs a DEFINITION, or --undo with the id of a migration");
    if (!options->value[OPTION_FROM_VERSION].given || !options->value[OPTION_TO_VERSION].given)
        return refuse("needs --from and --to, the two versions");
    if (read_map(options, &map, &err) != ST_OK ||
        read_filter(options, option_number(options, OPTION_FROM_VERSION), &filter, &err) != ST_OK)
        return output_fail(&err);
    body = json_set(arena, body, STR("to"), json_of_int(arena, option_number(options, OPTION_TO_VERSION)));
    if (json_count(map)) body = json_set(arena, body, STR("map"), map);
    if (option_on(options, OPTION_NO_RETRY)) body = json_set(arena, body, STR("retry"), json_of_bool(false));
    return bulk_run_body(options, "migrate", with_reason(options, body), filter);
}
