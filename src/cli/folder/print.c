/* cli/folder/print.c — what becomes of each object of a folder, for people. */
#include "base/text_map.h"
#include "cli/folder/folder.h"
#include "cli/output.h"
#include "dialect/dialect.h"
#include "json/put.h"

static bool has_verdict(const struct json *object, const char *word)
{
    return str_equal(json_text(object, STR("verdict")), str_of(word));
}

/* ---- order ---- */

/* The results that are not listed yet. */
struct ordering {
    const struct json **result;
    size_t count;
    struct text_map waiting; /* By the ids of their definitions. */
};

static bool is_ready(const struct ordering *ordering, const struct json *result)
{
    struct json_each each = json_each(json_get(result, STR("uses")));
    while (json_next(&each))
        if (text_map_get(&ordering->waiting, json_string(each.value))) return false;
    return true;
}

/* The first that needs nothing that waits; in a circle the first. */
static size_t next_of(const struct ordering *ordering)
{
    size_t first = SIZE_MAX;
    for (size_t i = 0; i < ordering->count; i++) {
        if (!ordering->result[i]) continue;
        if (first == SIZE_MAX) first = i;
        if (is_ready(ordering, ordering->result[i])) return i;
    }
    return first;
}

const struct json **folder_order(struct client *client, const struct json *results, size_t *ret_count)
{
    struct ordering ordering = { .count = json_count(results) };
    ordering.result = arena_make_n(client->arena, const struct json *, ordering.count + 1);
    const struct json **ordered = arena_make_n(client->arena, const struct json *, ordering.count + 1);
    text_map_init(&ordering.waiting);
    for (size_t i = 0; i < ordering.count; i++) {
        ordering.result[i] = json_item(results, i);
        text_map_put(&ordering.waiting, json_text(ordering.result[i], STR("definitionId")), client);
    }
    for (size_t i = 0; i < ordering.count; i++) {
        size_t next = next_of(&ordering);
        ordered[i] = ordering.result[next];
        ordering.result[next] = NULL;
        text_map_take(&ordering.waiting, json_text(ordered[i], STR("definitionId")));
    }
    text_map_done(&ordering.waiting);
    *ret_count = ordering.count;
    return ordered;
}

/* ---- differences ---- */

static void add_member(struct client *client, struct buf *out, const struct json *change, const char *name)
{
    output_add_safe(out, client_text(client, change, name), false);
}

static void add_change(struct client *client, struct buf *out, const struct json *change)
{
    str word = json_text(change, STR("change"));
    bool is_added = str_equal(word, STR("added")), is_removed = str_equal(word, STR("removed"));
    str path = client_text(client, change, "path");
    buf_printf(out, "    %c ", is_added ? '+' : is_removed ? '-' : '~');
    if (str_equal(word, STR("order"))) {
        output_add_safe(out, path, false);
        buf_add_str(out, path.n ? STR(": another order\n") : STR("members in another order\n"));
        return;
    }
    output_add_safe(out, path, false);
    PUT(out, ": ");
    if (!is_added) add_member(client, out, change, "from");
    if (!is_added && !is_removed) PUT(out, " -> ");
    if (!is_removed) add_member(client, out, change, "to");
    buf_add_char(out, '\n');
}

static void add_changes(struct client *client, struct buf *out, const struct json *result)
{
    struct json_each each = json_each(json_get(result, STR("changes")));
    while (json_next(&each)) add_change(client, out, each.value);
    if (json_flag(result, STR("changesCut"))) PUT(out, "    … more differences than can be shown\n");
}

/* ---- runs ---- */

static void add_versions(struct buf *out, const struct json *runs)
{
    struct json_each each = json_each(runs);
    for (size_t i = 0; json_next(&each); i++) {
        int64_t version = 0, count = 0;
        (void)json_int64(json_get(each.value, STR("version")), &version);
        (void)json_int64(json_get(each.value, STR("count")), &count);
        buf_printf(out, "%s%lld on version %lld", i ? ", " : " (", (long long)count, (long long)version);
    }
    if (json_count(runs)) buf_add_char(out, ')');
}

/* Tells what it means for instances that live. */
static void add_runs(struct buf *out, const struct json *result)
{
    int64_t living = 0;
    (void)json_int64(json_get(result, STR("livingRuns")), &living);
    if (living <= 0) return;
    bool entities = dialect_has_entities(json_text(result, STR("dialect")));
    buf_printf(out, "    %lld living %s", (long long)living,
               entities      ? living == 1 ? "entity" : "entities"
               : living == 1 ? "run"
                             : "runs");
    add_versions(out, json_get(result, STR("runs")));
    if (has_verdict(result, "retired")) PUT(out, ": they go on to their end, and nothing else starts\n");
    else if (entities) PUT(out, ": they go on with the new version if it has their state\n");
    else PUT(out, ": they keep their version; \"pawl migrate\" moves them\n");
}

/* ---- definitions ---- */

static char sign_of(const struct json *result)
{
    static const struct {
        const char *verdict;
        char sign;
    } signs[] = { { "new", '+' }, { "changed", '~' }, { "restored", '~' }, { "retired", '-' } };
    for (size_t i = 0; i < COUNT(signs); i++)
        if (has_verdict(result, signs[i].verdict)) return signs[i].sign;
    return '=';
}

/* "~ order  orders/order.yaml  changed, version 3" */
static void add_result(struct client *client, struct buf *out, const struct json *result)
{
    str file = client_text(client, result, "file"), version = client_text(client, result, "version");
    buf_printf(out, "%c ", sign_of(result));
    output_add_safe(out, client_text(client, result, "definitionId"), false);
    PUT(out, "  ");
    if (file.n) {
        output_add_safe(out, file, false);
        PUT(out, "  ");
    }
    buf_add_str(out, json_text(result, STR("verdict")));
    if (version.n) buf_printf(out, ", version %.*s", STR_ARG(version));
    buf_add_char(out, '\n');
}

/* ---- triggers and access ---- */

static size_t add_triggers(struct client *client, struct buf *out)
{
    struct json_each each = json_each(json_get(client->answer, STR("triggers")));
    size_t count = 0;
    while (json_next(&each)) {
        if (has_verdict(each.value, "unchanged")) continue;
        PUT(out, "~ trigger ");
        output_add_safe(out, client_text(client, each.value, "definitionId"), false);
        buf_add_char(out, ' ');
        output_add_safe(out, client_text(client, each.value, "trigger"), false);
        buf_printf(out, "  %.*s\n", STR_ARG(json_text(each.value, STR("state"))));
        count++;
    }
    return count;
}

static size_t add_access(struct client *client, struct buf *out)
{
    struct json_each each = json_each(json_get(client->answer, STR("access")));
    size_t count = 0;
    while (json_next(&each)) {
        str outcome = json_text(each.value, STR("outcome"));
        if (str_equal(outcome, STR("same"))) continue;
        buf_printf(out, "%c %.*s ", str_equal(outcome, STR("added")) ? '+' : '~',
                   STR_ARG(json_text(each.value, STR("kind"))));
        output_add_safe(out, client_text(client, each.value, "name"), false);
        buf_printf(out, "  %.*s\n", STR_ARG(outcome));
        count++;
    }
    return count;
}

/* ---- all of it ---- */

/* "2 new, 1 changed, 0 restored, 497 unchanged, 0 retired". Returns the differences. */
static size_t add_counts(struct buf *out, const struct json *results)
{
    static const char *const verdicts[] = { "new", "changed", "restored", "unchanged", "retired" };
    size_t differences = 0;
    for (size_t i = 0; i < COUNT(verdicts); i++) {
        struct json_each each = json_each(results);
        size_t count = 0;
        while (json_next(&each)) count += has_verdict(each.value, verdicts[i]);
        buf_printf(out, "%s%zu %s", i ? ", " : "", count, verdicts[i]);
        if (strcmp(verdicts[i], "unchanged") != 0) differences += count;
    }
    return differences;
}

static size_t print(struct client *client, bool with_changes, struct buf *out)
{
    const struct json *results = json_get(client->answer, STR("results"));
    size_t count, triggers, access;
    const struct json **ordered = folder_order(client, results, &count);
    for (size_t i = 0; i < count; i++) {
        add_result(client, out, ordered[i]);
        if (!with_changes) continue;
        add_changes(client, out, ordered[i]);
        add_runs(out, ordered[i]);
    }
    triggers = add_triggers(client, out);
    access = add_access(client, out);
    size_t differences = add_counts(out, results) + triggers + access;
    if (triggers) buf_printf(out, ", %zu trigger%s", triggers, triggers == 1 ? "" : "s");
    if (access) buf_printf(out, ", %zu record%s of access", access, access == 1 ? "" : "s");
    buf_add_char(out, '\n');
    return differences;
}

size_t folder_print_plan(struct client *client, const struct folder *folder, struct buf *out)
{
    size_t differences = print(client, true, out);
    if (folder->scenario_count)
        buf_printf(out, "%zu scenario file%s left out\n", folder->scenario_count,
                   folder->scenario_count == 1 ? " is" : "s are");
    return differences;
}

void folder_print_applied(struct client *client, struct buf *out)
{
    PUT(out, "Applied:\n");
    (void)print(client, false, out);
}
