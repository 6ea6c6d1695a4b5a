/* cli/client/bulk.c — previews, begins and follows a bulk; `pawl bulk` lists, shows, pauses, cancels. */
#include "cli/client/bulk.h"

#include "base/clock.h"
#include "cli/client/client.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "cli/client/words.h"
#include "cli/client/where.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { ASK_AGAIN_MS = 200, EXCEPTIONS_SHOWN = 20, EXIT_NOT_ALL = 1 };

bool bulk_wanted(const struct options *options) { return options->value[OPTION_WHERE].list_count > 0; }

int bulk_check_arguments(const struct options *options, size_t needed, const char *what)
{
    const char *word = verb_specs[options->verb].word;
    if (bulk_wanted(options) && options->argument_count) {
        output_complain("%s: either --where or %s", word, what);
        return status_exit(ST_INVALID);
    }
    if (!bulk_wanted(options) && options->argument_count < needed) {
        output_complain("%s needs %s, or --where for many", word, what);
        output_complain("see \"pawl help %s\"", word);
        return status_exit(ST_INVALID);
    }
    static const enum option only[] = { OPTION_DRY_RUN, OPTION_YES, OPTION_STEP };
    for (size_t i = 0; i < COUNT(only) && !bulk_wanted(options); i++)
        if (options->value[only[i]].given) {
            output_complain("--%s goes with --where", option_specs[only[i]].flag);
            return status_exit(ST_INVALID);
        }
    return 0;
}

static const char *things(const char *action, int64_t count)
{
    if (strcmp(action, "resend") == 0) return count == 1 ? "event" : "events";
    return count == 1 ? "instance" : "instances";
}

static int post(struct client *client, str path, const struct json *body)
{
    struct buf text;
    buf_init(&text, client->arena);
    if (body) json_print(body, &text);
    return client_post(client, path, buf_str(&text), 0);
}

/* ---- the preview ---- */

static str example_of(struct client *client, const struct json *group)
{
    const struct json *example = json_item(json_get(group, STR("examples")), 0);
    struct buf out;
    if (json_is(example, JSON_STRING)) return json_string(example);
    buf_init(&out, client->arena);
    if (example) json_print(example, &out);
    return buf_str(&out);
}

void bulk_print_groups(struct client *client, struct buf *out)
{
    static const char *const headings[] = { "COUNT", "STATUS", "LAST (UTC)", "EXAMPLE", "REASON", NULL };
    struct text_table table;
    table_init(&table, client->arena, headings);
    struct json_each each = json_each(json_get(client->answer, STR("groups")));
    while (json_next(&each))
        table_add(&table, (str[]){ client_text(client, each.value, "count"),
                                   words_screen(client_text(client, each.value, "status")),
                                   client_time(client, each.value, "lastAt"), example_of(client, each.value),
                                   client_text(client, each.value, "reason") });
    table_print(&table, output_colours(), out);
    int64_t groups = json_integer(client->answer, STR("groupCount")),
            shown = (int64_t)json_count(json_get(client->answer, STR("groups")));
    if (groups > shown) buf_printf(out, "… and %lld more reasons\n", (long long)(groups - shown));
}

static bool is_migration(const char *action)
{
    return strcmp(action, "migrate") == 0 || strcmp(action, "undo") == 0;
}

/* A preview of a migration: three groups, the last one with reasons. */
static void print_verdicts(struct client *client, struct buf *out)
{
    static const char *const headings[] = { "COUNT", "STATUS", "WHAT HAPPENS", "EXAMPLE", NULL };
    struct text_table table;
    table_init(&table, client->arena, headings);
    struct json_each each = json_each(json_get(client->answer, STR("groups")));
    while (json_next(&each)) {
        str verdict = client_text(client, each.value, "verdict"),
            reason = client_text(client, each.value, "exampleReason");
        str words = str_equal(verdict, STR("moves")) ? STR("moves")
                    : str_equal(verdict, STR("mapped"))
                        ? STR("moves with the mapping")
                        : arena_printf(client->arena, "cannot move: %.*s", STR_ARG(reason));
        table_add(&table, (str[]){ client_text(client, each.value, "count"),
                                   words_screen(client_text(client, each.value, "status")), words,
                                   example_of(client, each.value) });
    }
    table_print(&table, output_colours(), out);
    const struct json *answer = client->answer;
    buf_printf(out, "%lld move, %lld move with the mapping, %lld cannot move\n",
               (long long)json_integer(answer, STR("moves")), (long long)json_integer(answer, STR("mapped")),
               (long long)json_integer(answer, STR("cannotMove")));
}

static int preview(struct client *client, const char *action, const struct json *body, int64_t *ret_found)
{
    struct buf out;
    int code =
        post(client, STR("/v1/bulk"), json_set(client->arena, body, STR("dryRun"), json_of_bool(true)));
    if (code) return code;
    *ret_found = json_integer(client->answer, STR("found")) - json_integer(client->answer, STR("cannotMove"));
    if (option_on(client->options, OPTION_JSON))
        return option_on(client->options, OPTION_DRY_RUN) ? client_print_json(client) : 0;
    buf_init(&out, client->arena);
    if (is_migration(action) && json_integer(client->answer, STR("found"))) {
        print_verdicts(client, &out);
        return output_write(buf_str(&out));
    }
    if (*ret_found) bulk_print_groups(client, &out);
    buf_printf(&out, "%lld %s to %s\n", (long long)*ret_found, things(action, *ret_found), action);
    return output_write(buf_str(&out));
}

/* Asks at the terminal whether to go on. 0, or the exit code. */
static int ask(const struct options *options, const char *action, int64_t found)
{
    if (option_on(options, OPTION_YES)) return 0;
    if (!isatty(STDIN_FILENO)) {
        output_complain("nobody is there to be asked: give --yes to %s %lld %s", action, (long long)found,
                        things(action, found));
        return status_exit(ST_INVALID);
    }
    char answer[16] = "";
    fprintf(stderr, "%s %lld %s? [y/N] ", action, (long long)found, things(action, found));
    fflush(stderr);
    bool yes = fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y');
    if (!yes) output_complain("nothing was done");
    return yes ? 0 : EXIT_NOT_ALL;
}

/* ---- how it goes ---- */

static void pause_ms(int64_t ms)
{
    struct timespec moment = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
    nanosleep(&moment, NULL);
}

static bool is_running(struct client *client)
{
    return str_equal(client_text(client, client->answer, "state"), STR("running"));
}

/* Polls the bulk until it has ended; the last answer is the bulk. */
static int follow(struct client *client, const char *action, str id)
{
    struct progress progress;
    progress_begin(&progress, things(action, json_integer(client->answer, STR("found"))),
                   (size_t)json_integer(client->answer, STR("found")));
    int code = 0;
    while (!code && is_running(client)) {
        progress_show(&progress, (size_t)json_integer(client->answer, STR("done")));
        pause_ms(ASK_AGAIN_MS);
        code = client_get(client, client_path(client, "/v1/bulk/{}", &id));
    }
    progress_clear(&progress);
    return code;
}

static void print_counts(struct client *client, struct buf *out)
{
    const struct json *bulk = client->answer;
    buf_printf(out, "%lld of %lld done: %lld succeeded, %lld skipped, %lld refused (%.*s)\n",
               (long long)json_integer(bulk, STR("done")), (long long)json_integer(bulk, STR("found")),
               (long long)json_integer(bulk, STR("succeeded")), (long long)json_integer(bulk, STR("skipped")),
               (long long)json_integer(bulk, STR("refused")), STR_ARG(client_text(client, bulk, "state")));
}

/* Prints some of the instances for which it was not done, with the reasons. */
static int print_exceptions(struct client *client, str id, const char *outcome, struct buf *out)
{
    static const char *const headings[] = { "OF", "OUTCOME", "REASON", NULL };
    str path = client_path(client, "/v1/bulk/{}/results", &id);
    path = client_with(client, client_with(client, path, "outcome", str_of(outcome)), "pageSize", STR("20"));
    int code = client_get(client, path);
    const struct json *items = json_get(client->answer, STR("items"));
    if (code || !json_count(items)) return code;
    struct text_table table;
    table_init(&table, client->arena, headings);
    struct json_each each = json_each(items);
    while (json_next(&each)) {
        str instance = client_text(client, each.value, "instanceId");
        table_add(&table, (str[]){ instance.n ? instance : client_text(client, each.value, "number"),
                                   client_text(client, each.value, "outcome"),
                                   client_text(client, each.value, "reason") });
    }
    table_print(&table, output_colours(), out);
    return 0;
}

/* The bulk is the last answer. */
static int print_end(struct client *client, str id)
{
    bool all = json_integer(client->answer, STR("succeeded")) == json_integer(client->answer, STR("found"));
    int64_t refused = json_integer(client->answer, STR("refused")),
            skipped = json_integer(client->answer, STR("skipped"));
    struct buf out;
    buf_init(&out, client->arena);
    int code = 0;
    if (option_on(client->options, OPTION_JSON)) {
        code = client_print_json(client);
    } else {
        print_counts(client, &out);
        if (refused) code = print_exceptions(client, id, "refused", &out);
        if (skipped && !code) code = print_exceptions(client, id, "skipped", &out);
        if (refused > EXCEPTIONS_SHOWN || skipped > EXCEPTIONS_SHOWN)
            buf_printf(&out, "all of them: /v1/bulk/%.*s/results\n", STR_ARG(id));
        if (!code) code = output_write(buf_str(&out));
    }
    return code ? code : all ? 0 : EXIT_NOT_ALL;
}

static int begin(struct client *client, const char *action, const struct json *body)
{
    int code = post(client, STR("/v1/bulk"), body);
    if (code) return code;
    str id = client_text(client, client->answer, "id");
    if (!option_on(client->options, OPTION_JSON))
        fprintf(stderr, "bulk %.*s has begun and goes on without you; \"pawl bulk cancel %.*s\" stops it\n",
                STR_ARG(id), STR_ARG(id));
    code = follow(client, action, id);
    return code ? code : print_end(client, id);
}

int bulk_run_body(const struct options *options, const char *action, const struct json *body,
                  const struct json *filter)
{
    struct client client;
    int64_t found = 0;
    int code = client_open(&client, options);
    if (code) return code;
    body = json_set(options->arena, body, STR("action"), json_of_string(options->arena, str_of(action)));
    if (filter) body = json_set(options->arena, body, STR("filter"), filter);
    code = preview(&client, action, body, &found);
    bool goes_on = !code && !option_on(options, OPTION_DRY_RUN);
    if (goes_on && found) {
        code = ask(options, action, found);
        if (!code) code = begin(&client, action, body);
    } else if (goes_on && json_integer(client.answer, STR("cannotMove"))) {
        code = EXIT_NOT_ALL;
    }
    client_close(&client);
    return code;
}

int bulk_run(const struct options *options, const char *action, const struct json *body)
{
    struct clock clock = clock_system();
    struct error err;
    const struct json *filter;
    bool all;
    if (where_read(&options->value[OPTION_WHERE], strcmp(action, "resend") == 0, clock_now_ms(&clock),
                   options->arena, &filter, &all, &err) != ST_OK)
        return output_fail(&err);
    if (!body) body = json_empty_object();
    if (all) body = json_set(options->arena, body, STR("all"), json_of_bool(true));
    return bulk_run_body(options, action, body, all ? NULL : filter);
}

/* ---- pawl bulk ---- */

static void add_cells(struct client *client, const struct json *item, str *ret_cells)
{
    struct buf filter;
    const struct json *asked = json_get(item, STR("filter"));
    buf_init(&filter, client->arena);
    if (asked) json_print(asked, &filter);
    ret_cells[0] = client_text(client, item, "id");
    ret_cells[1] = client_text(client, item, "action");
    ret_cells[2] = client_text(client, item, "state");
    ret_cells[3] = arena_printf(client->arena, "%lld/%lld", (long long)json_integer(item, STR("done")),
                                (long long)json_integer(item, STR("found")));
    ret_cells[4] = arena_printf(client->arena, "%lld/%lld", (long long)json_integer(item, STR("skipped")),
                                (long long)json_integer(item, STR("refused")));
    ret_cells[5] = client_time(client, item, "createdAt");
    ret_cells[6] = asked ? buf_str(&filter) : STR("all");
}

static int list(struct client *client)
{
    static const char *const headings[] = { "BULK",        "ACTION", "STATE", "DONE", "SKIPPED/REFUSED",
                                            "BEGUN (UTC)", "FILTER", NULL };
    struct text_table table;
    struct buf out;
    str cells[TABLE_COLUMNS_MAX];
    int code = client_get(
        client, client_with(client, STR("/v1/bulk"), "pageSize", option_text(client->options, OPTION_ROWS)));
    if (code) return code;
    if (option_on(client->options, OPTION_JSON)) return client_print_json(client);
    table_init(&table, client->arena, headings);
    struct json_each each = json_each(json_get(client->answer, STR("items")));
    while (json_next(&each)) {
        add_cells(client, each.value, cells);
        table_add(&table, cells);
    }
    buf_init(&out, client->arena);
    table_print(&table, output_colours(), &out);
    return output_write(buf_str(&out));
}

/* Prints only the present state, because a bulk may go on for long. */
static int show(struct client *client, str what, str id)
{
    str path = client_path(client, "/v1/bulk/{}", &id);
    bool shows = str_equal(what, STR("show"));
    if (!shows) path = arena_printf(client->arena, "%.*s/%.*s", STR_ARG(path), STR_ARG(what));
    int code = shows ? client_get(client, path) : client_post(client, path, STR_NONE, 0);
    if (code) return code;
    code = print_end(client, id);
    return code == EXIT_NOT_ALL ? 0 : code;
}

static bool is_known(str what)
{
    static const char *const words[] = { "list", "show", "pause", "resume", "cancel" };
    for (size_t i = 0; i < COUNT(words); i++)
        if (str_equal(what, str_of(words[i]))) return true;
    return false;
}

int verb_bulk(const struct options *options)
{
    str what = options->argument[0];
    bool lists = str_equal(what, STR("list"));
    struct client client;
    if (!is_known(what)) {
        output_complain("bulk: \"%.*s\" is not list, show, pause, resume or cancel", STR_ARG(what));
        return status_exit(ST_INVALID);
    }
    if (options->argument_count != (lists ? 1u : 2u)) {
        output_complain(lists ? "bulk list takes no id" : "bulk %.*s needs the id of a bulk", STR_ARG(what));
        return status_exit(ST_INVALID);
    }
    int code = client_open(&client, options);
    if (code) return code;
    code = lists ? list(&client) : show(&client, what, options->argument[1]);
    client_close(&client);
    return code;
}
