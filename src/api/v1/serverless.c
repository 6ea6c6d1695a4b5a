/* api/v1/serverless.c — what an instance of the Serverless Workflow dialect shows besides what
 * every instance does: its words for how it stands, its error, its output (which may be any
 * value) and its events. */
#include "api/api_int.h"

#include "json/json.h"

enum { SMALL_ERROR_BYTES = 4096 }; /* Shown also where there is no room for data. */

bool instance_is_serverless(const struct instance_view *view)
{
    return str_equal(view->dialect, STR("serverless"));
}

static bool is_timeout(const struct instance_view *view)
{
    const struct json *name = view->error ? json_get(view->error, STR("name")) : NULL;
    return json_is(name, JSON_STRING) && str_equal(json_string(name), STR("TimeoutException"));
}

static str execution_word(const struct instance_view *view)
{
    switch (view->status) {
    case INSTANCE_WAITING: return STR("Waiting");
    case INSTANCE_COMPLETED: return STR("Success");
    case INSTANCE_FAILED: return is_timeout(view) ? STR("Timeout") : STR("Fail");
    case INSTANCE_CANCELLED: return STR("Cancelled");
    default: return STR("Running");
    }
}

static void put_mail(struct buf *out, const struct instance_view *view)
{
    const char *between = "{\"id\":";
    PUT(out, ",\"pendingEvents\":[");
    for (size_t i = 0; i < view->mail_count; i++) {
        const struct mail_view *mail = &view->mail[i];
        if (mail->node.n) continue; /* Every dialect has signals: instances.c. */
        buf_add_str(out, str_of(between));
        between = ",{\"id\":";
        put_text(out, mail->id);
        PUT(out, ",\"source\":");
        put_text(out, mail->source);
        PUT(out, ",\"type\":");
        put_text(out, mail->type);
        PUT(out, ",\"receivedAt\":");
        put_time(out, mail->received_ms);
        buf_add_char(out, '}');
    }
    buf_add_char(out, ']');
}

void put_serverless_instance(struct buf *out, const struct instance_view *view, bool with_data)
{
    PUT(out, ",\"dialect\":");
    put_text(out, view->dialect);
    PUT(out, ",\"executionStatus\":");
    put_text(out, execution_word(view));
    if (view->status == INSTANCE_COMPLETED && with_data) {
        PUT(out, ",\"output\":");
        json_print(view->data, out);
    }
    if (view->error && (with_data || json_bytes(view->error) <= SMALL_ERROR_BYTES)) {
        PUT(out, ",\"error\":");
        json_print(view->error, out);
    }
    if (view->correlation.n) {
        PUT(out, ",\"correlation\":");
        buf_add_str(out, view->correlation); /* Is JSON. */
    }
    put_mail(out, view);
    put_family(out, view);
    if (view->lingers) PUT(out, ",\"detachedWork\":true");
}
