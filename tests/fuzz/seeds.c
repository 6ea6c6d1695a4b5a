/* tests/fuzz/seeds.c — writes the seeds of the binary formats.
 *
 * usage: seeds CORPUS
 */

#include "life.h"

#include <stdio.h>

static void write_seed(const char *corpus, const char *target, const char *name, int first, str bytes)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s/%s", corpus, target, name);
    FILE *file = fopen(path, "wb");
    must(file);
    if (first >= 0) must(fputc(first, file) == first);
    must(fwrite(bytes.p, 1, bytes.n, file) == bytes.n);
    must(fclose(file) == 0);
}

/* ---- JSON ---- */

static const struct {
    const char *name, *text;
} values[] = {
    { "null", "null" },
    { "small", "-7" },
    { "int", "9007199254740993" },
    { "decimal", "12.50" },
    { "digits", "12345678901234567890.123" },
    { "exponent", "-1e-400" },
    { "text", "\"gr\xc3\xbcn\"" },
    { "empty", "[{},[],\"\"]" },
    { "object", "{\"b\":1,\"a\":{\"c\":[true,false,null]},\"\":0.5}" },
    { "list-with-table", "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]" },
    { "object-with-table", "{\"q\":0,\"p\":1,\"o\":2,\"n\":3,\"m\":4,\"l\":5,\"k\":6,\"j\":7,\"i\":8,\"h\":9,"
                           "\"g\":10,\"f\":11,\"e\":12,\"d\":13,\"c\":14,\"b\":15,\"a\":16}" },
    { "patch", "[[\"\",{\"a\":1}]]" },
    { "nested", "[[[[[[[[[[1]]]]]]]]]]" },
};

/* The value's cells with one byte changed: each breaks one rule, and only that. */
static const struct {
    const char *name, *text;
    size_t at;
    uint8_t byte;
} damages[] = {
    { "lie-padding", "\"abc\"", 7, 'x' },
    { "lie-utf8", "\"abcd\"", 5, 0xff },
    { "lie-small-as-int", "134217733", 7, 0 }, /* An INT that would be SMALL. */
    { "lie-double", "12.50", 4, 1 },           /* Not the nearest. */
    { "lie-number", "12.50", 12, '0' },        /* 02.50 */
    { "lie-repeat", "{\"a\":1,\"b\":2}", 20, 'a' },
    { "lie-count", "[1,2]", 0, 0x37 }, /* Three. */
    { "lie-body", "[1,2]", 4, 3 },
    { "lie-tag", "[1,2]", 8, 0x0f },
    { "lie-array-table", "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]", 76, 2 },
};

static void write_cells(const char *corpus)
{
    struct arena arena;
    arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(values); i++) {
        const struct json *value = fuzz_parse(str_of(values[i].text), &arena);
        must(value);
        write_seed(corpus, "cells", values[i].name, -1, json_encoded(value));
    }
    for (size_t i = 0; i < COUNT(damages); i++) {
        const struct json *value = fuzz_parse(str_of(damages[i].text), &arena);
        must(value);
        str cells = arena_str(&arena, json_encoded(value));
        must(damages[i].at < cells.n);
        char *bytes = memcpy(arena_alloc(&arena, cells.n), cells.p, cells.n);
        bytes[damages[i].at] = (char)damages[i].byte;
        write_seed(corpus, "cells", damages[i].name, -1, (str){ bytes, cells.n });
    }
    arena_done(&arena);
}

/* The same for tables: two entries change places. */
static void write_unsorted(const char *corpus)
{
    struct arena arena;
    arena_init(&arena, 0);
    const struct json *value = fuzz_parse(str_of(values[10].text), &arena);
    str cells = json_encoded(value);
    char *bytes = memcpy(arena_alloc(&arena, cells.n), cells.p, cells.n);
    memcpy(bytes + cells.n - 8, cells.p + cells.n - 4, 4);
    memcpy(bytes + cells.n - 4, cells.p + cells.n - 8, 4);
    write_seed(corpus, "cells", "lie-unsorted", -1, (str){ bytes, cells.n });
    arena_done(&arena);
}

/* ---- states and histories ---- */

static str without_checksum(const struct buf *stored) { return str_slice(buf_str(stored), 0, stored->n - 8); }

/* A text longer than the targets read is no seed. */
enum { SEED_BYTES_MAX = 1000 };

static void write_life(const char *corpus, size_t document)
{
    const struct life *life = life_of(document);
    struct arena arena;
    char name[32];
    arena_init(&arena, 0);
    for (size_t i = 0; i < life->count; i++) {
        struct buf state, history;
        buf_init(&state, &arena);
        buf_init(&history, &arena);
        core_encode(life->after[i], &state);
        history_encode(&life->history[i], &history);
        snprintf(name, sizeof name, "life%zu-%02zu", document, i + 1);
        if (state.n <= SEED_BYTES_MAX)
            write_seed(corpus, "state", name, (int)document, without_checksum(&state));
        if (history.n <= SEED_BYTES_MAX)
            write_seed(corpus, "history", name, (int)document, without_checksum(&history));
    }
    arena_done(&arena);
}

static void write_state_lie(const char *corpus, const char *name, int document,
                            const struct instance *instance)
{
    struct buf out;
    buf_init(&out, NULL);
    core_encode(instance, &out);
    write_seed(corpus, "state", name, document, without_checksum(&out));
    buf_done(&out);
}

/* States of the first document, each with one thing in it that cannot be. */
static void write_state_lies(const char *corpus)
{
    const struct instance *first = life_of(0)->after[0];
    static const char *const names[] = {
        "lie-token-state", "lie-job-payload", "lie-job-attempt", "lie-next-number",
        "lie-revision",    "lie-data",        "lie-created",
    };
    struct token token[8];
    struct job job[8];
    must(first->token_count <= COUNT(token) && first->job_count && first->job_count <= COUNT(job));
    for (size_t i = 0; i < COUNT(names); i++) {
        struct instance lie = *first;
        memcpy(token, first->token, first->token_count * sizeof *token);
        memcpy(job, first->job, first->job_count * sizeof *job);
        lie.token = token;
        lie.job = job;
        switch (i) {
        case 0: token[first->token_count - 1].state = TOKEN_STATE_COUNT; break; /* The one without a job. */
        case 1: job[0].payload = json_empty_array(); break;
        case 2: job[0].attempt = 0; break;
        case 3: lie.next_number = UINT32_MAX; break;
        case 4: lie.revision = UINT32_MAX; break;
        case 5: lie.data = json_null(); break;
        case 6: lie.created_ms = INT64_MIN; break;
        }
        write_state_lie(corpus, names[i], 0, &lie);
    }
}

/* The same for what only a flow has: regions, mail, jobs with an input. */
static void write_flow_lies(const char *corpus)
{
    static const char *const names[] = {
        "lie-region-state", "lie-region-host", "lie-region-index", "lie-region-parent", "lie-region-data",
        "lie-mail-event",   "lie-mail-number", "lie-performer",    "lie-rules",         "lie-error",
    };
    static const uint32_t used[2] = { 1, UINT32_MAX };
    const struct life *life = life_of(FLOW_DOCUMENT);
    const struct instance *chosen = NULL;
    for (size_t i = 0; i < life->count; i++) {
        const struct instance *one = life->after[i];
        if (one->scope_count && one->mail_count && one->job_count) chosen = one;
    }
    must(chosen && chosen->scope_count <= 16 && chosen->mail_count <= 64 && chosen->job_count <= 16);
    for (size_t i = 0; i < COUNT(names); i++) {
        struct instance lie = *chosen;
        struct scope scope[16];
        struct job job[16];
        struct mail mail[64];
        memcpy(scope, chosen->scope, chosen->scope_count * sizeof *scope);
        memcpy(job, chosen->job, chosen->job_count * sizeof *job);
        memcpy(mail, chosen->mail, chosen->mail_count * sizeof *mail);
        lie.scope = scope, lie.job = job, lie.mail = mail;
        switch (i) {
        case 0: scope[0].state = (enum region_state)(REGION_DETACHED + 1); break;
        case 1: scope[0].host = 999; break;
        case 2: scope[0].index = 99; break;
        case 3: scope[0].parent = scope[0].number; break;
        case 4: scope[0].data = NULL; break;
        case 5: mail[0].event = json_empty_array(); break;
        case 6: mail[0].number = 0; break;
        case 7: job[0].performer = PERFORMER_COUNT; break;
        case 8: job[0].used = used, job[0].used_count = COUNT(used); break;
        case 9: lie.error = json_null(); break;
        }
        write_state_lie(corpus, names[i], FLOW_DOCUMENT, &lie);
    }
}

static void write_history_lie(const char *corpus, const char *name, enum command_kind command,
                              const struct entry *entry, size_t count)
{
    const struct history history = {
        .command = command, .revision = command == COMMAND_START ? 1 : 2, .entry = entry, .entry_count = count
    };
    struct buf out;
    buf_init(&out, NULL);
    history_encode(&history, &out);
    write_seed(corpus, "history", name, 0, without_checksum(&out));
    buf_done(&out);
}

static void write_history_lies(const char *corpus)
{
    uint32_t free_number = life_of(0)->after[0]->next_number;
    const struct entry entries[] = {
        { .kind = ENTRY_KIND_ENTER, .execution = free_number, .node = STR("a"), .scope = 999 },
        { .kind = ENTRY_KIND_ENTER, .execution = UINT32_MAX, .node = STR("a") },
        { .kind = ENTRY_KIND_PARK, .execution = 3, .value = TOKEN_STATE_COUNT },
        { .kind = ENTRY_KIND_JOB_OPEN, .execution = 3, .number = free_number, .from = 2 },
        { .kind = ENTRY_KIND_TIMER_OPEN, .execution = 3, .number = free_number, .value = 99 },
        { .kind = ENTRY_KIND_DATA, .value = MERGE_DEEP + 1, .json = json_empty_object() },
        { .kind = ENTRY_KIND_DATA, .json = json_empty_array() },
        { .kind = ENTRY_KIND_STATUS, .value = INSTANCE_STATUS_COUNT },
        { .kind = ENTRY_KIND_SCOPE_OPEN, .scope = free_number, .from = free_number, .node = STR("f") },
        { .kind = ENTRY_KIND_FORGET, .execution = 3 },
        { .kind = ENTRY_KIND_REGION_OPEN,
          .scope = free_number,
          .execution = 3,
          .node = STR("f"),
          .json = json_null() },
        { .kind = ENTRY_KIND_REGION_END, .scope = 2, .value = REGION_DETACHED },
        { .kind = ENTRY_KIND_SCOPE_DATA, .scope = 999, .json = json_null() },
        { .kind = ENTRY_KIND_JOB_INPUT, .number = 7, .value = PERFORMER_COUNT, .json = json_null() },
        { .kind = ENTRY_KIND_JOB_RULE, .number = 7, .value = 1, .from = 1 },
        { .kind = ENTRY_KIND_MAIL_IN, .number = free_number, .json = json_null() },
        { .kind = ENTRY_KIND_MAIL_OUT, .number = 3 },
        { .kind = ENTRY_KIND_DATA_CUT, .json = json_null() },
        { .kind = ENTRY_KIND_CORRELATE },
        { .kind = ENTRY_KIND_ERROR, .json = json_null() },
        { .kind = ENTRY_KIND_BORN, .time_ms = -1, .value = 2 },
        { .kind = ENTRY_KIND_FAMILY, .time_ms = -1, .value = 2 },
        { .kind = ENTRY_KIND_CHAINED, .time_ms = -1 },
    };
    char name[32];
    for (size_t i = 0; i < COUNT(entries); i++) {
        snprintf(name, sizeof name, "lie-entry-%zu", i);
        write_history_lie(corpus, name, COMMAND_SIGNAL, &entries[i], 1);
    }
    write_history_lie(corpus, "lie-start", COMMAND_START, entries, COUNT(entries));
    write_history_lie(corpus, "lie-command", COMMAND_COUNT, NULL, 0);
}

/* An entry of a kind that is none. A history without entries is as long as what is before
 * the first one's kind. */
static void write_kind_lie(const char *corpus)
{
    const struct entry entry = { .kind = ENTRY_KIND_LEAVE, .execution = 3 };
    struct history history = { .command = COMMAND_SIGNAL, .revision = 2 };
    struct buf out;
    buf_init(&out, NULL);
    history_encode(&history, &out);
    size_t at = without_checksum(&out).n;
    out.n = 0;
    history.entry = &entry;
    history.entry_count = 1;
    history_encode(&history, &out);
    out.p[at] = ENTRY_KIND_COUNT;
    write_seed(corpus, "history", "lie-kind", 0, without_checksum(&out));
    buf_done(&out);
}

int main(int count, char **argument)
{
    must(count == 2);
    const char *corpus = argument[1];
    write_cells(corpus);
    write_unsorted(corpus);
    for (size_t i = 0; i < COUNT(documents); i++) write_life(corpus, i);
    write_state_lies(corpus);
    write_flow_lies(corpus);
    write_history_lies(corpus);
    write_kind_lie(corpus);
    return 0;
}
