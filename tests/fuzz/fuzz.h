/* tests/fuzz/fuzz.h — what the targets share.
 *
 * A target is a file fuzz_<name>.c with one LLVMFuzzerTestOneInput. It states properties
 * with must(): one that does not hold aborts, and libFuzzer or the replay reports it. The
 * input ends where readable memory ends, so reading behind it is noticed.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include "base/hash.h"
#include "base/limits.h"
#include "base/must.h"
#include "json/json.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- cutting the input ---- */

/* Many formats cannot hold a NUL: it ends the first part. Without one the second is empty. */
static inline void fuzz_split(str input, str *ret_first, str *ret_second)
{
    const char *mark = input.n ? memchr(input.p, '\0', input.n) : NULL;
    size_t n = mark ? (size_t)(mark - input.p) : input.n;
    *ret_first = str_slice(input, 0, n);
    *ret_second = str_slice(input, n + 1, input.n);
}

/* The input says what to do next while it lasts. Then the seed does. */
struct choices {
    str left;
    uint64_t seed;
};

static inline struct choices choices_from(str bytes, str origin)
{
    return (struct choices){ bytes, hash_bytes(origin) };
}

static inline uint32_t choose(struct choices *choices, uint32_t bound)
{
    if (choices->left.n) {
        uint8_t byte = (uint8_t)choices->left.p[0];
        choices->left = str_slice(choices->left, 1, choices->left.n);
        return byte % bound;
    }
    choices->seed = choices->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(choices->seed >> 33) % bound;
}

/* ---- bytes with nothing behind them ---- */

static inline str fuzz_block(str bytes)
{
    char *p = malloc(bytes.n ? bytes.n : 1);
    must(p);
    if (bytes.n) memcpy(p, bytes.p, bytes.n);
    return (str){ p, bytes.n };
}

static inline void fuzz_block_free(str block) { free((void *)(uintptr_t)block.p); }

/* ---- values ---- */

/* NULL if it does not parse. */
static inline const struct json *fuzz_parse(str text, struct arena *arena)
{
    const struct json *value = NULL;
    return json_parse(text, NULL, arena, &value, NULL) == ST_OK ? value : NULL;
}

typedef void fuzz_print_fn(const struct json *value, struct buf *out);

static inline str fuzz_printed(fuzz_print_fn *print, const struct json *value, struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    print(value, &out);
    return buf_str(&out);
}

static inline bool fuzz_same_cells(const struct json *a, const struct json *b)
{
    str one = json_encoded(a), two = json_encoded(b);
    return str_equal(one, two);
}

/* Whoever made the value: its cells are sound, and its text gives the same cells again. */
static inline void fuzz_check_value(const struct json *value, struct arena *arena)
{
    const struct json *decoded = json_decode(json_encoded(value), arena);
    must(decoded && fuzz_same_cells(decoded, value));
    const struct json *parsed = fuzz_parse(fuzz_printed(json_print, value, arena), arena);
    must(parsed && fuzz_same_cells(parsed, value));
}

#endif
