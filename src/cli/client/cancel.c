/* cli/client/cancel.c — `pawl cancel`: stops an instance, or many. */
#include "cli/client/bulk.h"

#include "base/utf8.h"
#include "cli/client/instance.h"
#include "cli/output.h"

int verb_cancel(const struct options *options)
{
    str reason = option_text(options, OPTION_REASON);
    struct client client;
    int code = bulk_check_arguments(options, 1, "INSTANCE");
    if (code) return code;
    if (!utf8_is_valid(reason)) {
        output_complain("--reason: not UTF-8");
        return status_exit(ST_INVALID);
    }
    const struct json *body =
        json_set(options->arena, json_empty_object(), STR("reason"), json_of_string(options->arena, reason));
    if (bulk_wanted(options)) {
        if (!reason.n) body = json_empty_object();
        if (option_on(options, OPTION_CANCEL_FAILED))
            body = json_set(options->arena, body, STR("failed"), json_of_bool(true));
        return bulk_run(options, "cancel", body);
    }
    code = client_open(&client, options);
    if (code) return code;
    str path = client_path(&client, "/v1/instances/{}/cancel", options->argument);
    if (option_on(options, OPTION_CANCEL_FAILED)) path = client_with(&client, path, "failed", STR("true"));
    return instance_command(&client, path, body);
}
