/* cli/client/words.c — the words of statuses, and their colours. */
#include "cli/client/words.h"

/* Visits are RUNNING in /v1, which is no status of an instance there. */
str words_screen(str status)
{
    enum instance_status engine;
    if (instance_status_parse(status, &engine))
        return str_of(show_status_screen(show_status_of_engine(engine)));
    for (int i = 0; i < SHOW_STATUS_COUNT; i++)
        if (str_equal_ignoring_case(status, str_of(show_status_word((enum show_status)i))))
            return str_of(show_status_screen((enum show_status)i));
    return status;
}

static bool status_of(struct client *client, const struct json *instance, enum instance_status *ret_status)
{
    return instance_status_parse(client_text(client, instance, "status"), ret_status);
}

str words_status(struct client *client, const struct json *instance)
{
    str status = client_text(client, instance, "status"), id = client_text(client, instance, "id");
    enum instance_status engine;
    if (status_of(client, instance, &engine) && !instance_status_ended(engine)) {
        str finer =
            client_text(client, client_look(client, client_path(client, "/api/instances/{}", &id)), "status");
        if (finer.n) status = finer;
    }
    return words_screen(status);
}

bool words_ended(struct client *client, const struct json *instance, enum instance_status status)
{
    enum instance_status engine;
    return status_of(client, instance, &engine) && engine == status;
}
