/* cli/folder/plan.c — `pawl plan` and `pawl apply`: a folder against an engine.
 *
 *     read the folder ──► dry run ──► print it ──► ask ──► apply it, with the versions that the dry run saw
 *
 * The engine decides all of it, in one request: apply happens whole or not at all. If its answer is lost, the
 * same command may be given again: what was applied is unchanged then.
 */
#include "cli/client/documents.h"
#include "cli/folder/folder.h"
#include "cli/limits.h"
#include "cli/output.h"
#include "json/json.h"

#include <stdio.h>
#include <unistd.h>

enum plan_exit { PLAN_SAME = 0, PLAN_FAILED = 1, PLAN_DIFFERS = 2 };

struct planning {
    struct client client;
    struct folder folder;
    const struct options *options;
    const struct json *prune; /* NULL: nothing goes. */
};

/* ---- definitions that are gone ---- */

static bool is_in_folder(const struct json *results, str id)
{
    struct json_each each = json_each(results);
    while (json_next(&each))
        if (str_equal(json_text(each.value, STR("definitionId")), id)) return true;
    return false;
}

/* Adds the definitions of a page that are in use and in no file. */
static void add_gone(struct json_builder *gone, const struct json *items, const struct json *results,
                     size_t *count)
{
    struct json_each each = json_each(items);
    while (json_next(&each)) {
        str id = json_text(each.value, STR("id"));
        if (json_get(each.value, STR("retiredAt")) || is_in_folder(results, id)) continue;
        json_add_string(gone, id);
        ++*count;
    }
}

/* The answer of the client is that of a dry run, which tells the ids of the folder's documents. */
static int find_gone(struct planning *plan)
{
    struct client *client = &plan->client;
    const struct json *results = json_get(client->answer, STR("results"));
    struct json_builder gone;
    int64_t page = 0, seen = 0, total = 1;
    size_t count = 0;
    json_builder_init(&gone, client->arena);
    json_open_array(&gone);
    for (size_t listed = 1; listed && seen < total; page++) {
        int code = client_get(client, folder_page(page, client->arena));
        if (code) return code;
        listed = json_count(json_get(client->answer, STR("items")));
        seen += (int64_t)listed;
        (void)json_int64(json_get(client->answer, STR("total")), &total);
        add_gone(&gone, json_get(client->answer, STR("items")), results, &count);
        if (count <= FOLDER_PRUNED_MAX) continue;
        output_complain("more than %d definitions are gone (FOLDER_PRUNED_MAX): is this the right folder?",
                        FOLDER_PRUNED_MAX);
        return PLAN_FAILED;
    }
    json_close(&gone);
    plan->prune = json_built(&gone);
    return 0;
}

/* ---- the dry run ---- */

static int send(struct planning *plan, const char *path, const struct json *expected)
{
    struct client *client = &plan->client;
    struct error err;
    str body;
    if (folder_body(&plan->folder, plan->prune, expected, &body, &err) != ST_OK) return output_fail(&err);
    str revision = option_text(plan->options, OPTION_REVISION);
    if (expected && !revision.n) revision = folder_revision(plan->folder.directory, client->arena);
    str target = client_with(client, str_of(path), "revision", expected ? revision : STR_NONE);
    int code = client_post(client, target, body, 0);
    if (code) documents_print_problems(client, STR_NONE, json_get(client->answer, STR("problems")));
    return code;
}

static bool has_nothing(const struct planning *plan)
{
    const struct folder *folder = &plan->folder;
    return !folder->count && !folder->triggers.path.n && !folder->access.path.n;
}

static int look(struct planning *plan)
{
    struct error err;
    const char *directory = plan->options->argument[0].p;
    if (folder_read(directory, plan->client.arena, &plan->folder, &err) != ST_OK) return output_fail(&err);
    if (has_nothing(plan)) {
        /* With --prune this would retire everything: a path that is wrong looks the same. */
        output_complain("%s has no documents", directory);
        return PLAN_FAILED;
    }
    if (option_on(plan->options, OPTION_PRUNE)) {
        int code = send(plan, "/api/apply?dryRun=true", NULL);
        if (!code) code = find_gone(plan);
        if (code) return code;
    }
    return send(plan, "/api/apply?dryRun=true&changes=true", NULL);
}

static int check_circles(struct planning *plan)
{
    str circle = folder_circle(&plan->client, json_get(plan->client.answer, STR("results")));
    if (!circle.n || option_on(plan->options, OPTION_ALLOW_CIRCLES)) return 0;
    output_complain("these definitions start each other in a circle, and nothing was applied: %.*s. If their "
                    "runs come to an end, say --allow-circles",
                    STR_ARG(circle));
    return PLAN_FAILED;
}

static int open_plan(struct planning *plan, const struct options *options)
{
    *plan = (struct planning){ .options = options };
    int code = client_open(&plan->client, options);
    if (code) return code;
    code = look(plan);
    if (!code) code = check_circles(plan);
    if (code) client_close(&plan->client);
    return code;
}

static int print_plan(struct planning *plan, size_t *ret_differences)
{
    struct client *client = &plan->client;
    struct buf out;
    buf_init(&out, client->arena);
    documents_print_warnings(client);
    *ret_differences = folder_print_plan(client, &plan->folder, &out);
    if (option_on(plan->options, OPTION_JSON))
        return plan->options->verb == VERB_PLAN ? client_print_json(client) : 0;
    return output_write(buf_str(&out));
}

int verb_plan(const struct options *options)
{
    struct planning plan;
    size_t differences;
    if (open_plan(&plan, options)) return PLAN_FAILED;
    int code = print_plan(&plan, &differences);
    client_close(&plan.client);
    return code ? PLAN_FAILED : differences ? PLAN_DIFFERS : PLAN_SAME;
}

/* ---- apply ---- */

/* The versions that the dry run saw. */
static const struct json *expected_of(struct client *client)
{
    struct json_each each = json_each(json_get(client->answer, STR("results")));
    struct json_builder expected;
    json_builder_init(&expected, client->arena);
    json_open_object(&expected);
    while (json_next(&each)) {
        const struct json *version = json_get(each.value, STR("version"));
        json_add_name(&expected, json_text(each.value, STR("definitionId")));
        if (version) json_add(&expected, version);
        else json_add_int(&expected, 0);
    }
    json_close(&expected);
    return json_built(&expected);
}

static bool ask(void)
{
    char answer[16] = "";
    fprintf(stderr, "apply this? [y/N] ");
    fflush(stderr);
    bool yes = fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y');
    if (!yes) output_complain("nothing was applied");
    return yes;
}

static int apply(struct planning *plan)
{
    struct client *client = &plan->client;
    struct buf out;
    const struct json *expected = expected_of(client);
    client->answer = NULL;
    int code = send(plan, "/api/apply", expected);
    if (code && !client->answer)
        output_complain("nobody knows whether it was applied: all of it, or nothing. "
                        "The same command goes on from there");
    if (code) return code;
    if (option_on(plan->options, OPTION_JSON)) return client_print_json(client);
    buf_init(&out, client->arena);
    folder_print_applied(client, &out);
    return output_write(buf_str(&out));
}

int verb_apply(const struct options *options)
{
    struct planning plan;
    size_t differences;
    bool yes = option_on(options, OPTION_YES);
    if (!yes && !isatty(STDIN_FILENO)) {
        output_complain("nobody is there to be asked: give --yes to apply what \"pawl plan\" shows");
        return PLAN_FAILED;
    }
    if (open_plan(&plan, options)) return PLAN_FAILED;
    int code = print_plan(&plan, &differences);
    if (!code && !differences && option_on(options, OPTION_JSON)) code = client_print_json(&plan.client);
    if (!code && differences) code = yes || ask() ? apply(&plan) : PLAN_FAILED;
    client_close(&plan.client);
    return code ? PLAN_FAILED : PLAN_SAME;
}
