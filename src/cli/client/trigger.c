/* cli/client/trigger.c — triggers of an engine: listed, paused, resumed and fired; what arrived at them. */
#include "cli/input.h"
#include "cli/client/instance.h"
#include "cli/client/listing.h"
#include "cli/output.h"

/* ---- lists ---- */

/* How the connection is that messages come by; empty: the trigger needs none. */
static str broker_text(struct client *client, const struct json *item)
{
    const struct json *broker = json_get(item, STR("broker"));
    if (!broker) return STR_NONE;
    str error = client_text(client, broker, "error");
    bool connected = str_equal(client_text(client, broker, "connected"), STR("true"));
    if (error.n) return error;
    return connected ? STR("connected") : STR("not connected yet");
}

static void add_trigger(struct client *client, const struct json *item, str *ret_cells)
{
    ret_cells[0] = client_text(client, item, "definitionId");
    ret_cells[1] = client_text(client, item, "trigger");
    ret_cells[2] = client_text(client, item, "type");
    ret_cells[3] = client_text(client, item, "address");
    ret_cells[4] = client_text(client, item, "state");
    ret_cells[5] = client_time(client, item, "nextAt");
    ret_cells[6] = broker_text(client, item);
    ret_cells[7] = client_text(client, item, "counts");
}

int verb_triggers(const struct options *options)
{
    static const char *const headings[] = { "DEFINITION", "TRIGGER", "TYPE",   "ADDRESS", "STATE",
                                            "NEXT (UTC)", "BROKER",  "COUNTS", NULL };
    static const struct listing listing = { "triggers", headings, add_trigger };
    struct client client;
    int code = client_open(&client, options);
    if (code) return code;
    str definition = options->argument_count ? options->argument[0] : STR_NONE;
    return listing_print(&client, client_with(&client, STR("/api/triggers"), "definitionId", definition),
                         &listing);
}

static void add_arrival(struct client *client, const struct json *item, str *ret_cells)
{
    ret_cells[0] = client_text(client, item, "number");
    ret_cells[1] = client_time(client, item, "at");
    ret_cells[2] = client_text(client, item, "definitionId");
    ret_cells[3] = client_text(client, item, "trigger");
    ret_cells[4] = client_text(client, item, "outcome");
    ret_cells[5] = client_text(client, item, "key");
    ret_cells[6] = client_text(client, item, "instanceId");
    ret_cells[7] = client_text(client, item, "note");
}

int verb_arrivals(const struct options *options)
{
    static const char *const headings[] = { "NUMBER", "AT (UTC)", "DEFINITION", "TRIGGER", "OUTCOME",
                                            "KEY",    "INSTANCE", "NOTE",       NULL };
    static const struct listing listing = { "arrivals", headings, add_arrival };
    struct client client;
    int code = client_open(&client, options);
    if (code) return code;
    str path = STR("/api/arrivals");
    if (options->argument_count > 0) path = client_with(&client, path, "definitionId", options->argument[0]);
    if (options->argument_count > 1) path = client_with(&client, path, "trigger", options->argument[1]);
    return listing_print(&client, path, &listing);
}

/* ---- one trigger ---- */

static int print_trigger(struct client *client)
{
    if (option_on(client->options, OPTION_JSON)) return client_print_json(client);
    str trigger = client_text(client, client->answer, "trigger"),
        state = client_text(client, client->answer, "state");
    return output_write(arena_printf(client->arena, "%.*s is %.*s\n", STR_ARG(trigger), STR_ARG(state)));
}

static int print_fired(struct client *client)
{
    if (option_on(client->options, OPTION_JSON)) return client_print_json(client);
    str outcome = client_text(client, client->answer, "outcome"),
        instance = client_text(client, client->answer, "instanceId"),
        note = client_text(client, client->answer, "note");
    return output_write(arena_printf(client->arena, "%.*s%s%.*s%s%.*s\n", STR_ARG(outcome),
                                     instance.n ? " " : "", STR_ARG(instance), note.n ? ": " : "",
                                     STR_ARG(note)));
}

int verb_trigger(const struct options *options)
{
    static const char *const actions[] = { "pause", "resume", "fire" };
    const struct json *payload = NULL;
    struct client client;
    struct error err;
    size_t i = 0;
    while (i < COUNT(actions) && !str_equal(options->argument[0], str_of(actions[i]))) i++;
    if (i == COUNT(actions)) {
        output_complain("trigger: \"%.*s\" is not pause, resume or fire", STR_ARG(options->argument[0]));
        return status_exit(ST_INVALID);
    }
    if (i == 2 && input_variables(options, &payload, &err) != ST_OK) return output_fail(&err);
    int code = client_open(&client, options);
    if (code) return code;
    const str names[] = { options->argument[1], options->argument[2], options->argument[0] };
    code = instance_post(&client, client_path(&client, "/api/triggers/{}/{}/{}", names), payload);
    if (!code) code = i == 2 ? print_fired(&client) : print_trigger(&client);
    client_close(&client);
    return code;
}
