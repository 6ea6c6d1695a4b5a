/* torture/verify.c — compares the engine's instances with the clients' ledger.
 *
 *  (1) Everything that was acknowledged is there.
 *  (2) Nothing is there twice: a start made one instance, a step has one result.
 *  (3) Nothing is there that was refused or that no client asked for.
 *  (4) An instance that has ended has ended in a way that a client asked for.
 *  (5) Entities are as their client was told (entities.c).
 *  (6) The store passes its own check, with all histories replayed.
 */
#include "torture/torture_int.h"

#include "base/map.h"
#include "base/must.h"
#include "base/text_map.h"
#include "runtime/entities/entities.h"
#include "source/source.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const kind_words[] = {
    [EFFECT_START] = "start",           [EFFECT_COMPLETE] = "result of a job",
    [EFFECT_FAIL] = "failure of a job", [EFFECT_RETRY] = "retry",
    [EFFECT_SIGNAL] = "signal",         [EFFECT_TASK] = "decision about a task",
    [EFFECT_CANCEL] = "cancellation",
};

/* The steps whose results a completed instance of each definition has. */
static const struct {
    char definition;
    const char *steps;
} shapes[] = {
    { 'l', "ab" }, { 'q', "pc" }, { 'h', "wd" }, { 'o', "t" }, { 'e', "e" }, { 's', "k" }, { 'k', "k" },
};

/* One instance, as the engine shows it. */
struct book {
    char id[ID_BYTES];
    bool failed, cancelled;
    bool retried; /* According to the ledger, a client asked for a retry. */
    char definition;
};

/* A child has its parent's variables beside its own, and in the end the parent has the child's. */
static bool is_of_family(const struct book *book, const struct effect *effect)
{
    return (book->definition == 'k' && effect->kind == EFFECT_START) ||
           (book->definition == 's' && effect->kind == EFFECT_COMPLETE);
}

struct verification {
    struct torture *torture;
    struct ledger *ledger;
    struct arena arena;
    struct text_map books;
    size_t count, live;
};

static bool is_possible(const struct effect *effect) { return effect->acked || effect->cut; }

/* The effect that has this marker, or NULL. */
static struct effect *effect_of(const struct verification *verification, str marker)
{
    int64_t number;
    if (marker.n < 2 || marker.p[0] != 'm' || !str_to_int64(str_slice(marker, 1, marker.n), &number))
        return NULL;
    if (number < 0 || (uint64_t)number >= verification->ledger->count) return NULL;
    return &verification->ledger->effect[number];
}

/* ---- one instance ---- */

static void check_marker(const struct verification *verification, const struct book *book, str marker,
                         str step, uint8_t *results)
{
    struct torture *torture = verification->torture;
    struct effect *effect = effect_of(verification, marker);
    if (!effect) {
        torture_find(torture, "instance %s has a %.*s that nobody sent", book->id, STR_ARG(marker));
        return;
    }
    const char *word = kind_words[effect->kind];
    if (step.n == 1) results[(uint8_t)step.p[0]]++;
    if (is_of_family(book, effect)) return;
    effect->seen++;
    if (!is_possible(effect))
        torture_find(torture, "instance %s: a %s that was refused took effect (%.*s)", book->id, word,
                     STR_ARG(marker));
    if (effect->seen > 1)
        torture_find(torture, "a %s took effect %u times (%.*s)", word, effect->seen, STR_ARG(marker));
    if (effect->instance[0] && strcmp(effect->instance, book->id) != 0)
        torture_find(torture, "a %s for instance %s took effect in instance %s", word, effect->instance,
                     book->id);
}

static void check_results(const struct verification *verification, const struct book *book, bool completed,
                          const uint8_t *results)
{
    struct torture *torture = verification->torture;
    for (int step = 'a'; step <= 'z'; step++)
        if (results[step] > 1)
            torture_find(torture, "instance %s: step %c has %u results", book->id, step, results[step]);
    for (size_t i = 0; i < COUNT(shapes) && completed; i++) {
        if (shapes[i].definition != book->definition) continue;
        for (const char *step = shapes[i].steps; *step; step++)
            if (!results[(uint8_t)*step])
                torture_find(torture, "instance %s has completed without a result of step %c", book->id,
                             *step);
    }
}

/* Checks that a client asked for the failure or cancellation of the instance. */
static void check_reason(const struct verification *verification, const struct book *book,
                         const struct json *instance)
{
    str reason = json_text(instance, STR("failureReason"));
    const struct effect *effect = effect_of(verification, reason);
    enum effect_kind kind = book->failed ? EFFECT_FAIL : EFFECT_CANCEL;
    if (!effect || effect->kind != kind || !is_possible(effect) || strcmp(effect->instance, book->id) != 0)
        torture_find(verification->torture, "instance %s has %s, and nobody did that: \"%.*s\"", book->id,
                     book->failed ? "failed" : "been cancelled", STR_ARG(reason));
}

static void note_manual_steps(const struct verification *verification, const struct book *book,
                              const struct json *instance)
{
    struct json_each each = json_each(json_get(instance, STR("currentStepIds")));
    while (json_next(&each)) {
        str step = json_is(each.value, JSON_STRING) ? json_string(each.value) : STR_NONE;
        if (str_equal(step, STR("p")) || str_equal(step, STR("w")))
            ledger_add_manual(verification->ledger, str_of(book->id), step.p[0]);
    }
}

static void check_instance(struct verification *verification, const struct json *instance)
{
    if (str_equal(json_text(instance, STR("definitionId")), STR("y.1"))) return; /* An entity. */
    struct book *book = arena_make(&verification->arena, struct book);
    uint8_t results[256] = { 0 };
    bool marked = false;
    str status = json_text(instance, STR("status")), definition = json_text(instance, STR("definitionId"));
    snprintf(book->id, sizeof book->id, "%.*s", STR_ARG(json_text(instance, STR("id"))));
    book->failed = str_equal(status, STR("FAILED"));
    book->cancelled = str_equal(status, STR("CANCELLED"));
    book->definition = definition.n ? definition.p[0] : 0;
    bool completed = str_equal(status, STR("COMPLETED"));
    verification->count++;
    if (text_map_put(&verification->books, str_of(book->id), book))
        torture_find(verification->torture, "instance %s is listed twice", book->id);

    struct json_each each = json_each(json_get(instance, STR("variables")));
    while (json_next(&each)) {
        if (str_equal(each.name, STR("pad"))) continue;
        str step = json_is(each.value, JSON_STRING) ? json_string(each.value) : STR_NONE;
        marked |= str_equal(step, STR("start"));
        check_marker(verification, book, each.name, step, results);
    }
    if (!marked) torture_find(verification->torture, "instance %s was started by nobody", book->id);
    check_results(verification, book, completed, results);
    if (book->failed || book->cancelled) {
        check_reason(verification, book, instance);
    } else if (!completed) {
        verification->live++;
        note_manual_steps(verification, book, instance);
    }
}

/* ---- all of them ---- */

static bool read_page(struct verification *verification, struct http_client *client, char *cursor)
{
    struct http_answer answer;
    struct error err;
    const struct json *page;
    struct arena arena;
    arena_init(&arena, 0);
    str path = arena_printf(&arena, "/v1/instances?pageSize=200%s%s", *cursor ? "&cursor=" : "", cursor);
    bool good = false;
    if (http_client_call(client, "GET", path, STR_NONE, PATIENCE_MS, &arena, &answer, &err) != ST_OK) {
        torture_find(verification->torture, "GET /v1/instances: %s", err.message);
    } else if (answer.status != 200 || json_parse(answer.body, NULL, &arena, &page, NULL) != ST_OK) {
        torture_find(verification->torture, "GET /v1/instances was answered with %d", answer.status);
    } else {
        struct json_each each = json_each(json_get(page, STR("items")));
        while (json_next(&each)) check_instance(verification, each.value);
        snprintf(cursor, ID_BYTES * 2, "%.*s", STR_ARG(json_text(page, STR("nextCursor"))));
        good = true;
    }
    arena_done(&arena);
    return good;
}

static bool read_all(struct verification *verification, uint16_t port)
{
    struct http_client *client;
    char url[64], cursor[ID_BYTES * 2] = "";
    snprintf(url, sizeof url, "http://127.0.0.1:%u", port);
    must(http_client_new(str_of(url), &client, NULL) == ST_OK);
    bool good;
    do good = read_page(verification, client, cursor);
    while (good && *cursor);
    if (good) entities_verify(verification->torture, client);
    http_client_free(client);
    return good;
}

/* The first result of a job counts, whichever worker holds the job. A result that was cut off and sent
 * again in a later run may have come before that of the present worker. */
static bool is_beaten(const struct ledger *ledger, const struct effect *effect)
{
    for (size_t i = 0; i < ledger->count; i++) {
        const struct effect *other = &ledger->effect[i];
        bool same = other->step == effect->step || effect->kind == EFFECT_FAIL;
        if (other != effect && other->kind == EFFECT_COMPLETE && other->cut && other->seen && same &&
            strcmp(other->instance, effect->instance) == 0)
            return true;
    }
    return false;
}

/* Effects that are in the ledger and that no instance showed. */
static void check_effect(const struct verification *verification, uint32_t number)
{
    const struct effect *effect = &verification->ledger->effect[number];
    const struct book *book = text_map_get(&verification->books, str_of(effect->instance));
    bool lost = false;
    if (!effect->binding) return;
    switch (effect->kind) {
    case EFFECT_START: lost = !effect->seen; break;
    case EFFECT_CANCEL: lost = !book || !book->cancelled; break;
    case EFFECT_FAIL: lost = !book || (effect->step == 'F' && !book->failed && !book->retried); break;
    /* A result for a job of a cancelled instance comes too late; its worker is not told. */
    default: lost = !book || (!effect->seen && !book->cancelled); break;
    }
    bool reports = effect->kind == EFFECT_COMPLETE || effect->kind == EFFECT_FAIL;
    if (lost && !(reports && is_beaten(verification->ledger, effect)))
        torture_find(verification->torture, "an acknowledged %s is lost (m%u, instance %s)",
                     kind_words[effect->kind], number, effect->instance[0] ? effect->instance : "unknown");
}

void verify_books(struct torture *torture, uint16_t port, size_t *ret_live)
{
    struct verification verification = { .torture = torture, .ledger = &torture->ledger };
    struct ledger *ledger = &torture->ledger;
    arena_init(&verification.arena, 0);
    text_map_init(&verification.books);
    for (size_t i = 0; i < ledger->count; i++) ledger->effect[i].seen = 0;
    ledger->manual_count = 0;
    if (read_all(&verification, port)) {
        for (size_t i = 0; i < ledger->count; i++) {
            const struct effect *effect = &ledger->effect[i];
            struct book *book = text_map_get(&verification.books, str_of(effect->instance));
            if (book && effect->kind == EFFECT_RETRY && is_possible(effect)) book->retried = true;
        }
        for (size_t i = 0; i < ledger->count; i++) check_effect(&verification, (uint32_t)i);
    }
    ledger->started = verification.count;
    ledger->ended = verification.count - verification.live;
    torture->report->verified += verification.count;
    *ret_live = verification.live;
    text_map_done(&verification.books);
    arena_done(&verification.arena);
}

/* ---- the store ---- */

static void found(void *context, const char *sentence) { torture_find(context, "store check: %s", sentence); }

static struct program *compile(str source, struct arena *arena)
{
    struct problems problems;
    problems_init(&problems, arena);
    return source_compile(source, SOURCE_JSON, source.n, &problems, NULL);
}

void verify_store(struct torture *torture)
{
    const struct store_config config = { .path = torture->directory.store,
                                         .read_only = true,
                                         .must_not_migrate = true };
    struct store *store;
    struct error err;
    int64_t instances;
    enum status status = store_open(&config, &store, &err);
    if (status == ST_OK) {
        status = store_check(store, true, compile, found, torture, &instances, &err);
        if (status == ST_OK) status = entity_check_rows(store, found, torture, &err);
        store_close(store);
    }
    if (status != ST_OK) torture_find(torture, "store check: %s", err.message);
    torture->report->checks++;
}
