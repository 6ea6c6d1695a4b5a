/* api/entity/collections.c — lists of entities, written in chunks.
 *
 *     the list ──► a chunk of `transactionWindow` items ──► one call, one transaction
 *                    ▲                                                │
 *                    │                                                ▼
 *                    └────────────────────────────── one element of the answer
 *
 * A chunk is submitted when the one before it is answered, so others are served between chunks, and memory
 * holds one chunk beside the list and the answer. A chunk that fails is an element with an error, and the
 * next one has its turn all the same; only the first chunk's failure is the request's.
 *
 * An Idempotency-Key counts for each chunk on its own: the first has the client's key, each other one a key
 * that is made of it and of the chunk's number. A repeated request gets the answers of the chunks that were
 * written, and writes those that were not.
 */
#include "api/aside_int.h"
#include "api/entity/entity_int.h"
#include "api/submit_int.h"

#include "base/hash.h"
#include "base/must.h"
#include "json/put.h"

enum collection_kind { DOCUMENTS, CREATES, UPDATES };

struct collection {
    struct api_request *request;
    enum collection_kind kind;
    struct entity_item common; /* DOCUMENTS: of all of them. */
    struct json_each each;     /* The item that comes next is behind it. */
    size_t window, left, chunk;
    str key;
    uint64_t hash;
    bool replayed; /* All chunks so far are answers of an earlier request. */
    struct buf out;
    struct arena arena;      /* Memory of one chunk. */
    struct aside_work aside; /* For chunks that take long to read. */
    bool is_large;
    struct call_entities asked; /* The chunk that is read, */
    enum status status;         /* and what became of it. */
    struct error error;
};

/* ---- items ---- */

static enum status fail_item(const char *what, struct error *err)
{
    return fail_code(err, ST_INVALID, "BAD_REQUEST", "%s", what);
}

/* {"name", "version"} */
static enum status read_model(const struct json *model, struct entity_item *item, struct error *err)
{
    int64_t version;
    if (!json_is(model, JSON_OBJECT)) return fail_item("an item needs a model: {name, version}", err);
    TRY(field_required_text(model, "name", ENTITY_MODEL_NAME_BYTES_MAX, &item->model, err));
    if (!json_int64(json_get(model, STR("version")), &version) || version < 1 || version > INT32_MAX)
        return fail_item("the version of a model is an integer from 1 on", err);
    item->version = (int32_t)version;
    return ST_OK;
}

/* {"model", "payload", perhaps "transition"} */
static enum status read_create(const struct json *value, struct entity_item *item, struct error *err)
{
    TRY(read_model(json_get(value, STR("model")), item, err));
    if (json_get(value, STR("ifMatch")))
        return fail_item("ifMatch: a new entity has no transaction before", err);
    return field_text(value, "transition", ENTITY_MODEL_NAME_BYTES_MAX, &item->transition, err);
}

static enum status read_payload(struct collection *collection, const struct json *value,
                                struct entity_item *item, struct error *err)
{
    const struct json *payload = json_get(value, STR("payload"));
    const struct json_limits limits = { SIZE_MAX, JSON_DEPTH_MAX };
    if (!json_is(payload, JSON_STRING))
        return fail_item("a payload must be a text that is JSON, not an object", err);
    return json_parse(json_string(payload), &limits, &collection->arena, &item->data, err);
}

static enum status read_update(const struct json *value, struct entity_item *item, struct error *err)
{
    str id;
    item->action = ENTITY_UPDATE;
    TRY(field_required_text(value, "id", UUID_CHARS, &id, err));
    if (!uuid_parse(id, &item->id)) return fail_item("the id of an entity is a UUID", err);
    TRY(field_text(value, "transition", ENTITY_MODEL_NAME_BYTES_MAX, &item->transition, err));
    return field_text(value, "ifMatch", ENTITY_MODEL_NAME_BYTES_MAX, &item->if_match, err);
}

static enum status read_item(struct collection *collection, const struct json *value,
                             struct entity_item *item, struct error *err)
{
    if (collection->kind == DOCUMENTS) {
        *item = collection->common;
        item->data = value;
        return ST_OK;
    }
    if (!json_is(value, JSON_OBJECT)) return fail_item("an item of the list is an object", err);
    if (collection->kind == CREATES) TRY(read_create(value, item, err));
    else TRY(read_update(value, item, err));
    return read_payload(collection, value, item, err);
}

/* ---- the answer ---- */

static void put_error(struct collection *collection, const struct error *err, const char *index_name,
                      size_t index, const struct call_entities *left)
{
    struct buf *out = &collection->out;
    PUT(out, "{\"code\":");
    put_text(out, str_of(entity_error_code(err)));
    PUT(out, ",\"message\":");
    put_text(out, error_sentence(err, &collection->arena));
    buf_printf(out, ",\"%s\":%zu", index_name, index);
    if (left) entity_put_left(out, left);
    buf_add_char(out, '}');
}

static void put_failed(struct collection *collection, const struct call_entities *asked)
{
    struct buf *out = &collection->out;
    bool any = false;
    for (size_t i = 0; i < asked->count; i++) {
        if (asked->item[i].status == ST_OK) continue;
        buf_add_str(out, any ? STR(",{\"entityId\":") : STR(",\"failed\":[{\"entityId\":"));
        entity_put_uuid(out, asked->item[i].id);
        PUT(out, ",\"error\":");
        put_error(collection, &asked->item[i].error, "itemIndex", i, NULL);
        buf_add_char(out, '}');
        any = true;
    }
    if (any) buf_add_char(out, ']');
}

/* The element of the chunk that is over. */
static void put_chunk(struct collection *collection, const struct call_entities *asked,
                      const struct error *why)
{
    struct buf *out = &collection->out;
    if (collection->chunk) buf_add_char(out, ',');
    if (why) {
        PUT(out, "{\"entityIds\":[],\"error\":");
        put_error(collection, why, "chunkIndex", collection->chunk, asked);
        if (asked) entity_put_warnings(out, asked);
        buf_add_char(out, '}');
        return;
    }
    PUT(out, "{\"transactionId\":");
    put_text(out, asked->transaction);
    PUT(out, ",\"entityIds\":[");
    bool any = false;
    for (size_t i = 0; i < asked->count; i++) {
        if (asked->item[i].status != ST_OK) continue;
        if (any) buf_add_char(out, ',');
        entity_put_uuid(out, asked->item[i].id);
        any = true;
    }
    buf_add_char(out, ']');
    put_failed(collection, asked);
    entity_put_warnings(out, asked);
    buf_add_char(out, '}');
}

/* ---- chunks ---- */

static void submit_chunks(struct collection *collection);

/* The answer frees the request, and the collection in it, if the client has left: only the chunk's memory is
 * touched behind it. */
static void end_with_error(struct collection *collection, const struct error *why)
{
    struct arena arena = collection->arena;
    answer_error(collection->request, why);
    arena_done(&arena);
}

static void end_with_list(struct collection *collection)
{
    struct arena arena = collection->arena;
    buf_add_char(&collection->out, ']');
    answer(collection->request, 200, collection->replayed ? STR("Idempotency-Replayed: true\r\n") : STR_NONE,
           buf_str(&collection->out));
    arena_done(&arena);
}

/* True: the request is answered, and the collection may be gone. */
static bool end_chunk(struct collection *collection, const struct call_entities *asked,
                      const struct error *why)
{
    if (why && !collection->chunk) {
        end_with_error(collection, why);
        return true;
    }
    put_chunk(collection, asked, why);
    collection->chunk++;
    arena_reset(&collection->arena);
    if (collection->left) return false;
    end_with_list(collection);
    return true;
}

static void chunk_answered(struct call *call)
{
    struct collection *collection = call->user;
    collection->request->call = NULL;
    collection->request->failed = call->status == ST_OK ? NULL : call;
    collection->replayed &= call->replayed;
    call->error.status = call->status;
    if (!end_chunk(collection, &call->as.entities, call->status == ST_OK ? NULL : &call->error))
        submit_chunks(collection);
}

/* No client can send a key with a control character in it. */
static str key_of(struct collection *collection)
{
    if (!collection->key.n || !collection->chunk) return collection->key;
    return arena_printf(&collection->arena, "%.*s\x1f%zu", STR_ARG(collection->key), collection->chunk);
}

/* Reads the next chunk, on any thread: looks at nothing but the collection and the request's head. */
static void read_chunk(void *context)
{
    struct collection *collection = context;
    struct call_entities asked = { .transaction = entity_transaction(&collection->arena),
                                   .actor = takes_header(collection->request, TAKES_ACTOR),
                                   .token = entity_token_of(collection->request),
                                   .stale_fail_alone = collection->kind == UPDATES,
                                   .count = collection->left < collection->window ? collection->left
                                                                                  : collection->window };
    collection->status = ST_OK;
    asked.item = arena_make_n(&collection->arena, struct entity_item, asked.count);
    for (size_t i = 0; i < asked.count; i++, collection->left--) {
        bool is_there = json_next(&collection->each);
        must(is_there);
        if (collection->status == ST_OK)
            collection->status =
                read_item(collection, collection->each.value, &asked.item[i], &collection->error);
    }
    collection->asked = asked;
}

static enum status submit_chunk(struct collection *collection, struct error *err)
{
    *err = collection->error;
    TRY(collection->status);
    const struct call_origin origin = { &collection->arena, chunk_answered, collection,
                                        &collection->request->caller };
    struct call *call = call_write_entities(origin, &collection->asked);
    call->idempotency_key = key_of(collection);
    call->request_hash = collection->hash;
    request_leave_body(collection->request, call);
    TRY(submit_call(collection->request->api, call, 0, err));
    collection->request->call = call;
    return ST_OK;
}

/* The chunk has been read. Returns true if the next one can be; else this one is submitted, or was the last.
 */
static bool go_on(struct collection *collection)
{
    struct error err;
    if (submit_chunk(collection, &err) == ST_OK) return false;
    return !end_chunk(collection, NULL, &err);
}

static void chunk_read(void *context)
{
    if (go_on(context)) submit_chunks(context);
}

static void drop_chunk(void *context) { arena_done(&((struct collection *)context)->arena); }

/* Reads the next chunk and submits it; those that cannot be are over at once. */
static void submit_chunks(struct collection *collection)
{
    if (collection->is_large) {
        collection->aside = (struct aside_work){
            .run = read_chunk, .done = chunk_read, .drop = drop_chunk, .context = collection
        };
        aside_begin(collection->request->api, &collection->aside);
        return;
    }
    do read_chunk(collection);
    while (go_on(collection));
}

static enum status read_window(struct api_request *request, size_t *ret_window, struct error *err)
{
    str text = query_text(request, STR("transactionWindow"));
    int64_t window = ENTITY_WINDOW_DEFAULT;
    if (text.n && (!str_to_int64(text, &window) || window < 1 || window > ENTITY_WINDOW_MAX))
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "transactionWindow must be a number from 1 to %d",
                         ENTITY_WINDOW_MAX);
    *ret_window = (size_t)window;
    return ST_OK;
}

static enum status begin(struct api_request *request, enum collection_kind kind, const struct json *list,
                         struct collection **ret_collection, struct error *err)
{
    struct collection *collection = arena_make(request->http->arena, struct collection);
    if (!json_is(list, JSON_ARRAY)) return fail_item("the body must be a list", err);
    collection->left = json_count(list);
    if (!collection->left || collection->left > ENTITY_LIST_MAX)
        return fail_code(err, collection->left ? ST_LIMIT : ST_INVALID, "BAD_REQUEST",
                         "a list has 1 to %d items, not %zu (ENTITY_LIST_MAX)", ENTITY_LIST_MAX,
                         collection->left);
    TRY(read_window(request, &collection->window, err));
    TRY(submit_check_key(takes_header(request, TAKES_KEY), err));
    collection->request = request;
    collection->is_large = request->ahead && kind != DOCUMENTS;
    collection->kind = kind;
    collection->each = json_each(list);
    collection->replayed = true;
    collection->key =
        submit_own_key(&request->caller, takes_header(request, TAKES_KEY), request->http->arena);
    const uint64_t parts[] = { request_hash(request), collection->window };
    collection->hash = hash_bytes((str){ (const char *)parts, sizeof parts });
    buf_init(&collection->out, request->http->arena);
    buf_add_char(&collection->out, '[');
    arena_init(&collection->arena, 0);
    *ret_collection = collection;
    return ST_OK;
}

/* ---- handlers ---- */

enum status entity_create_list(struct api_request *request, const struct entity_item *item,
                               const struct json *list, struct error *err)
{
    struct collection *collection;
    TRY(begin(request, DOCUMENTS, list, &collection, err));
    collection->common = *item;
    submit_chunks(collection);
    return ST_OK;
}

static enum status write_list(struct api_request *request, enum collection_kind kind, struct error *err)
{
    struct collection *collection;
    const struct json *list;
    if (!str_equal(request->param[0], STR("JSON"))) return fail_item("a list of items is JSON", err);
    TRY(request_json(request, JSON_DEPTH_MAX, request->http->arena, &list, err));
    TRY(begin(request, kind, list, &collection, err));
    submit_chunks(collection);
    return ST_OK;
}

enum status entity_create_mixed(struct api_request *request, struct error *err)
{
    return write_list(request, CREATES, err);
}

enum status entity_update_list(struct api_request *request, struct error *err)
{
    return write_list(request, UPDATES, err);
}
