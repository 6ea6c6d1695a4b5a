/* api/connections/list.c — connections and secrets: whether they are there, and who uses them. */
#include "api/connections/connections_int.h"
#include "api/request_int.h"

#include "base/tenant.h"
#include "json/put.h"

static const char *const kind_words[] = {
#define XX(NAME, word) [CONNECTION_##NAME] = word,
    CONNECTION_KIND_MAP(XX)
#undef XX
};

static void put_kinds(struct buf *out, unsigned kinds)
{
    bool first = true;
    PUT(out, ",\"kinds\":[");
    for (size_t i = 0; i < CONNECTION_KIND_COUNT; i++) {
        if (!(kinds & 1u << i)) continue;
        if (!first) buf_add_char(out, ',');
        put_text(out, str_of(kind_words[i]));
        first = false;
    }
    buf_add_char(out, ']');
}

static void put_source(struct buf *out, const struct secret_view *secret)
{
    PUT(out, ",\"source\":");
    put_text(out, str_of(vault_source_word(secret->source)));
    if (!secret->created_ms) return;
    PUT(out, ",\"createdAt\":");
    put_time(out, secret->created_ms);
    PUT(out, ",\"updatedAt\":");
    put_time(out, secret->updated_ms);
}

static void put_uses(struct buf *out, const struct connection_view *view)
{
    PUT(out, ",\"usedBy\":[");
    for (size_t i = 0; i < view->use_count; i++) {
        const struct connection_use *use = &view->use[i];
        if (i) buf_add_char(out, ',');
        PUT(out, "{\"definitionId\":");
        put_text(out, use->definition_id);
        PUT(out, ",\"name\":");
        put_text(out, use->title.n ? use->title : use->definition_id);
        PUT(out, ",\"version\":");
        put_int(out, use->version);
        PUT(out, ",\"pointer\":");
        put_text(out, use->place);
        buf_add_char(out, '}');
    }
    PUT(out, "],\"uses\":");
    put_int(out, (int64_t)view->use_total);
}

/* ---- brokers ---- */

/* Brokers know the secrets of all tenants, by names that say whose they are. */
const struct api_broker *connections_broker(const struct api_request *request, str name)
{
    const struct api_config *config = &request->api->config;
    struct api_broker *broker = NULL;
    size_t count =
        config->brokers ? config->brokers(config->brokers_context, request->http->arena, &broker) : 0;
    for (size_t i = 0; i < count; i++) {
        int32_t tenant;
        str known = tenant_name(broker[i].reference, &tenant);
        if (str_starts(known, STR("vault:"))) known = str_slice(known, STR("vault:").n, known.n);
        if (tenant == request->caller.tenant && str_equal(known, name)) return &broker[i];
    }
    return NULL;
}

static void put_broker(struct buf *out, const struct api_broker *broker)
{
    if (!broker) return;
    PUT(out, ",\"broker\":{\"connected\":");
    put_flag(out, broker->connected);
    if (broker->since_ms) {
        PUT(out, ",\"since\":");
        put_time(out, broker->since_ms);
    }
    if (broker->why.n) {
        PUT(out, ",\"why\":");
        put_text(out, broker->why);
    }
    buf_add_char(out, '}');
}

/* ---- the list ---- */

static void put_connection(struct buf *out, const struct api_request *request,
                           const struct connection_view *view)
{
    PUT(out, "{\"name\":");
    put_text(out, view->name);
    put_kinds(out, view->kinds);
    PUT(out, ",\"isSet\":");
    put_flag(out, view->is_set);
    if (view->secret) put_source(out, view->secret);
    put_uses(out, view);
    if (view->kinds & 1u << CONNECTION_BROKER) put_broker(out, connections_broker(request, view->name));
    buf_add_char(out, '}');
}

static void render_list(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct api_request *request = call->user;
    const struct api_config *config = &request->api->config;
    const struct answer_secrets *answer = &call->value.secrets;
    size_t shown = 0;
    *ret_http_status = 200;
    PUT(out, "{\"items\":[");
    for (; shown < answer->connection_count; shown++) {
        size_t before = out->n;
        if (shown) buf_add_char(out, ',');
        put_connection(out, request, &answer->connection[shown]);
        if (!put_is_beyond(out, call->answer_max)) continue;
        out->n = before;
        break;
    }
    PUT(out, "],\"hasMailServer\":");
    put_flag(out, config->has_mail);
    PUT(out, ",\"isCut\":");
    put_flag(out, answer->cut || shown < answer->connection_count);
    buf_add_char(out, '}');
}

enum status connections_list(struct api_request *request, struct error *err)
{
    const struct call_secrets asked = { .max = (size_t)request->api->config.limits.secrets_max };
    request->looks_around = true;
    return request_submit(request, call_list_connections(request_origin(request), &asked), render_list, err);
}
