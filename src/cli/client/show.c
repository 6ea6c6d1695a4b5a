/* cli/client/show.c — `pawl show`: one instance, its history, or why it waits. */
#include "cli/client/instance.h"
#include "cli/output.h"
#include "cli/table.h"
#include "cli/client/words.h"

/* Callbacks of workers that came too late for its jobs; the workers got 204. */
static void add_dropped(struct client *client, struct buf *out)
{
    struct json_each each = json_each(json_get(client->answer, STR("droppedCallbacks")));
    const char *label = "dropped";
    while (json_next(&each)) {
        str at = client_time(client, each.value, "at");
        buf_printf(out, "%-12s%.*s: ", label, STR_ARG(at));
        output_add_safe(out, client_text(client, each.value, "callback"), false);
        buf_add_str(out, STR(" of job "));
        output_add_safe(out, client_text(client, each.value, "jobId"), false);
        buf_add_str(out, STR(" by "));
        output_add_safe(out, client_text(client, each.value, "workerId"), false);
        buf_add_str(out, STR(": "));
        output_add_safe(out, client_text(client, each.value, "message"), false);
        buf_add_char(out, '\n');
        label = "";
    }
}

static str visit_reason(struct client *client, const struct json *visit)
{
    str reason = client_text(client, visit, "failureReason");
    return !reason.n && json_get(visit, STR("simulated")) ? STR("simulated") : reason;
}

/* A step's name as its author wrote it, unless it is the id. */
static str visit_name(struct client *client, const struct json *visit)
{
    str name = client_text(client, visit, "stepName");
    return str_equal(name, client_text(client, visit, "stepId")) ? STR_NONE : name;
}

/* Where visits are not attempts, they have a number of their own. */
static str visit_number(struct client *client, const struct json *visit)
{
    str number = client_text(client, visit, "visitNumber");
    return number.n ? number : client_text(client, visit, "attemptNumber");
}

/* /v1 has three statuses of visits: one that something else ended is FAILED there, and the reason tells what
 * ended it. The run's page calls it interrupted. */
static void add_history(struct client *client, const struct json *visits, struct buf *out)
{
    static const char *const headings[] = { "STEP",          "NAME",        "TYPE", "VISIT",  "STATUS",
                                            "STARTED (UTC)", "ENDED (UTC)", "BY",   "REASON", NULL };
    struct json_each each = json_each(visits);
    struct text_table table;
    table_init(&table, client->arena, headings);
    while (json_next(&each))
        table_add(&table,
                  (str[]){ client_text(client, each.value, "stepId"), visit_name(client, each.value),
                           client_text(client, each.value, "stepType"), visit_number(client, each.value),
                           words_screen(client_text(client, each.value, "status")),
                           client_time(client, each.value, "startedAt"),
                           client_time(client, each.value, "endedAt"), client_text(client, each.value, "by"),
                           visit_reason(client, each.value) });
    table_print(&table, output_colours(), out);
}

/* Prints who did what to the instance. */
static void add_acts(struct client *client, struct buf *out)
{
    struct json_each each = json_each(json_get(client->answer, STR("acts")));
    const char *heading = "\nacts\n";
    for (; json_next(&each); heading = "") {
        str at = client_time(client, each.value, "at"), step = client_text(client, each.value, "stepId");
        str by = client_text(client, each.value, "by"), comment = client_text(client, each.value, "comment");
        buf_printf(out, "%s  %.*s  ", heading, STR_ARG(at));
        output_add_safe(out, client_text(client, each.value, "what"), false);
        if (step.n) buf_add_char(out, ' ');
        output_add_safe(out, step, false);
        if (by.n) buf_add_str(out, STR(" by "));
        output_add_safe(out, by, false);
        if (comment.n) buf_add_str(out, STR(": "));
        output_add_safe(out, comment, false);
        buf_add_char(out, '\n');
    }
}

/* True if there was more than one attempt, or one that failed or was cancelled. */
static bool is_told(struct client *client, const struct json *attempts)
{
    if (!attempts || json_count(attempts) > 1) return attempts != NULL;
    str outcome = client_text(client, json_item(attempts, 0), "outcome");
    return !str_equal(outcome, STR("completed")) && !str_equal(outcome, STR("open"));
}

static void add_attempt(struct client *client, const struct json *attempt, struct buf *out)
{
    str outcome = client_text(client, attempt, "outcome"), number = client_text(client, attempt, "number");
    str opened = client_time(client, attempt, "startedAt"),
        available = client_time(client, attempt, "availableAt");
    str ended = client_time(client, attempt, "endedAt"), error = client_text(client, attempt, "error");
    str worker = client_text(client, attempt, "worker"), type = client_text(client, attempt, "jobType");
    buf_printf(out, "  %.*s. ", STR_ARG(number));
    output_add_safe(out, type, false);
    buf_printf(out, ", opened %.*s", STR_ARG(opened));
    if (!str_equal(opened, available)) buf_printf(out, ", not before %.*s", STR_ARG(available));
    buf_printf(out, ": %.*s", STR_ARG(outcome));
    if (ended.n) buf_printf(out, " %.*s", STR_ARG(ended));
    if (worker.n) {
        buf_add_str(out, STR(" by "));
        output_add_safe(out, worker, false);
    }
    if (error.n) {
        buf_add_str(out, STR(": "));
        output_add_safe(out, error, false);
    }
    buf_add_char(out, '\n');
}

/* Prints every attempt at a job that the server still knows. */
static void add_attempts(struct client *client, const struct json *visits, struct buf *out)
{
    struct json_each visit = json_each(visits);
    while (json_next(&visit)) {
        const struct json *attempts = json_get(visit.value, STR("attempts"));
        if (!is_told(client, attempts)) continue;
        int64_t total = 0;
        json_int64(json_get(visit.value, STR("attemptsTotal")), &total);
        buf_add_str(out, STR("\nattempts at "));
        output_add_safe(out, client_text(client, visit.value, "stepId"), false);
        if (total > (int64_t)json_count(attempts))
            buf_printf(out, ", the last %zu of %lld", json_count(attempts), (long long)total);
        buf_add_char(out, '\n');
        struct json_each each = json_each(attempts);
        while (json_next(&each)) add_attempt(client, each.value, out);
    }
}

static void add_data(struct client *client, const struct json *visit, const char *label, const char *name,
                     struct buf *out)
{
    str data = client_text(client, visit, name);
    if (!data.n) return;
    buf_printf(out, "  %-4s", label);
    output_add_safe(out, data, false);
    buf_add_char(out, '\n');
}

/* Prints the path through the states, with each state's input and output. Definitions whose states share
 * one set of variables have no path. */
static void add_states(struct client *client, struct buf *out)
{
    const struct json *path = json_get(client->answer, STR("path"));
    struct json_each step = json_each(path), visit = json_each(json_get(client->answer, STR("items")));
    const char *between = "\npath        ";
    if (!path) return;
    for (; json_next(&step); between = " > ") {
        buf_add_str(out, str_of(between));
        output_add_safe(out, json_string(step.value), false);
    }
    buf_add_char(out, '\n');
    while (json_next(&visit)) {
        output_add_safe(out, client_text(client, visit.value, "stepId"), false);
        buf_add_char(out, '\n');
        add_data(client, visit.value, "in", "inputSnapshot", out);
        add_data(client, visit.value, "out", "outputSnapshot", out);
    }
}

/* The list from its end. */
static const struct json *turned_round(const struct json *list, struct arena *arena)
{
    struct json_builder turned;
    json_builder_init(&turned, arena);
    json_open_array(&turned);
    for (size_t i = json_count(list); i-- > 0;) json_add(&turned, json_item(list, i));
    json_close(&turned);
    return json_built(&turned);
}

static str history_path(struct client *client, str id)
{
    str last = option_text(client->options, OPTION_LAST_VISITS);
    str path = client_path(client, "/v1/instances/{}/history?attempts=true", &id);
    return last.n ? client_with(client, client_with(client, path, "order", STR("newest")), "pageSize", last)
                  : path;
}

/* Says that there is more than is printed. */
static void add_cut(struct client *client, const struct json *visits, struct buf *out)
{
    if (json_get(client->answer, STR("nextCursor")))
        buf_printf(out, "\nThere are visits before these %zu.\n", json_count(visits));
    if (json_get(client->answer, STR("truncated")))
        buf_printf(
            out,
            "\nThe history is longer than an answer: these are its first %zu visits. --last N shows the "
            "last ones.\n",
            json_count(visits));
}

static int show_history(struct client *client, str id, struct buf *out)
{
    int code = client_get(client, history_path(client, id));
    if (code) return code;
    const struct json *visits = json_get(client->answer, STR("items"));
    if (option_text(client->options, OPTION_LAST_VISITS).n) visits = turned_round(visits, client->arena);
    add_history(client, visits, out);
    add_cut(client, visits, out);
    add_attempts(client, visits, out);
    add_acts(client, out);
    add_states(client, out);
    return 0;
}

static int show_explanation(struct client *client, str id, struct buf *out)
{
    int code = client_get(client, client_path(client, "/v1/instances/{}/explain", &id));
    if (code) return code;
    str revision = client_text(client, client->answer, "revision");
    buf_printf(out, "%-12s%.*s\n", "revision", STR_ARG(revision));
    instance_print_tokens(client, json_get(client->answer, STR("tokens")), "why", out);
    add_dropped(client, out);
    return 0;
}

static int show_instance(struct client *client, str id, struct buf *out)
{
    int code = client_get(client, client_path(client, "/v1/instances/{}", &id));
    if (!code) instance_print(client, client->answer, out);
    return code;
}

/* Prints one endpoint's answer as it came; without --history and --explain the instance itself. */
static int show_json(struct client *client, str id)
{
    bool why = option_on(client->options, OPTION_WHY);
    str path = option_on(client->options, OPTION_HISTORY)
                   ? history_path(client, id)
                   : client_path(client, why ? "/v1/instances/{}/explain" : "/v1/instances/{}", &id);
    int code = client_get(client, path);
    return code ? code : client_print_json(client);
}

static int show_text(struct client *client, str id)
{
    bool history = option_on(client->options, OPTION_HISTORY), why = option_on(client->options, OPTION_WHY);
    bool whole = !history && !why;
    struct buf out;
    int code = 0;
    buf_init(&out, client->arena);
    if (whole) code = show_instance(client, id, &out);
    if (!code && (why || whole)) code = show_explanation(client, id, &out);
    if (!code && whole) buf_add_char(&out, '\n');
    if (!code && (history || whole)) code = show_history(client, id, &out);
    return code ? code : output_write(buf_str(&out));
}

/* --last says how much of the history is shown. */
static bool has_no_history(const struct options *options)
{
    bool history = option_on(options, OPTION_HISTORY);
    return !history && (option_on(options, OPTION_WHY) || option_on(options, OPTION_JSON));
}

int verb_show(const struct options *options)
{
    struct client client;
    if (options->value[OPTION_LAST_VISITS].given && has_no_history(options)) {
        output_complain("--last goes with --history");
        return status_exit(ST_INVALID);
    }
    int code = client_open(&client, options);
    if (code) return code;
    str id = options->argument[0];
    code = option_on(options, OPTION_JSON) ? show_json(&client, id) : show_text(&client, id);
    client_close(&client);
    return code;
}
