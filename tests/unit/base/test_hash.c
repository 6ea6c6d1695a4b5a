#include "base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Stored checksums are compared with these for ever. */
static void hashes_are_what_they_always_were(void **state)
{
    static const struct {
        size_t n;
        uint64_t want;
    } cases[] = {
        { 0, UINT64_C(0x3da4588b8c08334f) },  { 1, UINT64_C(0xd6ee0e5e02b1ceb1) },
        { 7, UINT64_C(0xbb255448854eebe9) },  { 8, UINT64_C(0xe4dd466d982068d8) },
        { 9, UINT64_C(0xde04ceeb0e772182) },  { 15, UINT64_C(0x08e9172b22c8f357) },
        { 16, UINT64_C(0x92e84fb7f908410b) }, { 31, UINT64_C(0xeb0cdac30d8fecb1) },
        { 32, UINT64_C(0x327834df7cb47558) }, { 33, UINT64_C(0x295402c3e2102af6) },
        { 63, UINT64_C(0xc40cac203d5c3ea2) }, { 64, UINT64_C(0x1418412ea9e1a6e0) },
        { 65, UINT64_C(0xc15554b40f916149) }, { 100, UINT64_C(0x32d5bf5fba7d28c5) },
    };
    (void)state;
    char bytes[8 + 100];
    for (size_t start = 0; start < 8; start++) { /* Wherever the bytes lie. */
        for (size_t i = 0; i < 100; i++) bytes[start + i] = (char)(i * 7 + 1);
        for (size_t i = 0; i < COUNT(cases); i++)
            assert_true(hash_bytes((str){ bytes + start, cases[i].n }) == cases[i].want);
    }
    assert_true(hash_bytes(STR_NONE) == cases[0].want);
}

static void each_bit_changes_the_hash(void **state)
{
    (void)state;
    for (size_t n = 1; n < 70; n++) {
        char bytes[70] = { 0 };
        uint64_t before = hash_bytes((str){ bytes, n });
        for (size_t bit = 0; bit < n * 8; bit++) {
            bytes[bit / 8] = (char)(1 << bit % 8);
            assert_true(hash_bytes((str){ bytes, n }) != before);
            bytes[bit / 8] = 0;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_are_what_they_always_were),
        cmocka_unit_test(each_bit_changes_the_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
