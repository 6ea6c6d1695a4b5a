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

static void write_cells(const char *corpus)
{
    static const struct { const char *name, *text; } values[] = {
        { "null", "null" }, { "small", "-7" }, { "int", "9007199254740993" }, { "decimal", "12.50" },
        { "digits", "12345678901234567890.123" }, { "exponent", "-1e-400" }, { "text", "\"gr\xc3\xbcn\"" },
        { "empty", "[{},[],\"\"]" }, { "object", "{\"b\":1,\"a\":{\"c\":[true,false,null]},\"\":0.5}" },
        { "list-with-table", "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]" },
        { "object-with-table", "{\"q\":0,\"p\":1,\"o\":2,\"n\":3,\"m\":4,\"l\":5,\"k\":6,\"j\":7,\"i\":8,\"h\":9,"
                               "\"g\":10,\"f\":11,\"e\":12,\"d\":13,\"c\":14,\"b\":15,\"a\":16}" },
        { "patch", "[[\"\",{\"a\":1}]]" }, { "nested", "[[[[[[[[[[1]]]]]]]]]]" },
    };
    struct arena arena;
    arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(values); i++) {
        const struct json *value = fuzz_parse(str_of(values[i].text), &arena);
        must(value);
        write_seed(corpus, "cells", values[i].name, -1, json_encoded(value));
    }
    arena_done(&arena);
}

static str without_checksum(const struct buf *stored) { return str_slice(buf_str(stored), 0, stored->n - 8); }

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
        write_seed(corpus, "state", name, (int)document, without_checksum(&state));
        write_seed(corpus, "history", name, (int)document, without_checksum(&history));
    }
    arena_done(&arena);
}

int main(int count, char **argument)
{
    must(count == 2);
    write_cells(argument[1]);
    for (size_t i = 0; i < COUNT(documents); i++) write_life(argument[1], i);
    return 0;
}
