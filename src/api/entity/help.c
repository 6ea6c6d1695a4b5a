/* api/entity/help.c — help on entities and on the codes of their errors: /api/help, and /api/health.
 *
 * The pages are docs/entities.md, as a part of the program, section by section; the topics that clients of
 * the original look for, which are put together from these sections and docs/grpc.md; and a table of codes.
 * They need no secret: they say nothing about this engine.
 */
#include "api/entity/entity_int.h"

#include "api/probes_int.h"
#include "json/put.h"

/* Global and hidden for the reason that openapi.c gives. */
__asm__(".section .rodata\n"
        ".global api_entity_help_begin, api_entity_help_end\n"
        ".hidden api_entity_help_begin\n"
        ".hidden api_entity_help_end\n"
        "api_entity_help_begin:\n"
        ".incbin \"docs/entities.md\"\n"
        "api_entity_help_end:\n"
        ".byte 0\n"
        ".global api_grpc_help_begin, api_grpc_help_end\n"
        ".hidden api_grpc_help_begin\n"
        ".hidden api_grpc_help_end\n"
        "api_grpc_help_begin:\n"
        ".incbin \"docs/grpc.md\"\n"
        "api_grpc_help_end:\n"
        ".byte 0\n"
        ".text\n");

extern const char api_entity_help_begin[] __attribute__((visibility("hidden")));
extern const char api_entity_help_end[] __attribute__((visibility("hidden")));
extern const char api_grpc_help_begin[] __attribute__((visibility("hidden")));
extern const char api_grpc_help_end[] __attribute__((visibility("hidden")));

/* clang-format off */
#define ENTITY_ERROR_MAP(XX)                                                                                              \
    /* code                          HTTP  meaning */                                                                     \
    XX(BAD_REQUEST,                  400, "The request is wrong: its path, its query or its body. `detail` says what.")   \
    XX(COMPUTE_MEMBER_DISCONNECTED,  503, "The calculation node that was asked has gone. Nothing was written; try again.") \
    XX(CONDITION_TYPE_MISMATCH,      400, "A value in the condition has no type that the field can have.")                \
    XX(CONFLICT,                     409, "Another write of the same entity or model was faster or is under way. Read again, then try again.") \
    XX(DUPLICATE_AGGREGATION_ALIAS,     400, "Two aggregations of different values have the same name. Give one of them another one with `as`.")\
    XX(DUPLICATE_GROUP_BY,              400, "`groupBy` names a field twice.")                                          \
    XX(ENTITY_MODIFIED,              412, "`If-Match` names a transaction that is not the entity's last one. Read again.") \
    XX(ENTITY_NOT_FOUND,             404, "There is no such entity, or there was none at that time.")                     \
    XX(FORBIDDEN,                       403, "The caller is known and has no role that may do this. `properties.permission` names the permission that is missing, `properties.roles` the roles that have it.") \
    XX(GROUP_CARDINALITY_EXCEEDED,      422, "There are more groups than one answer may have. Narrow the condition, or group by fewer fields.")\
    XX(HELP_TOPIC_NOT_FOUND,         404, "There is no such page of help. `GET /api/help` lists all.")                    \
    XX(IDEMPOTENCY_CONFLICT,            409, "The first request with this `Idempotency-Key` still waits. Try again later.")\
    XX(INCOMPATIBLE_TYPE,            400, "A value of the document has a type that the model does not know at its place.") \
    XX(INVALID_AGGREGATION_FIELD,       400, "An aggregation needs the path of a single value: `$.amount`.")            \
    XX(INVALID_AGGREGATION_OP,          400, "An aggregation is `sum`, `avg`, `min`, `max` or `stdev`.")                \
    XX(INVALID_CHANGE_LEVEL,         400, "There is no such change level.")                                               \
    XX(INVALID_CONDITION,            400, "A pattern, range or date of the condition is wrong, or the condition is too costly.")  \
    XX(INVALID_FIELD_PATH,           400, "The path names no field of the model.")                                        \
    XX(INVALID_GROUP_BY_PATH,           400, "Groups are made by `state` or by the path of a single value: `$.customer`.")\
    XX(INVALID_LIMIT,                   400, "`limit` is not an integer from 1 to the largest number of groups.")       \
    XX(INVALID_POINT_IN_TIME,           400, "`pointInTime` is not a time of RFC 3339.")                                \
    XX(INVALID_UNIQUE_KEY,           422, "The document has values in some fields of a unique key and not in others.")    \
    XX(INVALID_UNIQUE_KEY_DEFINITION, 422, "The unique key names fields that cannot be a part of one.")                   \
    XX(KEYPAIR_NOT_FOUND,               404, "There is no key pair of this id, or none signs for the audience now.") \
    XX(LAST_ADMIN,                   409, "Nobody would be an admin of all tenants. Make an admin first, or start the engine with `--auth-token-file`.") \
    XX(M2M_CLIENT_NOT_FOUND,            404, "The tenant has no client of this id.") \
    XX(METHOD_NOT_ALLOWED,              405, "The path does not take this method. The header `Allow` names those that it takes.")\
    XX(MISSING_GROUP_BY,                400, "`groupBy` is missing or empty.")                                          \
    XX(MODEL_ALREADY_LOCKED,         409, "The model is locked: it cannot be changed so.")                                \
    XX(MODEL_ALREADY_UNLOCKED,       409, "The model is not locked.")                                                     \
    XX(MODEL_HAS_ENTITIES,           409, "The model has entities: it cannot be unlocked or removed.")                    \
    XX(MODEL_NOT_FOUND,              404, "There is no model of that name and version.")                                  \
    XX(MODEL_NOT_LOCKED,             409, "The model is not locked, so it has no entities yet. Lock it first.")           \
    XX(NOT_FOUND,                    404, "There is nothing at this path.")                                               \
    XX(NOT_IMPLEMENTED,              501, "Changes of this form are not understood. Send a merge patch (RFC 7396).")      \
    XX(NO_COMPUTE_MEMBER_FOR_TAG,    503, "No calculation node with these tags is connected. Nothing was written; try again.") \
    XX(OIDC_PROVIDER_DUPLICATE,         400, "The tenant has a provider with this `wellKnownConfigUri` already. Change that one with PATCH.") \
    XX(OIDC_PROVIDER_INACTIVE,          409, "The provider is invalidated. Reactivate it first, then change it.") \
    XX(OIDC_PROVIDER_NOT_FOUND,         404, "The tenant has no provider of this id.") \
    XX(OIDC_SSRF_BLOCKED,               400, "`wellKnownConfigUri` leads to this machine or into a private network. The engine calls providers there only with `--allow-private-calls`.") \
    XX(POLYMORPHIC_SLOT,                400, "The model knows an object, a list or a single value at this place, and the document has another of the three. No change level allows that.")\
    XX(PRECONDITION_REQUIRED,        428, "The request needs `If-Match`: the entity's last transaction, or `*` for any.") \
    XX(SCAN_BUDGET_EXHAUSTED,        400, "The search would look at too many entities. Narrow it, or index a field.")     \
    XX(SCHEDULE_FUNCTION_INVALID_RESULT, 500, "A function was asked when a transition is due, and its answer says no time. Nothing was written.") \
    XX(SEARCH_JOB_ALREADY_TERMINAL,  400, "The search is over already, so that it cannot be cancelled.")                  \
    XX(SEARCH_JOB_NOT_FOUND,         404, "There is no such search, or its time is over.")                                \
    XX(SEARCH_QUEUE_FULL,            503, "As many searches run or wait as may. Try again later.")                        \
    XX(SEARCH_RESULT_LIMIT,          400, "The search finds more entities than its limit allows.")                        \
    XX(SERVER_ERROR,                 500, "The engine failed. Its log says more.")                                        \
    XX(TRANSACTION_NOT_FOUND,           404, "The token's transaction is over: its processor has answered, or has run out of time.")\
    XX(TRANSITION_NOT_FOUND,         404, "The entity's state has no such transition that can be fired.")                 \
    XX(TRUSTED_KEY_CAP_REACHED,         400, "The tenant has as many trusted keys that count as it may. Invalidate or remove one first.") \
    XX(TRUSTED_KEY_NOT_FOUND,           404, "The tenant has no trusted key of this id.") \
    XX(UNAUTHORIZED,                 401, "The request has no valid secret.")                                             \
    XX(UNIQUE_VIOLATION,             409, "Another entity has the same values in all fields of a unique key.")            \
    XX(UNSUPPORTED,                     501, "This engine does not have this part of the API: edge messages.")          \
    XX(UNSUPPORTED_ALGORITHM,           400, "Key pairs sign with RS256 only.") \
    XX(UNSUPPORTED_KEY_TYPE,            400, "A trusted key is an RSA key (`kty`: `RSA`).") \
    XX(UNSUPPORTED_MEDIA_TYPE,          415, "The body has a type that the request does not take.")                     \
    XX(VALIDATION_FAILED,            400, "The workflows are wrong. `problems` lists everything, and nothing was stored.") \
    XX(WORKFLOW_FAILED,              400, "A criterion does not match, a processor failed, or the workflow goes around too often. Nothing was written, unless a processor commits before.") \
    XX(WORKFLOW_NOT_FOUND,           404, "No workflows were imported for the model.")
/* clang-format on */

static const struct help_error {
    const char *code;
    int http_status;
    const char *meaning;
} help_errors[] = {
#define XX(code, http, meaning) { #code, http, meaning },
    ENTITY_ERROR_MAP(XX)
#undef XX
};

/* ---- topics ---- */

/* A page of help. */
struct help_topic {
    str topic; /* "errors.CONFLICT" */
    str title, synopsis, body;
    str see_also;            /* Topics, with spaces in between. */
    str section, section_of; /* The page's parts, of docs/entities.md; or one part. */
    bool has_codes;          /* Its children are the codes of errors. */
};

/* A topic that is put together from sections of docs/entities.md. */
static const struct help_subject {
    str topic, title, see_also;
    str section[3];
} help_subjects[] = {
    { STR_INIT("models"),
      STR_INIT("Models"),
      STR_INIT(
          "entities workflows crud errors.MODEL_NOT_FOUND errors.MODEL_NOT_LOCKED errors.INCOMPATIBLE_TYPE"),
      { STR_INIT("A model"), STR_INIT("Indexed fields and unique keys") } },
    { STR_INIT("workflows"),
      STR_INIT("Workflows"),
      STR_INIT("models crud grpc search errors.TRANSITION_NOT_FOUND errors.WORKFLOW_NOT_FOUND "
               "errors.WORKFLOW_FAILED errors.NO_COMPUTE_MEMBER_FOR_TAG errors.COMPUTE_MEMBER_DISCONNECTED"),
      { STR_INIT("Workflows"), STR_INIT("Workflows in a file"), STR_INIT("Processors") } },
    { STR_INIT("crud"),
      STR_INIT("Entities: create, read, update, delete"),
      STR_INIT("models workflows search errors.ENTITY_NOT_FOUND errors.ENTITY_MODIFIED errors.CONFLICT"),
      { STR_INIT("Entities"), STR_INIT("Grouped statistics"), STR_INIT("Audit") } },
    { STR_INIT("search"),
      STR_INIT("Searches"),
      STR_INIT("models crud errors.INVALID_FIELD_PATH errors.SEARCH_RESULT_LIMIT"),
      { STR_INIT("Finding entities") } },
};

static str document(void)
{
    return (str){ api_entity_help_begin, (size_t)(api_entity_help_end - api_entity_help_begin) };
}

/* The next line, without its end; false: there is none. */
static bool next_line(str *rest, str *ret_line)
{
    if (!rest->n) return false;
    const char *end = memchr(rest->p, '\n', rest->n);
    *ret_line = str_slice(*rest, 0, end ? (size_t)(end - rest->p) : rest->n);
    *rest = str_slice(*rest, ret_line->n + 1, rest->n);
    return true;
}

static str trimmed(str text)
{
    while (text.n && text.p[0] == '\n') text = str_slice(text, 1, text.n);
    while (text.n && text.p[text.n - 1] == '\n') text = str_slice(text, 0, text.n - 1);
    return text;
}

/* The first line of a text that is not empty: its first sentence or more. */
static str first_line(str text)
{
    str line = STR_NONE, rest = trimmed(text);
    next_line(&rest, &line);
    return line;
}

/* The next section of the document: its name and its text. */
static bool next_section(str *rest, str *ret_name, str *ret_body)
{
    str line;
    while (next_line(rest, &line)) {
        if (!str_starts(line, STR("## "))) continue;
        *ret_name = str_slice(line, 3, line.n);
        str from = *rest, at = *rest;
        while (next_line(&at, &line) && !str_starts(line, STR("## "))) *rest = at;
        *ret_body = trimmed(str_slice(from, 0, (size_t)(rest->p - from.p)));
        return true;
    }
    return false;
}

/* "Indexed fields and unique keys" → "indexed-fields-and-unique-keys" */
static str slug(str name, struct arena *arena)
{
    struct buf text;
    buf_init(&text, arena);
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        buf_add_char(&text, c >= 'A' && c <= 'Z' ? (char)(c + 32) : c == ' ' ? '-' : c);
    }
    return buf_str(&text);
}

static struct help_topic section_topic(str name, str body, struct arena *arena)
{
    str part = slug(name, arena);
    return (struct help_topic){ .topic = arena_printf(arena, "entities.%.*s", STR_ARG(part)),
                                .title = name,
                                .synopsis = first_line(body),
                                .body = body,
                                .see_also = STR("entities") };
}

static str section_body(str wanted)
{
    str rest = document(), name, body;
    while (next_section(&rest, &name, &body))
        if (str_equal(name, wanted)) return body;
    return STR_NONE;
}

static struct help_topic subject_topic(const struct help_subject *subject, struct arena *arena)
{
    struct buf body;
    buf_init(&body, arena);
    for (size_t i = 0; i < COUNT(subject->section) && subject->section[i].n; i++)
        buf_printf(&body, "%s## %.*s\n\n%.*s\n", i ? "\n" : "", STR_ARG(subject->section[i]),
                   STR_ARG(section_body(subject->section[i])));
    return (struct help_topic){ .topic = subject->topic,
                                .title = subject->title,
                                .synopsis = first_line(section_body(subject->section[0])),
                                .body = buf_str(&body),
                                .see_also = subject->see_also };
}

static struct help_topic grpc_topic(void)
{
    str text = { api_grpc_help_begin, (size_t)(api_grpc_help_end - api_grpc_help_begin) };
    str rest = text, title = STR_NONE;
    next_line(&rest, &title);
    return (struct help_topic){ .topic = STR("grpc"),
                                .title = str_slice(title, 2, title.n),
                                .synopsis = first_line(rest),
                                .body = text,
                                .see_also = STR("workflows crud search errors") };
}

static struct help_topic error_topic(const struct help_error *error, struct arena *arena)
{
    return (struct help_topic){ .topic = arena_printf(arena, "errors.%s", error->code),
                                .title = str_of(error->code),
                                .synopsis = str_of(error->meaning),
                                .body =
                                    arena_printf(arena, "HTTP %d. %s", error->http_status, error->meaning),
                                .see_also = STR("errors") };
}

static struct help_topic entities_topic(void)
{
    str rest = document(), title = STR_NONE;
    next_line(&rest, &title);
    return (struct help_topic){ .topic = STR("entities"),
                                .title = str_slice(title, 2, title.n),
                                .synopsis = first_line(rest),
                                .body = document(),
                                .see_also = STR("errors"),
                                .section_of = document() };
}

static struct help_topic errors_topic(struct arena *arena)
{
    struct buf body;
    buf_init(&body, arena);
    for (size_t i = 0; i < COUNT(help_errors); i++)
        buf_printf(&body, "- `%s` (%d): %s\n", help_errors[i].code, help_errors[i].http_status,
                   help_errors[i].meaning);
    return (struct help_topic){ .topic = STR("errors"),
                                .title = STR("Errors"),
                                .synopsis = STR("The codes in `properties.errorCode`, and what to do."),
                                .body = buf_str(&body),
                                .see_also = STR("entities"),
                                .has_codes = true };
}

/* Calls the function for every topic. */
typedef void topic_fn(void *context, const struct help_topic *topic);
static void each_topic(struct arena *arena, topic_fn *found, void *context)
{
    struct help_topic topic = entities_topic();
    str rest = document(), name, body;
    found(context, &topic);
    while (next_section(&rest, &name, &body)) {
        topic = section_topic(name, body, arena);
        found(context, &topic);
    }
    for (size_t i = 0; i < COUNT(help_subjects); i++) {
        topic = subject_topic(&help_subjects[i], arena);
        found(context, &topic);
    }
    topic = grpc_topic();
    found(context, &topic);
    topic = errors_topic(arena);
    found(context, &topic);
    for (size_t i = 0; i < COUNT(help_errors); i++) {
        topic = error_topic(&help_errors[i], arena);
        found(context, &topic);
    }
}

/* ---- descriptors ---- */

static void put_path(struct buf *out, str topic)
{
    const char *dot = memchr(topic.p, '.', topic.n);
    size_t n = dot ? (size_t)(dot - topic.p) : topic.n;
    PUT(out, ",\"path\":[");
    put_text(out, str_slice(topic, 0, n));
    if (dot) {
        buf_add_char(out, ',');
        put_text(out, str_slice(topic, n + 1, topic.n));
    }
    buf_add_char(out, ']');
}

static void put_sections(struct buf *out, const struct help_topic *topic, struct arena *arena)
{
    str rest = topic->section_of, name, body;
    bool first = true;
    PUT(out, ",\"sections\":[");
    while (next_section(&rest, &name, &body)) {
        buf_add_str(out, first ? STR("{\"name\":") : STR(",{\"name\":"));
        put_text(out, name);
        PUT(out, ",\"body\":");
        put_text(out, body);
        buf_add_char(out, '}');
        first = false;
    }
    buf_add_char(out, ']');
    if (!topic->section_of.n && !topic->has_codes) return;
    PUT(out, ",\"children\":[");
    first = true;
    for (rest = topic->section_of; next_section(&rest, &name, &body); first = false) {
        if (!first) buf_add_char(out, ',');
        put_text(out, section_topic(name, body, arena).topic);
    }
    for (size_t i = 0; topic->has_codes && i < COUNT(help_errors); i++) {
        if (i) buf_add_char(out, ',');
        put_text(out, arena_printf(arena, "errors.%s", help_errors[i].code));
    }
    buf_add_char(out, ']');
}

static void put_see_also(struct buf *out, str topics)
{
    PUT(out, ",\"see_also\":[");
    while (topics.n) {
        size_t end = str_find(topics, STR(" "), 0);
        put_text(out, str_slice(topics, 0, end));
        topics = end == SIZE_MAX ? STR_NONE : str_slice(topics, end + 1, topics.n);
        if (topics.n) buf_add_char(out, ',');
    }
    buf_add_char(out, ']');
}

static void put_topic(struct buf *out, const struct help_topic *topic, struct arena *arena)
{
    PUT(out, "{\"topic\":");
    put_text(out, topic->topic);
    put_path(out, topic->topic);
    PUT(out, ",\"title\":");
    put_text(out, topic->title);
    PUT(out, ",\"synopsis\":");
    put_text(out, topic->synopsis);
    PUT(out, ",\"body\":");
    put_text(out, topic->body);
    put_sections(out, topic, arena);
    put_see_also(out, topic->see_also);
    PUT(out, ",\"stability\":\"stable\",\"actions\":[]}");
}

/* ---- pages ----
 *
 * All pages are made when the first of them is asked for, and live as long as the API: strangers may ask for
 * them, and must not make us write them again and again. */

struct help_page {
    str topic;
    str body;        /* Markdown. */
    size_t from, to; /* Its part of the text of all pages. */
};

struct help_pages {
    struct arena *arena;
    struct buf text, page; /* {"schema":1, …, "topics":[…]}; struct help_page, one behind the other. */
};

static void add_page(void *context, const struct help_topic *topic)
{
    struct help_pages *pages = context;
    if (pages->page.n) buf_add_char(&pages->text, ',');
    struct help_page page = { .topic = topic->topic, .body = topic->body, .from = pages->text.n };
    put_topic(&pages->text, topic, pages->arena);
    page.to = pages->text.n;
    buf_add(&pages->page, &page, sizeof page);
}

static const struct help_pages *pages_of(struct api *api)
{
    if (api->help) return api->help;
    struct help_pages *pages = arena_make(&api->arena, struct help_pages);
    pages->arena = &api->arena;
    buf_init(&pages->text, &api->arena);
    buf_init(&pages->page, &api->arena);
    PUT(&pages->text, "{\"schema\":1,\"version\":");
    put_text(&pages->text, str_of(api->config.version));
    PUT(&pages->text, ",\"topics\":[");
    each_topic(&api->arena, add_page, pages);
    PUT(&pages->text, "]}");
    api->help = pages;
    return pages;
}

static const struct help_page *find_page(const struct help_pages *pages, str topic)
{
    const struct help_page *page = (const struct help_page *)(const void *)pages->page.p;
    for (size_t i = 0; i < pages->page.n / sizeof *page; i++)
        if (str_equal(page[i].topic, topic)) return &page[i];
    return NULL;
}

/* ---- handlers ---- */

enum status entity_help(struct api_request *request, struct error *err)
{
    (void)err;
    answer_lasting(request, 200, STR("application/json"), STR_NONE, buf_str(&pages_of(request->api)->text));
    return ST_OK;
}

/* A topic's parts have dots or slashes between them. */
static enum status read_topic(struct api_request *request, str *ret_topic, struct error *err)
{
    str asked = request->param[0];
    struct buf topic;
    buf_init(&topic, request->http->arena);
    for (size_t i = 0; i < asked.n; i++) {
        char c = asked.p[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                     c == '-' || c == '.' || c == '/';
        if (!plain)
            return fail_code(err, ST_INVALID, "BAD_REQUEST",
                             "the name of a page of help has letters, digits, '_', '-', '.' and '/'");
        buf_add_char(&topic, c == '/' ? '.' : c);
    }
    *ret_topic = buf_str(&topic);
    return ST_OK;
}

/* A topic may have the ending of a format. True if it is that of Markdown. */
static bool cut_format(str *topic)
{
    bool is_markdown = str_ends(*topic, STR(".md")), is_json = str_ends(*topic, STR(".json"));
    if (is_markdown || is_json) *topic = str_slice(*topic, 0, topic->n - (is_json ? 5 : 3));
    return is_markdown;
}

enum status entity_help_topic(struct api_request *request, struct error *err)
{
    const struct help_pages *pages = pages_of(request->api);
    str topic = STR_NONE;
    TRY(read_topic(request, &topic, err));
    bool is_markdown = cut_format(&topic);
    const struct help_page *page = find_page(pages, topic);
    if (!page)
        return fail_code(err, ST_NOT_FOUND, "HELP_TOPIC_NOT_FOUND",
                         "there is no page of help \"%.*s\"; GET /api/help lists all", STR_ARG(topic));
    if (is_markdown) answer_lasting(request, 200, STR("text/markdown; charset=utf-8"), STR_NONE, page->body);
    else
        answer_lasting(request, 200, STR("application/json"), STR_NONE,
                       str_slice(buf_str(&pages->text), page->from, page->to));
    return ST_OK;
}

/* ---- health ---- */

static void put_down(const struct api_request *request, const struct error *err, struct buf *out)
{
    (void)request;
    (void)err;
    PUT(out, "{\"status\":\"DOWN\"");
}

static int down_status(const struct error *err)
{
    (void)err;
    return 503;
}

const struct error_format entity_health_errors = {
    .media_type = STR_INIT("application/json"),
    .put_error = put_down,
    .http_status = down_status,
};

static void render_up(const struct call *call, int *ret_http_status, struct buf *out)
{
    (void)call;
    *ret_http_status = 200;
    PUT(out, "{\"status\":\"UP\"}");
}

/* The engine goes on, and the store can be read now: nothing is remembered from the last time. */
enum status entity_health(struct api_request *request, struct error *err)
{
    const struct call_models asked = { .max = 1 };
    TRY(probes_check_ready(request->api, err));
    return request_submit(request, call_list_models(request_origin(request), &asked), render_up, err);
}
