/* tests/fuzz/fuzz_state.c — stored states: which document, then the bytes without a checksum.
 *
 * A store may be damaged in any way. What the decoder takes is fit to go on with: commands
 * neither crash nor break an invariant.
 */

#include "documents.h"
#include "play.h"

enum { COMMANDS = 4 };

static void check_without_program(str bytes, const struct instance *instance, struct arena *arena)
{
    const struct instance *bare = play_decoded(bytes, NULL, arena);
    for (size_t i = 0; i < bare->token_count; i++) {
        must(bare->token[i].node == NODE_NONE);
        must(core_explain(NULL, bare, &bare->token[i], 0, arena).n);
    }
    must(str_equal(play_encoded(bare, arena), play_encoded(instance, arena)));
}

static void go_on(const struct program *program, str bytes, struct choices choices)
{
    struct play *play = malloc(sizeof *play);
    must(play);
    play_begin(play, program);
    play->instance = play_decoded(bytes, program, &play->arena);
    for (int i = 0; i < COMMANDS; i++) play_any(play, &choices);
    play_end(play);
    free(play);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) return 0;
    str body = { (const char *)data + 1, size - 1 };
    const struct program *program = document_program(data[0] % COUNT(documents));
    const struct instance *instance = NULL;
    struct arena arena;
    struct error err = { 0 };
    arena_init(&arena, 0);
    must(core_decode(body, program, &arena, &instance, &err) == ST_INTERNAL || body.n > 8);
    str bytes = document_signed(body, &arena);
    if (core_decode(bytes, program, &arena, &instance, &err) == ST_OK) {
        play_check_state(program, instance, 0, &arena);
        check_without_program(bytes, instance, &arena);
        go_on(program, bytes, choices_from(STR_NONE, body));
    } else {
        must(err.status == ST_INTERNAL && err.message[0]);
    }
    arena_done(&arena);
    return 0;
}
