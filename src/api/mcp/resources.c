/* api/mcp/resources.c — resources: pages, schemas, and definitions and runs by their ids.
 *
 *     pawl://docs/steps.md                    a page of docs/
 *     pawl://schemas/steps.json               a schema
 *     pawl://definitions/{definitionId}       the latest version of a definition
 *     pawl://runs/{runId}                     a run
 */
#include "api/mcp/mcp_int.h"
#include "api/pages_int.h"

#define DOCS "pawl://docs/"
#define SCHEMAS "pawl://schemas/"

/* ---- lists ---- */

static void put_caching(const struct mcp_message *message, struct buf *out, const char *scope)
{
    if (message->is_modern)
        buf_printf(out, "\"resultType\":\"complete\",\"ttlMs\":60000,\"cacheScope\":\"%s\",", scope);
}

static void put_resource(struct buf *out, const char *prefix, const struct page *page, const char *type)
{
    PUT(out, "{\"uri\":\"");
    buf_add_str(out, str_of(prefix));
    buf_add_str(out, page->name);
    PUT(out, "\",\"name\":");
    put_text(out, page->name);
    PUT(out, ",\"title\":");
    put_text(out, page->title);
    buf_printf(out, ",\"mimeType\":\"%s\",\"size\":%zu}", type, page->text.n);
}

enum status mcp_list_resources(struct mcp_message *message, struct error *err)
{
    struct buf out;
    struct page page;
    (void)err;
    if (json_get(message->params, STR("cursor"))) {
        mcp_answer_error(message, MCP_INVALID_PARAMS, 400, STR_NONE, "all resources are on one page");
        return ST_OK;
    }
    mcp_begin_result(message, &out);
    put_caching(message, &out, "public");
    PUT(&out, "\"resources\":[");
    for (size_t i = 0; pages_doc(i, &page); i++) {
        if (i) buf_add_char(&out, ',');
        put_resource(&out, DOCS, &page, "text/markdown");
    }
    for (size_t i = 0; schemas_page(i, &page); i++) {
        buf_add_char(&out, ',');
        put_resource(&out, SCHEMAS, &page, "application/schema+json");
    }
    buf_add_char(&out, ']');
    mcp_end_result(message, &out);
    return ST_OK;
}

enum status mcp_list_templates(struct mcp_message *message, struct error *err)
{
    struct buf out;
    (void)err;
    mcp_begin_result(message, &out);
    put_caching(message, &out, "public");
    PUT(&out, "\"resourceTemplates\":["
              "{\"uriTemplate\":\"pawl://definitions/"
              "{definitionId}\",\"name\":\"definition\",\"title\":\"The latest "
              "version of a definition\",\"mimeType\":\"application/json\"},"
              "{\"uriTemplate\":\"pawl://runs/{runId}\",\"name\":\"run\",\"title\":\"A run: why it waits, "
              "its data\","
              "\"mimeType\":\"application/json\"}]");
    mcp_end_result(message, &out);
    return ST_OK;
}

/* ---- one ---- */

static void answer_contents(const struct mcp_message *message, const char *type, str text)
{
    struct buf out;
    mcp_begin_result(message, &out);
    put_caching(message, &out, "private");
    PUT(&out, "\"contents\":[{\"uri\":");
    put_text(&out, json_text(message->params, STR("uri")));
    buf_printf(&out, ",\"mimeType\":\"%s\",\"text\":", type);
    put_text(&out, text);
    PUT(&out, "}]");
    mcp_end_result(message, &out);
}

static void not_found(const struct mcp_message *message)
{
    struct buf data;
    buf_init(&data, message->request->http->arena);
    PUT(&data, "{\"uri\":");
    put_text(&data, json_text(message->params, STR("uri")));
    buf_add_char(&data, '}');
    mcp_answer_error(message, message->is_modern ? MCP_INVALID_PARAMS : MCP_RESOURCE_NOT_FOUND, 400,
                     buf_str(&data), "there is no such resource");
}

static void refuse(struct mcp_work *work, str sentence, const struct json *details)
{
    (void)details;
    if (work->status == status_http(ST_NOT_FOUND)) not_found(&work->message);
    else mcp_answer_error(&work->message, MCP_REFUSED, 400, STR_NONE, "%.*s", STR_ARG(sentence));
}

static enum status read_next(struct mcp_work *work, struct error *err)
{
    (void)err;
    answer_contents(&work->message, "application/json", work->body);
    return ST_OK;
}

static enum status begin_definition(struct mcp_work *work, struct error *err)
{
    return mcp_ask(work, "GET", mcp_path(work, "/api/workflows/{}", mcp_text(work, "id")), NULL, false, err);
}

static enum status begin_run(struct mcp_work *work, struct error *err)
{
    return mcp_ask(work, "GET", mcp_path(work, "/api/instances/{}", mcp_text(work, "id")), NULL, false, err);
}

/* They are in no list of tools. */
static const struct {
    const char *prefix;
    struct mcp_tool tool;
} readers[] = {
    { "pawl://definitions/",
      { .name = "resources/read", .hints = MCP_READS, .begin = begin_definition, .next = read_next } },
    { "pawl://runs/",
      { .name = "resources/read", .hints = MCP_READS, .begin = begin_run, .next = read_next } },
};

static bool read_page(const struct mcp_message *message, str uri)
{
    struct page page;
    for (size_t i = 0; str_starts(uri, STR(DOCS)) && pages_doc(i, &page); i++)
        if (str_equal(page.name, str_slice(uri, sizeof DOCS - 1, uri.n))) {
            answer_contents(message, "text/markdown", page.text);
            return true;
        }
    for (size_t i = 0; str_starts(uri, STR(SCHEMAS)) && schemas_page(i, &page); i++)
        if (str_equal(page.name, str_slice(uri, sizeof SCHEMAS - 1, uri.n))) {
            answer_contents(message, "application/schema+json", page.text);
            return true;
        }
    return false;
}

enum status mcp_read_resource(struct mcp_message *message, struct error *err)
{
    struct arena *arena = message->request->http->arena;
    const struct json *uri = json_get(message->params, STR("uri"));
    (void)err;
    if (!json_is(uri, JSON_STRING)) {
        mcp_answer_error(message, MCP_INVALID_PARAMS, 400, STR_NONE, "uri must be a text");
        return ST_OK;
    }
    str text = json_string(uri), id;
    if (read_page(message, text)) return ST_OK;
    for (size_t i = 0; i < COUNT(readers); i++) {
        str prefix = str_of(readers[i].prefix);
        if (!str_starts(text, prefix) || text.n == prefix.n) continue;
        if (!http_decode(str_slice(text, prefix.n, text.n), false, arena, &id)) break;
        struct mcp_work *work = mcp_new_work(message, &readers[i].tool);
        work->arguments = json_set(arena, json_empty_object(), STR("id"), json_of_string(arena, id));
        work->refuse = refuse;
        mcp_begin_work(work);
        return ST_OK;
    }
    not_found(message);
    return ST_OK;
}
