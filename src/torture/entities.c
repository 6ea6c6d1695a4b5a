/* torture/entities.c — a client that writes entities, its book, and the engine's entities against the book.
 *
 * One thread creates entities, one by one and in lists that are written in chunks, fires transitions and
 * deletes. Every request has a key. If one is cut off, it is the first that the thread of a later cycle
 * sends, again with its key; until then the book holds what the request may have done.
 */
#include "torture/torture_int.h"

#include "base/array.h"
#include "base/must.h"
#include "base/text_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    CHUNK = 2,  /* Entities of a list that are written together. */
    PAGE = 500, /* Entities that are read at once. */
    RETRY_US = 2000,
    NONE = -1,
};

#define MODEL "/api/model/y/1"
#define ENTITIES "/api/entity/JSON/y/1"

/* ---- the model ---- */

static const struct {
    const char *method, *path, *body;
} setup[] = {
    { "POST", "/api/model/import/JSON/SAMPLE_DATA/y/1",
      "{\"made\":1,\"item\":1,\"step\":1,\"key\":\"x\",\"pad\":\"x\"}" },
    { "PUT", MODEL "/indexes", "{\"fields\":[\"$.step\",\"$.made\"]}" },
    { "PUT", MODEL "/unique-keys", "{\"uniqueKeys\":[{\"id\":\"key\",\"fields\":[\"$.key\"]}]}" },
    { "POST", MODEL "/workflow/import",
      "{\"workflows\":[{\"version\":\"1\",\"name\":\"w\",\"initialState\":\"NEW\",\"states\":{"
      "\"NEW\":{\"transitions\":[{\"name\":\"OPEN\",\"next\":\"A\"}]},"
      "\"A\":{\"transitions\":[{\"name\":\"TO_B\",\"next\":\"B\",\"manual\":true}]},"
      "\"B\":{\"transitions\":[{\"name\":\"TO_A\",\"next\":\"A\",\"manual\":true}]}}}]}" },
    { "PUT", MODEL "/lock", "" },
};

enum status entities_deploy(struct http_client *client, struct arena *arena, struct error *err)
{
    for (size_t i = 0; i < COUNT(setup); i++) {
        struct http_answer answer;
        TRY(http_client_call(client, setup[i].method, str_of(setup[i].path), str_of(setup[i].body),
                             PATIENCE_MS, arena, &answer, err));
        if (answer.status != 200)
            return fail(err, ST_INTERNAL, setup[i].path, "%d %.*s", answer.status, STR_ARG(answer.body));
    }
    return ST_OK;
}

/* ---- the book ---- */

void entity_book_done(struct entity_book *book)
{
    free(book->entity);
    free(book->pending.body);
    *book = (struct entity_book){ 0 };
}

static void add_entity(struct entity_book *book, str id, uint32_t made, uint32_t item)
{
    array_reserve(book->entity, book->count, book->cap);
    struct book_entity *entity = &book->entity[book->count++];
    *entity = (struct book_entity){ .made = made, .item = item, .state = 'A' };
    snprintf(entity->id, sizeof entity->id, "%.*s", STR_ARG(id));
}

static bool has_item(const struct entity_book *book, uint32_t made, uint32_t item)
{
    for (size_t i = 0; i < book->count; i++)
        if (book->entity[i].made == made && book->entity[i].item == item) return true;
    return false;
}

/* The answer to a create has an element for each chunk, with the ids of its entities in their order. */
static bool take_created(struct entity_book *book, const struct json *chunks)
{
    const struct pending_write *write = &book->pending;
    uint32_t item = 0;
    if (!json_is(chunks, JSON_ARRAY)) return false;
    for (size_t i = 0; i < json_count(chunks); i++) {
        const struct json *ids = json_get(json_item(chunks, i), STR("entityIds"));
        uint32_t whole = write->count - item < CHUNK ? write->count - item : CHUNK;
        size_t count = json_is(ids, JSON_ARRAY) ? json_count(ids) : SIZE_MAX;
        if (count != whole && count != 0) return false;
        for (uint32_t k = 0; k < count; k++)
            if (!has_item(book, write->number, item + k))
                add_entity(book, json_string(json_item(ids, k)), write->number, item + k);
        item += whole;
    }
    return item == write->count;
}

/* The request was answered with success. */
static bool take_answer(struct entity_book *book, str body, struct arena *arena)
{
    const struct json *value;
    struct pending_write *write = &book->pending;
    if (json_parse(body, NULL, arena, &value, NULL) != ST_OK) return false;
    if (write->entity == NONE) return take_created(book, value);
    struct book_entity *entity = &book->entity[write->entity];
    if (write->deletes) entity->deleted = true;
    entity->step = write->step;
    entity->state = write->state;
    return true;
}

/* ---- writing ---- */

static str text_of_pad(struct load_member *member)
{
    size_t n = member->load->pad_bytes;
    char *pad = arena_alloc(&member->arena, n);
    memset(pad, '-', n);
    return (str){ pad, n };
}

static void put_document(struct load_member *member, struct buf *body, uint32_t made, uint32_t item,
                         uint32_t step)
{
    str pad = text_of_pad(member);
    buf_printf(body, "{\"made\":%u,\"item\":%u,\"step\":%u,\"key\":\"%u of %u at %u\",\"pad\":\"%.*s\"}",
               made, item, step, item, made, step, STR_ARG(pad));
}

static void plan_create(struct load_member *member, struct entity_book *book)
{
    struct pending_write *write = &book->pending;
    struct buf body;
    buf_init(&body, &member->arena);
    write->entity = NONE;
    write->count = lot_hits(&member->lot, 50) ? 1 : 1 + (uint32_t)lot_draw(&member->lot, ENTITY_ITEMS_MAX);
    buf_add_char(&body, '[');
    for (uint32_t i = 0; i < write->count; i++) {
        if (i) buf_add_char(&body, ',');
        put_document(member, &body, write->number, i, 0);
    }
    buf_add_char(&body, ']');
    write->method = "POST";
    snprintf(write->path, sizeof write->path, ENTITIES "?transactionWindow=%d", CHUNK);
    write->body = strndup(body.p, body.n);
    must(write->body);
}

static void plan_change(struct load_member *member, struct entity_book *book, size_t index)
{
    struct pending_write *write = &book->pending;
    const struct book_entity *entity = &book->entity[index];
    struct buf body;
    bool fires = lot_hits(&member->lot, 70);
    write->entity = (int)index;
    write->deletes = member->load->faults && lot_hits(&member->lot, 5);
    write->step = entity->step + !write->deletes;
    write->state = !write->deletes && fires ? (entity->state == 'A' ? 'B' : 'A') : entity->state;
    write->method = write->deletes ? "DELETE" : "PUT";
    if (write->deletes) snprintf(write->path, sizeof write->path, "/api/entity/%s", entity->id);
    else if (fires)
        snprintf(write->path, sizeof write->path, "/api/entity/JSON/%s/TO_%c", entity->id, write->state);
    else snprintf(write->path, sizeof write->path, "/api/entity/JSON/%s", entity->id);
    buf_init(&body, &member->arena);
    if (!write->deletes) put_document(member, &body, entity->made, entity->item, write->step);
    write->body = strndup(body.n ? body.p : "", body.n);
    must(write->body);
}

static void plan(struct load_member *member, struct entity_book *book)
{
    size_t index = book->count ? lot_draw(&member->lot, book->count) : 0;
    book->pending = (struct pending_write){ .number = ++book->writes };
    bool creates = book->count < ENTITY_BOOK_MAX && lot_hits(&member->lot, 25);
    if (creates || !book->count || book->entity[index].deleted) plan_create(member, book);
    else plan_change(member, book, index);
}

static void forget(struct entity_book *book)
{
    free(book->pending.body);
    book->pending = (struct pending_write){ 0 };
}

bool entities_turn(struct load_member *member)
{
    struct load *load = member->load;
    struct entity_book *book = &load->ledger->entities;
    struct pending_write *write = &book->pending;
    struct http_answer answer;
    char header[100];
    if (!write->number) plan(member, book);
    else atomic_fetch_add(&load->repeated, 1);
    snprintf(header, sizeof header, "Idempotency-Key: entity-%u\r\n", write->number);
    http_client_set_headers(member->client, str_of(header));
    enum status status = http_client_call(member->client, write->method, str_of(write->path),
                                          str_of(write->body), PATIENCE_MS, &member->arena, &answer, NULL);
    http_client_set_headers(member->client, STR_NONE);
    if (status != ST_OK) {
        atomic_fetch_add(&load->cut_off, 1);
        write->cut = true;
        return false;
    }
    if (answer.status == 507) atomic_fetch_add(&load->refused_full, 1);
    if (answer.status == 200) {
        if (!take_answer(book, answer.body, &member->arena))
            torture_find(load->torture, "%s %s was answered with %.*s", write->method, write->path,
                         STR_ARG(answer.body));
        load_acknowledged(load);
    } else if (answer.status == 503 || (answer.status == 507 && load->may_be_full)) {
        if (write->cut) { /* Again, until it is known what became of it. */
            usleep(RETRY_US);
            return true;
        }
    } else {
        torture_find(load->torture, "%s %s: %d %.*s", write->method, write->path, answer.status,
                     STR_ARG(answer.body));
    }
    forget(book);
    return true;
}

/* ---- verification ---- */

struct entity_verification {
    struct torture *torture;
    struct entity_book *book;
    struct text_map by_id; /* struct book_entity */
    bool made[ENTITY_ITEMS_MAX];
    size_t found;
    char after[ENTITY_ID_BYTES];
};

static uint32_t number_of(const struct json *object, const char *name)
{
    int64_t number;
    return json_int64(json_get(object, str_of(name)), &number) ? (uint32_t)number : UINT32_MAX;
}

/* An entity that the book does not have: the create that was cut off may have made it. */
static void check_unknown(struct entity_verification *of, str id, const struct json *data)
{
    const struct pending_write *write = &of->book->pending;
    uint32_t item = number_of(data, "item");
    bool is_own = write->cut && write->entity == NONE && number_of(data, "made") == write->number &&
                  item < write->count;
    if (!is_own) torture_find(of->torture, "entity %.*s was created by nobody", STR_ARG(id));
    else if (of->made[item] || has_item(of->book, write->number, item))
        torture_find(of->torture, "entity %.*s was created twice", STR_ARG(id));
    else of->made[item] = true;
}

static void check_entity(struct entity_verification *of, const struct json *shown)
{
    const struct json *meta = json_get(shown, STR("meta")), *data = json_get(shown, STR("data"));
    str id = json_text(meta, STR("id")), state = json_text(meta, STR("state"));
    struct book_entity *entity = text_map_get(&of->by_id, id);
    const struct pending_write *write = &of->book->pending;
    of->found++;
    snprintf(of->after, sizeof of->after, "%.*s", STR_ARG(id));
    if (!entity) {
        check_unknown(of, id, data);
        return;
    }
    bool changes = write->cut && write->entity == (int)(entity - of->book->entity);
    uint32_t step = number_of(data, "step");
    char letter = state.n == 1 ? state.p[0] : 0;
    bool is_known = step == entity->step && letter == entity->state;
    bool is_next = changes && !write->deletes && step == write->step && letter == write->state;
    if (entity->seen) torture_find(of->torture, "entity %s is listed twice", entity->id);
    if (entity->deleted) torture_find(of->torture, "entity %s was deleted and is there", entity->id);
    else if (!is_known && !is_next)
        torture_find(of->torture, "entity %s is at step %u in state %.*s, not at %u in %c", entity->id, step,
                     STR_ARG(state), entity->step, entity->state);
    entity->seen = true;
}

/* A page of entities, or the number of all. */
static const struct json *read_value(struct torture *torture, struct http_client *client, str path,
                                     struct arena *arena)
{
    struct http_answer answer;
    struct error err;
    const struct json *value;
    if (http_client_call(client, "GET", path, STR_NONE, PATIENCE_MS, arena, &answer, &err) != ST_OK)
        torture_find(torture, "GET %.*s: %s", STR_ARG(path), err.message);
    else if (answer.status != 200 || json_parse(answer.body, NULL, arena, &value, NULL) != ST_OK)
        torture_find(torture, "GET %.*s was answered with %d", STR_ARG(path), answer.status);
    else return value;
    return NULL;
}

static bool read_pages(struct entity_verification *of, struct http_client *client)
{
    size_t count;
    snprintf(of->after, sizeof of->after, "00000000-0000-0000-0000-000000000000");
    do {
        struct arena arena;
        arena_init(&arena, 0);
        const struct json *page =
            read_value(of->torture, client,
                       arena_printf(&arena, "/api/entity/y/1?pageSize=%d&after=%s", PAGE, of->after), &arena);
        count = page ? json_count(page) : 0;
        for (size_t i = 0; i < count; i++) check_entity(of, json_item(page, i));
        arena_done(&arena);
        if (!page) return false;
    } while (count);
    return true;
}

/* Reports entities that the book has and the engine did not show; and chunks of the list that was cut off. */
static void check_book(struct entity_verification *of)
{
    const struct pending_write *write = &of->book->pending;
    for (size_t i = 0; i < of->book->count; i++) {
        struct book_entity *entity = &of->book->entity[i];
        bool may_be_gone = write->cut && write->entity == (int)i && write->deletes;
        if (!entity->seen && !entity->deleted && !may_be_gone)
            torture_find(of->torture, "entity %s was acknowledged and is lost", entity->id);
        entity->seen = false;
    }
    if (!write->cut || write->entity != NONE) return;
    for (uint32_t i = 0; i + 1 < write->count; i += CHUNK)
        if (of->made[i] != of->made[i + 1])
            torture_find(of->torture, "half a chunk of the list %u was written", write->number);
}

void entities_verify(struct torture *torture, struct http_client *client)
{
    struct entity_verification of = { .torture = torture, .book = &torture->ledger.entities };
    struct arena arena;
    arena_init(&arena, 0);
    text_map_init(&of.by_id);
    for (size_t i = 0; i < of.book->count; i++)
        text_map_put(&of.by_id, str_of(of.book->entity[i].id), &of.book->entity[i]);
    if (read_pages(&of, client)) {
        check_book(&of);
        const struct json *stats = read_value(torture, client, STR("/api/entity/stats/y/1"), &arena);
        if (stats && number_of(stats, "count") != of.found)
            torture_find(torture, "%u entities are counted, and %zu are there", number_of(stats, "count"),
                         of.found);
        torture->report->verified += of.found;
    }
    text_map_done(&of.by_id);
    arena_done(&arena);
}
