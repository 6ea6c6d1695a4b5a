/* tests/fuzz/fuzz_history.c — stored histories: which document, then the bytes without a
 * checksum. The revision in them says which state of a fixed life they are replayed on.
 */

#include "documents.h"
#include "life.h"

static void check_round_trip(const struct history *history, struct arena *arena)
{
    struct buf out, again;
    struct history decoded;
    buf_init(&out, arena);
    buf_init(&again, arena);
    must(core_command_word(history->command)[0]);
    for (size_t i = 0; i < history->entry_count; i++) must(entry_word(history->entry[i].kind)[0]);
    history_encode(history, &out);
    must(history_decode(buf_str(&out), arena, &decoded, NULL) == ST_OK);
    must(decoded.entry_count == history->entry_count && decoded.revision == history->revision);
    history_encode(&decoded, &again);
    must(str_equal(buf_str(&out), buf_str(&again)));
}

/* Entries that lie may give any state, but one that holds the invariants can be stored. */
static void check_replay(const struct life *life, const struct history *history, struct arena *arena)
{
    const struct created created = { .id = 7 };
    const struct instance *before = life_before(life, history->revision), *after = NULL;
    struct error err = { 0 };
    if (!before && history->revision != 1) return;
    for (int with_program = 0; with_program < 2; with_program++) {
        const struct program *program = with_program ? life->program : NULL;
        if (core_replay(program, before, &created, history, arena, &after, &err) != ST_OK) {
            must(err.status == ST_INTERNAL && err.message[0]);
            continue;
        }
        str bytes = play_encoded(after, arena);
        if (core_verify(program, after, &err) != ST_OK) continue;
        must(str_equal(play_encoded(play_decoded(bytes, program, arena), arena), bytes));
    }
}

static void check_views(const struct life *life, const struct history *history, struct arena *arena)
{
    struct history all[LIFE_COMMANDS_MAX + 1];
    struct execution *row;
    size_t count, told = history->revision ? history->revision - 1 : 0;
    if (told > life->count) return;
    for (size_t i = 0; i < told; i++) all[i] = life->history[i];
    all[told] = *history;
    (void)core_executions(life->program, all, told + 1, arena, &row, &count, NULL);
    (void)core_executions(NULL, history, 1, arena, &row, &count, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) return 0;
    str body = { (const char *)data + 1, size - 1 };
    const struct life *life = life_of(data[0] % COUNT(documents));
    struct arena arena;
    struct history history;
    struct error err = { 0 };
    arena_init(&arena, 0);
    must(history_decode(body, &arena, &history, &err) == ST_INTERNAL || body.n > 8);
    if (history_decode(document_signed(body, &arena), &arena, &history, &err) == ST_OK) {
        check_round_trip(&history, &arena);
        check_replay(life, &history, &arena);
        check_views(life, &history, &arena);
    } else {
        must(err.status == ST_INTERNAL && err.message[0]);
    }
    arena_done(&arena);
    return 0;
}
