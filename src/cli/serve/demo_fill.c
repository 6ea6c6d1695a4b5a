/* cli/serve/demo_fill.c — something to see: the requests of src/cli/serve/demo.json, one after the other.
 *
 * A request has "path", and "method" if it is PUT and not POST. Its body is "body", or the "document" of this
 * name. "as" gives a name to what it has made, and "<name>" in a later path stands for the id. "actor" is who
 * acts, "type" the body's type.
 *
 * Each request has an idempotency key of its own, so a fill that was cut off can begin from the start. The
 * last request publishes LAST_DEFINITION. Definitions are never purged: who has it has all the rest, too, or
 * has had it.
 */
#include "cli/serve/demo_int.h"

#include "base/log.h"
#include "base/must.h"

#define LAST_DEFINITION "nightly-count"

/* Files of examples/, as they are. */
#define EMBED(symbol, file)                               \
    __asm__(".section .rodata\n"                          \
            ".global " #symbol "\n" #symbol ":\n"         \
            ".incbin \"" file "\"\n"                      \
            ".global " #symbol "_end\n" #symbol "_end:\n" \
            ".byte 0\n"                                   \
            ".previous\n");                               \
    extern const char symbol[], symbol##_end[]

EMBED(demo_requests, "src/cli/serve/demo.json");
EMBED(demo_loan_application, "examples/loan-application.json");
EMBED(demo_loan_disbursement, "examples/loan-disbursement.json");
EMBED(demo_leave_request, "examples/templates/leave-request.json");
EMBED(demo_parcel_return, "examples/demo/parcel-return.json");
EMBED(demo_shipping_price, "examples/demo/shipping-price.json");
EMBED(demo_device, "examples/demo/device.json");
EMBED(demo_nightly_count, "examples/demo/nightly-count.json");

static const struct demo_document {
    const char *name, *begin, *end;
} documents[] = {
    { "loan-application", demo_loan_application, demo_loan_application_end },
    { "loan-disbursement", demo_loan_disbursement, demo_loan_disbursement_end },
    { "leave-request", demo_leave_request, demo_leave_request_end },
    { "parcel-return", demo_parcel_return, demo_parcel_return_end },
    { "shipping-price", demo_shipping_price, demo_shipping_price_end },
    { "device", demo_device, demo_device_end },
    { LAST_DEFINITION, demo_nightly_count, demo_nightly_count_end },
};

static const struct json_limits requests_limits = { .bytes_max = 1 << 20, .depth_max = JSON_DEPTH_MAX };

static str body_of(struct demo *demo, const struct json *request)
{
    str name = json_text(request, STR("document"));
    struct buf body;
    for (size_t i = 0; i < COUNT(documents); i++)
        if (str_equal(name, str_of(documents[i].name)))
            return (str){ documents[i].begin, (size_t)(documents[i].end - documents[i].begin) };
    buf_init(&body, &demo->arena);
    json_print(json_get(request, STR("body")), &body);
    return buf_str(&body);
}

static str headers_of(struct demo *demo, const struct json *request, size_t number)
{
    str actor = json_text(request, STR("actor")), groups = json_text(request, STR("groups")),
        type = json_text(request, STR("type"));
    struct buf lines;
    buf_init(&lines, &demo->arena);
    buf_printf(&lines, "Idempotency-Key: pawl-demo-%zu\r\n", number);
    if (actor.n) buf_printf(&lines, "X-Actor: %.*s\r\n", STR_ARG(actor));
    if (groups.n) buf_printf(&lines, "X-Groups: %.*s\r\n", STR_ARG(groups));
    if (type.n) buf_printf(&lines, "Content-Type: %.*s\r\n", STR_ARG(type));
    return buf_str(&lines);
}

/* Puts the id of what an earlier request has made into the path. False: there is none, because the engine has
 * refused that request. */
static bool find_path(struct demo *demo, const struct json *request, const struct json *made, str *ret_path)
{
    str path = json_text(request, STR("path"));
    size_t begin = str_find(path, STR("<"), 0);
    *ret_path = path;
    if (begin == SIZE_MAX) return true;
    size_t end = str_find(path, STR(">"), begin);
    const struct json *id = json_get(made, str_slice(path, begin + 1, end));
    if (!id) return false;
    str before = str_slice(path, 0, begin), after = str_slice(path, end + 1, path.n);
    *ret_path =
        arena_printf(&demo->arena, "%.*s%.*s%.*s", STR_ARG(before), STR_ARG(json_string(id)), STR_ARG(after));
    return true;
}

/* Instances of workflows and of webhooks, of steps, and entities. */
static const struct json *id_in(const struct json *answer)
{
    static const char *const places[] = { "/instanceId", "/id", "/0/entityIds/0" };
    for (size_t i = 0; answer && i < COUNT(places); i++) {
        const struct json *id = json_pointer(answer, str_of(places[i]));
        if (json_is(id, JSON_STRING)) return id;
    }
    return NULL;
}

/* False: it may be taken later. A request that the engine refuses, because somebody has published something
 * of the same name, is left out. */
static bool send(struct demo *demo, const struct json *request, size_t number, const struct json **made)
{
    enum { OVERLOADED = 429, REFUSED = 400, BROKEN = 500 };
    const struct json *answer;
    str path, name = json_text(request, STR("as"));
    const char *method = str_equal(json_text(request, STR("method")), STR("PUT")) ? "PUT" : "POST";
    if (!find_path(demo, request, *made, &path)) return true;
    int status =
        demo_call(demo, method, path, headers_of(demo, request, number), body_of(demo, request), &answer);
    if (!status || status == OVERLOADED || status >= BROKEN) return false;
    const struct json *id = id_in(answer);
    if (status >= REFUSED)
        log_write(LOG_WARN, "demo: the engine refused a request", "path", arena_str(&demo->arena, path).p,
                  NULL);
    else if (name.n && id) *made = json_set(&demo->arena, *made, name, id);
    return true;
}

bool demo_fill(struct demo *demo)
{
    enum { FOUND = 200, NOT_FOUND = 404 };
    const struct json *requests, *answer, *made = json_empty_object();
    str text = { demo_requests, (size_t)(demo_requests_end - demo_requests) };
    int status = demo_call(demo, "GET", STR("/v1/definitions/" LAST_DEFINITION), STR_NONE, STR_NONE, &answer);
    if (status == FOUND) return true;
    if (status != NOT_FOUND) return false;
    must(json_parse(text, &requests_limits, &demo->arena, &requests, NULL) == ST_OK);
    for (size_t i = 0; i < json_count(requests); i++)
        if (demo_is_stopped(demo) || !send(demo, json_item(requests, i), i, &made)) return false;
    return true;
}
