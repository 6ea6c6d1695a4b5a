/* tests/fuzz/life.h — the life of an instance of each document, command by command: what
 * seeds are made of and what forged histories are replayed on. */
#ifndef TESTS_FUZZ_LIFE_H
#define TESTS_FUZZ_LIFE_H

#include "documents.h"
#include "play.h"

enum { LIFE_COMMANDS_MAX = PLAY_COMMANDS_MAX, LIVES = 32 };

struct life {
    const struct program *program;
    const struct history *history;
    const struct instance *after[LIFE_COMMANDS_MAX]; /* Each history's. */
    size_t count;
};

/* Plays one life; most end early. */
static inline struct play *life_play(uint64_t seed, struct life *life)
{
    struct play *play = malloc(sizeof *play);
    must(play);
    play_begin(play, life->program);
    struct choices choices = { .seed = seed };
    must(play_start(play, &choices) == ST_OK);
    life->after[0] = play->instance;
    for (int i = 0; i < 4 * LIFE_COMMANDS_MAX && play->history_count < LIFE_COMMANDS_MAX; i++) {
        play_any(play, &choices);
        life->after[play->history_count - 1] = play->instance;
    }
    life->history = play->history;
    life->count = play->history_count;
    return play;
}

/* The longest of several, lived once and kept. */
static inline const struct life *life_of(size_t document)
{
    static struct life lives[COUNT(documents)];
    static struct play *kept[COUNT(documents)];
    if (kept[document]) return &lives[document];
    for (uint64_t seed = 1; seed <= LIVES; seed++) {
        struct life life = { .program = document_program(document) };
        struct play *play = life_play(seed, &life);
        if (kept[document] && life.count <= lives[document].count) {
            play_end(play);
            free(play);
            continue;
        }
        if (kept[document]) play_end(kept[document]);
        free(kept[document]);
        kept[document] = play;
        lives[document] = life;
    }
    return &lives[document];
}

/* The state that a history of this revision follows, or NULL. */
static inline const struct instance *life_before(const struct life *life, uint32_t revision)
{
    return revision >= 2 && revision - 2 < life->count ? life->after[revision - 2] : NULL;
}

#endif
