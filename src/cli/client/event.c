/* cli/client/event.c — `pawl event`: sends events of a file, or one that nobody took. */
#include "cli/client/event.h"

#include "cli/client/client.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/table.h"
#include "net/net.h"

static enum status check_usage(const struct options *options, struct error *err)
{
    bool resends = options->value[OPTION_RESEND].given;
    if (resends && option_number(options, OPTION_RESEND) == 0)
        return fail(err, ST_INVALID, "--resend", "--resend: numbers begin with 1");
    if (resends == (options->argument_count > 0))
        return fail(err, ST_INVALID, "FILE", "give a FILE with events, or --resend NUMBER");
    return ST_OK;
}

static enum status read_events(const struct options *options, str *ret_body, bool *ret_batch,
                               struct error *err)
{
    const struct json *value;
    struct buf body;
    str file = arena_printf(options->arena, "@%.*s", STR_ARG(options->argument[0]));
    TRY(input_json(file, "FILE", options->arena, &value, err));
    buf_init(&body, options->arena);
    json_print(value, &body);
    *ret_body = buf_str(&body);
    *ret_batch = json_is(value, JSON_ARRAY);
    return ST_OK;
}

/* The instances that an event concerned: their ids, and how many more there are. */
static str instances_of(struct client *client, const struct json *event)
{
    const struct json *list = json_get(event, STR("instances"));
    struct json_each each = json_each(list);
    struct buf out;
    int64_t count = 0;
    buf_init(&out, client->arena);
    while (json_next(&each)) {
        if (out.n) buf_add_char(&out, ' ');
        buf_add_str(&out, client_text(client, each.value, "id"));
    }
    json_int64(json_get(event, STR("instanceCount")), &count);
    if ((size_t)count > json_count(list)) buf_printf(&out, " and %zu more", (size_t)count - json_count(list));
    return buf_str(&out);
}

static str outcome_of(struct client *client, const struct json *event)
{
    str outcome = client_text(client, event, "outcome"), first = client_text(client, event, "firstOutcome");
    return first.n ? arena_printf(client->arena, "%.*s (%.*s before)", STR_ARG(outcome), STR_ARG(first))
                   : outcome;
}

static void print_table(struct client *client, const struct json *events, struct buf *out)
{
    static const char *const headings[] = {
        "EVENT", "SOURCE", "TYPE", "OUTCOME", "INSTANCES OR REASON", NULL
    };
    struct json_each each = json_each(events);
    struct text_table table;
    table_init(&table, client->arena, headings);
    while (json_next(&each)) {
        str message = client_text(client, each.value, "message"),
            reason = client_text(client, each.value, "reason");
        if (!message.n) message = reason;
        table_add(&table,
                  (str[]){ client_text(client, each.value, "id"), client_text(client, each.value, "source"),
                           client_text(client, each.value, "type"), outcome_of(client, each.value),
                           message.n ? message : instances_of(client, each.value) });
    }
    table_print(&table, output_colours(), out);
}

/* Names the instances that were waited for and failed. 1 if there are any, else 0. */
static int complain_of_failures(struct client *client, const struct json *event)
{
    int code = 0;
    struct json_each each = json_each(json_get(event, STR("instances")));
    while (json_get(event, STR("instances")) && json_next(&each)) {
        const struct json *instance = json_get(each.value, STR("instance"));
        if (!instance || !str_equal_ignoring_case(client_text(client, instance, "status"), STR("failed")))
            continue;
        output_complain("the instance %.*s failed: %.*s", STR_ARG(client_text(client, each.value, "id")),
                        STR_ARG(client_text(client, instance, "failureReason")));
        code = status_exit(ST_INTERNAL);
    }
    return code;
}

/* The exit code tells that a refused event must be sent again, or that an instance has failed. */
static int print_events(struct client *client)
{
    const struct json *events = json_get(client->answer, STR("events"));
    struct json_each each = json_each(events);
    struct buf out;
    int refused = 0;
    while (json_next(&each)) {
        if (json_get(each.value, STR("message"))) refused = status_exit(ST_OVERLOAD);
        else if (!refused) refused = complain_of_failures(client, each.value);
    }
    buf_init(&out, client->arena);
    print_table(client, events, &out);
    int code =
        option_on(client->options, OPTION_JSON) ? client_print_json(client) : output_write(buf_str(&out));
    return refused ? refused : code;
}

/* The path with the time to wait, if --wait was given. */
static int post_waiting(struct client *client, str path, str body)
{
    int64_t seconds = option_number(client->options, OPTION_WAIT);
    if (seconds)
        path = client_with(client, path, "wait", arena_printf(client->arena, "%lld", (long long)seconds));
    return client_post(client, path, body, seconds);
}

static int send_file(struct client *client, str body, bool batch)
{
    client_set_headers(client, batch ? STR("Content-Type: application/cloudevents-batch+json\r\n")
                                     : STR("Content-Type: application/cloudevents+json\r\n"));
    return post_waiting(client, STR("/v1/events"), body);
}

static int send_again(struct client *client, str number)
{
    return post_waiting(client, client_path(client, "/v1/events/unmatched/{}/resend", &number), STR_NONE);
}

int verb_event(const struct options *options)
{
    struct client client;
    struct error err;
    str body;
    bool batch = false, resends = options->value[OPTION_RESEND].given;
    enum status status = check_usage(options, &err);
    if (status == ST_OK && !resends) status = read_events(options, &body, &batch, &err);
    if (status != ST_OK) return output_fail(&err);
    int code = client_open(&client, options);
    if (code) return code;
    code =
        resends ? send_again(&client, option_text(options, OPTION_RESEND)) : send_file(&client, body, batch);
    if (!code) code = print_events(&client);
    client_close(&client);
    return code;
}

int event_resend(const struct options *options, str number)
{
    struct client client;
    int code = client_open(&client, options);
    if (code) return code;
    code = send_again(&client, number);
    if (!code) code = print_events(&client);
    client_close(&client);
    return code;
}
