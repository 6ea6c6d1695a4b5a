/* cli/client/ps.c — `pawl ps`: lists instances, or failures grouped by reason. */
#include "cli/client/bulk.h"
#include "cli/client/listing.h"
#include "cli/output.h"
#include "cli/client/where.h"
#include "cli/client/words.h"

#include "base/clock.h"

/* Ids of the steps where it stands, with commas between them as client_list() has them. */
static str places_of(struct client *client, const struct json *item)
{
    struct json_each each = json_each(json_get(item, STR("nodes")));
    struct buf out;
    buf_init(&out, client->arena);
    while (json_next(&each)) {
        if (out.n) buf_add_char(&out, ',');
        buf_add_str(&out, client_text(client, each.value, "id"));
    }
    return buf_str(&out);
}

static void add_cells(struct client *client, const struct json *item, str *ret_cells)
{
    str definition = client_text(client, item, "definitionId");
    str version = client_text(client, item, "definitionVersion");
    ret_cells[0] = client_text(client, item, "id");
    ret_cells[1] = words_screen(client_text(client, item, "status"));
    ret_cells[2] = arena_printf(client->arena, "%.*s v%.*s", STR_ARG(definition), STR_ARG(version));
    ret_cells[3] = client_time(client, item, "startedAt");
    ret_cells[4] = client_text(client, item, "businessKey");
    ret_cells[5] = places_of(client, item);
}

static void add_failed_cells(struct client *client, const struct json *item, str *ret_cells)
{
    add_cells(client, item, ret_cells);
    ret_cells[6] = client_text(client, item, "reason");
}

/* Lists failed instances grouped by reason. */
static int print_reasons(struct client *client)
{
    struct buf out;
    int code = client_get(client, client_with(client, STR("/v1/instances/reasons"), "definitionId",
                                              option_text(client->options, OPTION_DEFINITION)));
    if (code) return code;
    if (option_on(client->options, OPTION_JSON)) return client_print_json(client);
    buf_init(&out, client->arena);
    bulk_print_groups(client, &out);
    if (json_get(client->answer, STR("cut")))
        buf_add_str(&out, STR("… only the newest failures are counted\n"));
    str total = client_text(client, client->answer, "total");
    buf_printf(&out, "%.*s failed instance%s\n", STR_ARG(total), str_equal(total, STR("1")) ? "" : "s");
    return output_write(buf_str(&out));
}

/* The statuses that the word of --status means, as /api/instances takes them. */
static str status_filter(struct arena *arena, uint32_t statuses)
{
    struct buf out;
    buf_init(&out, arena);
    for (int i = 0; i < SHOW_STATUS_COUNT; i++) {
        if (!(statuses >> i & 1)) continue;
        if (out.n) buf_add_char(&out, ',');
        buf_add_str(&out, str_of(show_status_word((enum show_status)i)));
    }
    return buf_str(&out);
}

static void add_items(struct json_builder *items, const struct json *page, int64_t *left)
{
    struct json_each each = json_each(json_get(page, STR("items")));
    while (json_next(&each)) {
        json_add(items, each.value);
        --*left;
    }
}

/* The server looks at some runs for one page, so a page may be short: the next ones are asked for until there
 * are as many items as were wanted. The answer is the last page, with the items and the total of all. */
static int get_runs(struct client *client, str path)
{
    int64_t wanted = option_number(client->options, OPTION_ROWS), left = wanted;
    const struct json *total = NULL;
    struct json_builder items;
    struct buf text;
    json_builder_init(&items, client->arena);
    json_open_array(&items);
    for (str cursor = STR_NONE;;) {
        str size = arena_printf(client->arena, "%lld", (long long)left);
        int code = client_get(
            client, client_with(client, client_with(client, path, "pageSize", size), "cursor", cursor));
        if (code) return code;
        if (!cursor.n) total = json_get(client->answer, STR("total"));
        add_items(&items, client->answer, &left);
        cursor = client_text(client, client->answer, "nextCursor");
        if (!cursor.n || left <= 0) break;
    }
    json_close(&items);
    client->answer = json_set(client->arena, client->answer, STR("items"), json_built(&items));
    client->answer =
        json_set(client->arena, client->answer, STR("pageSize"), json_of_int(client->arena, wanted));
    if (total) client->answer = json_set(client->arena, client->answer, STR("total"), total);
    buf_init(&text, client->arena);
    json_print(client->answer, &text);
    client->text = buf_str(&text);
    return 0;
}

/* The conditions of --where and the parameter of the list that each becomes; NULL: a list has none. */
static const struct {
    const char *field, *parameter;
} list_filters[] = {
    { "definitionId", "definitionId" },
    { "definitionVersion", "version" },
    { "status", "status" },
    { "businessKey", "businessKey" },
    { "businessKeyPrefix", "keyword" },
    { "reason", "reason" },
    { "reasonContains", "reasonContains" },
    { "step", "step" },
    { "startedBefore", "startedBefore" },
    { "startedAfter", "startedAfter" },
    { "ids", NULL },
};

/* A word of `pawl ps --status`. */
static enum status where_status(struct arena *arena, str word, str *ret_statuses, struct error *err)
{
    uint32_t statuses = show_statuses_of(word);
    if (!statuses)
        return fail(err, ST_INVALID, "--where", "--where: status=%.*s: it is one of %s", STR_ARG(word),
                    SHOW_STATUS_CHOICES);
    *ret_statuses = status_filter(arena, statuses);
    return ST_OK;
}

/* Adds what --where asks for to the path of the list. */
static enum status add_where(struct client *client, str *path, struct error *err)
{
    const struct options *options = client->options;
    struct clock clock = clock_system();
    const struct json *filter;
    bool all;
    TRY(where_read(&options->value[OPTION_WHERE], false, clock_now_ms(&clock), options->arena, &filter, &all,
                   err));
    for (size_t i = 0; i < COUNT(list_filters); i++) {
        const char *parameter = list_filters[i].parameter;
        const struct json *value = json_get(filter, str_of(list_filters[i].field));
        if (!value) continue;
        if (!parameter)
            return fail(err, ST_INVALID, "--where", "--where: id= is for commands; see \"pawl show ID\"");
        if (str_find(*path, arena_printf(client->arena, "%s=", parameter), 0) != SIZE_MAX)
            return fail(err, ST_INVALID, "--where", "--where: %s is asked for by an option of its own, too",
                        parameter);
        str text = json_is(value, JSON_NUMBER)
                       ? arena_printf(client->arena, "%lld",
                                      (long long)json_integer(filter, str_of(list_filters[i].field)))
                       : json_string(value);
        if (strcmp(parameter, "status") == 0) TRY(where_status(client->arena, text, &text, err));
        *path = client_with(client, *path, parameter, text);
    }
    return ST_OK;
}

int verb_ps(const struct options *options)
{
    static const char *const headings[] = { "INSTANCE", "STATUS", "DEFINITION", "STARTED (UTC)",
                                            "KEY",      "AT",     NULL };
    static const char *const failed_headings[] = { "INSTANCE", "STATUS", "DEFINITION", "STARTED (UTC)",
                                                   "KEY",      "AT",     "REASON",     NULL };
    static const struct listing listing = { "instances", headings, add_cells };
    static const struct listing failed = { "instances", failed_headings, add_failed_cells };
    uint32_t statuses = show_statuses_of(option_text(options, OPTION_STATUS));
    bool only_failed = statuses == 1u << SHOW_FAILED;
    struct client client;
    if (options->value[OPTION_GROUP].given && !only_failed) {
        output_complain("--group reason goes with --status failed: only these have reasons");
        return status_exit(ST_INVALID);
    }
    if (options->value[OPTION_GROUP].given && bulk_wanted(options)) {
        output_complain("--where goes without --group: try --definition");
        return status_exit(ST_INVALID);
    }
    int code = client_open(&client, options);
    if (code) return code;
    if (options->value[OPTION_GROUP].given) {
        code = print_reasons(&client);
        client_close(&client);
        return code;
    }
    str path = STR("/api/instances");
    path = client_with(&client, path, "definitionId", option_text(options, OPTION_DEFINITION));
    path = client_with(&client, path, "status", status_filter(client.arena, statuses));
    path = client_with(&client, path, "businessKey", option_text(options, OPTION_KEY));
    struct error err;
    code = add_where(&client, &path, &err) == ST_OK ? 0 : output_fail(&err);
    if (!code) code = get_runs(&client, path);
    if (!code) code = listing_show(&client, only_failed ? &failed : &listing);
    client_close(&client);
    return code;
}
