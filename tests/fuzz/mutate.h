/* tests/fuzz/mutate.h — changes a document as a tree.
 *
 * Flipping bytes seldom gives a definition that means something. So every other mutation
 * takes one value of the document and removes it, replaces it by another value of the same
 * document or by a word of the dialect, or puts another value beside it.
 */
#ifndef TESTS_FUZZ_MUTATE_H
#define TESTS_FUZZ_MUTATE_H

#include "fuzz.h"

/* libFuzzer's own; nobody calls it in a replay. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t size_max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t size_max, unsigned seed);

enum mutation { MUTATE_REMOVE, MUTATE_REPLACE, MUTATE_WORD, MUTATE_BESIDE, MUTATION_COUNT };

struct mutating {
    enum mutation mutation;
    const struct json *target;
    const struct json *other;
    str name; /* For a new member. */
    struct json_builder out;
};

static const char *const mutate_words[] = {
    "null",
    "true",
    "false",
    "0",
    "1",
    "3",
    "-1",
    "1.5",
    "\"\"",
    "{}",
    "[]",
    "\"a\"",
    "\"e\"",
    "\"j\"",
    "\"true\"",
    "\"n > 1\"",
    "\"ok\"",
    "\"${n + 1}\"",
    "\"${s}\"",
    "\"PT1S\"",
    "\"P1D\"",
    "\"SERVICE_TASK\"",
    "\"USER_TASK\"",
    "\"WAIT\"",
    "\"DECISION\"",
    "\"DECISION_TABLE\"",
    "\"TRANSFORMATION\"",
    "\"PARALLEL_GATEWAY\"",
    "\"JOIN_GATEWAY\"",
    "\"END\"",
    "\"U\"",
    "\"F\"",
    "\"A\"",
    "\"R\"",
    "\"C\"",
    "\"C+\"",
    "\"C#\"",
    "\"C>\"",
    "\"C<\"",
    "{\"true\":\"e\"}",
    "{\"n > 1\":\"a\",\"true\":\"e\"}",
    "[{\"type\":\"TIMER\",\"duration\":\"PT1S\",\"targetStepId\":\"e\"}]",
    "{\"properties\":{\"n\":{\"type\":\"number\"}}}",
    "\"EVENT\"",
    "\"OPERATION\"",
    "\"SWITCH\"",
    "\"DELAY\"",
    "\"PARALLEL\"",
    "\"SUBFLOW\"",
    "\"RELAY\"",
    "\"SEQUENTIAL\"",
    "\"S\"",
    "\"$\"",
    "\"$.n\"",
    "\"$.list\"",
    "\"$..a\"",
    "\"$.exception != null\"",
    "\"$.n < 3\"",
    "\"R2/PT1S\"",
    "\"R/PT1S\"",
    "\"e1 and not e2\"",
    "\"e1 or e2\"",
    "\"Exists\"",
    "\"http\"",
    "\"cloudevent\"",
    "\"emit\"",
    "\"local:f\"",
    "{\"nextState\":\"S\",\"condition\":\"$.n == 1\"}",
    "{\"inputCollection\":\"$.list\",\"outputCollection\":\"$.out\"}",
    "{\"inputPath\":\"$.o\",\"resultPath\":\"$.r\",\"outputPath\":\"$\"}",
    "[{\"condition\":\"$.exception != null\",\"interval\":\"PT1S\",\"max\":1,\"transition\":\"S\"}]",
};

static inline uint32_t mutate_count(const struct json *value)
{
    uint32_t count = 1;
    struct json_each each = json_each(value);
    while (json_next(&each)) count += mutate_count(each.value);
    return count;
}

/* The value with this number, counting from the root on; the name of its member. */
static inline const struct json *mutate_find(const struct json *value, uint32_t *number, str *ret_name)
{
    if ((*number)-- == 0) return value;
    struct json_each each = json_each(value);
    while (json_next(&each)) {
        *ret_name = each.name;
        const struct json *found = mutate_find(each.value, number, ret_name);
        if (found) return found;
    }
    return NULL;
}

static inline void mutate_copy(struct mutating *mutating, const struct json *value);

static inline void mutate_members(struct mutating *mutating, const struct json *value)
{
    bool object = json_is(value, JSON_OBJECT);
    struct json_each each = json_each(value);
    while (json_next(&each)) {
        bool here = each.value == mutating->target;
        if (here && mutating->mutation == MUTATE_REMOVE) continue;
        if (object) json_add_name(&mutating->out, each.name);
        mutate_copy(mutating, each.value);
        if (!here || mutating->mutation != MUTATE_BESIDE) continue;
        if (object && json_get(value, mutating->name)) continue;
        if (object) json_add_name(&mutating->out, mutating->name);
        json_add(&mutating->out, mutating->other);
    }
}

static inline void mutate_copy(struct mutating *mutating, const struct json *value)
{
    bool replaced = mutating->mutation == MUTATE_REPLACE || mutating->mutation == MUTATE_WORD;
    if (value == mutating->target && replaced) {
        json_add(&mutating->out, mutating->other);
    } else if (json_is(value, JSON_OBJECT) || json_is(value, JSON_ARRAY)) {
        if (json_is(value, JSON_OBJECT)) json_open_object(&mutating->out);
        else json_open_array(&mutating->out);
        mutate_members(mutating, value);
        json_close(&mutating->out);
    } else {
        json_add(&mutating->out, value);
    }
}

static inline const struct json *mutated(const struct json *document, struct choices *choices,
                                         struct arena *arena)
{
    struct mutating mutating = { .mutation = (enum mutation)choose(choices, MUTATION_COUNT) };
    uint32_t count = mutate_count(document), number = choose(choices, count);
    mutating.target = mutate_find(document, &number, &mutating.name);
    number = choose(choices, count);
    mutating.other = mutate_find(document, &number, &mutating.name);
    if (mutating.mutation == MUTATE_WORD)
        mutating.other = fuzz_parse(str_of(mutate_words[choose(choices, COUNT(mutate_words))]), arena);
    json_builder_init(&mutating.out, arena);
    mutate_copy(&mutating, document);
    return json_built(&mutating.out);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t size_max, unsigned seed)
{
    struct choices choices = { .seed = seed };
    struct arena arena;
    str text, rest;
    if (choose(&choices, 2)) return LLVMFuzzerMutate(data, size, size_max);
    fuzz_split((str){ (const char *)data, size }, &text, &rest);
    arena_init(&arena, 0);
    const struct json *document = fuzz_parse(text, &arena);
    bool deep = document && json_depth(document) > JSON_DEPTH_MAX / 2; /* Beside or inside: at most twice. */
    if (!json_is(document, JSON_OBJECT) || deep) {
        arena_done(&arena);
        return LLVMFuzzerMutate(data, size, size_max);
    }
    rest = arena_str(&arena, rest);
    for (uint32_t rounds = 1 + choose(&choices, 3); rounds; rounds--)
        document = mutated(document, &choices, &arena);
    str printed = fuzz_printed(json_print, document, &arena);
    size_t n = printed.n + 1 + rest.n;
    if (n <= size_max && json_depth(document) <= JSON_DEPTH_MAX) {
        memcpy(data, printed.p, printed.n);
        data[printed.n] = '\0';
        if (rest.n) memcpy(data + printed.n + 1, rest.p, rest.n);
        size = n;
    }
    arena_done(&arena);
    return size;
}

#endif
