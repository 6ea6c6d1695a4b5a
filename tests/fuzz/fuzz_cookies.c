/* tests/fuzz/fuzz_cookies.c — the Cookie header of a stranger: a header, then perhaps a NUL and the name of a
 * cookie; without one the names of our session cookies. */

#include "fuzz.h"

#include "access/secret/key.h"

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}

/* The reader that everybody would write: byte by byte. */
static str find_slowly(str header, str name)
{
    for (size_t from = 0, to; from <= header.n; from = to + 1) {
        to = from;
        while (to < header.n && header.p[to] != ';') to++;
        size_t begin = from, end = to;
        while (begin < end && is_space(header.p[begin])) begin++;
        while (end > begin && is_space(header.p[end - 1])) end--;
        size_t equals = begin;
        while (equals < end && header.p[equals] != '=') equals++;
        if (equals == end || equals - begin != name.n) continue;
        if (!name.n || memcmp(header.p + begin, name.p, name.n) == 0)
            return (str){ header.p + equals + 1, end - equals - 1 };
    }
    return STR_NONE;
}

static bool is_plain(str name)
{
    for (size_t i = 0; i < name.n; i++)
        if (!name.p[i] || name.p[i] == '=' || name.p[i] == ';' || is_space(name.p[i])) return false;
    return name.n > 0;
}

/* Cookies around a header change nothing but what they say themselves. */
static void check_neighbours(str header, str name, struct arena *arena)
{
    str found = credential_cookie(header, name);
    str before = arena_printf(arena, "x%.*s=1; %.*s", STR_ARG(name), STR_ARG(header));
    must(str_equal(credential_cookie(before, name), found));
    str first = arena_printf(arena, "%.*s=mine; %.*s", STR_ARG(name), STR_ARG(header));
    must(str_equal(credential_cookie(first, name), STR("mine")));
    if (found.n) {
        str behind = arena_printf(arena, "%.*s; %.*s=late", STR_ARG(header), STR_ARG(name));
        must(str_equal(credential_cookie(behind, name), found));
    }
}

static void check(str header, str name, struct arena *arena)
{
    str found = credential_cookie(header, name);
    must(str_equal(found, find_slowly(header, name)));
    if (found.n) must(found.p > header.p && found.p + found.n <= header.p + header.n);
    must(str_find(found, STR(";"), 0) == SIZE_MAX);
    if (is_plain(name)) check_neighbours(header, name, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    str input = { (const char *)data, size }, header, name;
    struct arena arena;
    arena_init(&arena, 0);
    fuzz_split(input, &header, &name);
    str block = fuzz_block(header), wanted = fuzz_block(name);
    check(block, STR("pawl"), &arena);
    check(block, STR("__Host-pawl"), &arena);
    check(block, STR("__Host-pawl-login"), &arena);
    check(block, wanted, &arena);
    fuzz_block_free(block);
    fuzz_block_free(wanted);
    arena_done(&arena);
    return 0;
}
