#include "access/secret/key.h"

#include "base/ascii.h"

#include "access_test.h"

static int arena_begin(void **state)
{
    static struct arena arena;
    arena_init(&arena, 0);
    *state = &arena;
    return 0;
}

static int arena_end(void **state)
{
    arena_done(*state);
    return 0;
}

static void a_key_has_its_parts(void **state)
{
    struct arena *arena = *state;
    str id, found;
    str key = key_make(arena, &id);
    assert_int_equal(key.n, 5 + KEY_ID_BYTES + 1 + KEY_SECRET_BYTES + KEY_CHECK_BYTES);
    assert_true(str_starts(key, STR("pawl_")));
    assert_true(key_parse(key, &found));
    assert_true(str_equal(id, found) && id.n == KEY_ID_BYTES);
    str other = key_make(arena, &found);
    assert_false(str_equal(key, other) || str_equal(id, found));
}

/* The sum of a key that was made once: other programs find keys by it, so it may not change. */
static void the_check_sum_is_that_of_the_format(void **state)
{
    str id;
    (void)state;
    assert_true(key_parse(STR("pawl_0123456789_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopq3IDArO"), &id));
}

static void a_key_with_any_other_character_is_none(void **state)
{
    struct arena *arena = *state;
    str id, key = key_make(arena, &id);
    for (size_t i = 0; i < key.n; i++) {
        str copy = arena_str(arena, key);
        char *p = (char *)(uintptr_t)copy.p;
        p[i] = p[i] == 'x' ? 'y' : 'x';
        assert_false(key_parse(copy, &id));
        p[i] = '\0';
        assert_false(key_parse(copy, &id));
        assert_false(key_parse(str_slice(key, 0, i), &id));
    }
    assert_false(key_parse(STR_NONE, &id));
    assert_false(key_parse(arena_printf(arena, "%.*sx", STR_ARG(key)), &id));
}

static void random_text_is_never_the_same(void **state)
{
    enum { TEXTS = 200 };
    str text[TEXTS];
    bool seen[256] = { false };
    for (size_t i = 0; i < TEXTS; i++) {
        text[i] = key_random(*state);
        assert_int_equal(text[i].n, KEY_SECRET_BYTES);
        for (size_t k = 0; k < i; k++) assert_false(str_equal(text[i], text[k]));
        for (size_t k = 0; k < text[i].n; k++) seen[(unsigned char)text[i].p[k]] = true;
    }
    for (int c = 0; c < 256; c++) assert_int_equal(seen[c], ascii_is_alphanumeric((char)c));
}

static void a_hash_is_sha_256(void **state)
{
    struct arena *arena = *state;
    struct credential_hash hash = credential_hash(STR("abc")), back;
    str text = credential_hash_text(&hash, arena);
    assert_true(str_equal(text, STR("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")));
    assert_true(credential_hash_parse(text, &back));
    assert_true(credential_hash_equal(&hash, &back));
    hash = credential_hash(STR_NONE);
    assert_true(str_equal(credential_hash_text(&hash, arena),
                          STR("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")));
}

static void hashes_differ_if_any_bit_does(void **state)
{
    struct credential_hash hash = credential_hash(STR("abc"));
    (void)state;
    for (size_t i = 0; i < CREDENTIAL_HASH_BYTES * 8; i++) {
        struct credential_hash other = hash;
        other.bytes[i / 8] ^= (unsigned char)(1 << i % 8);
        assert_false(credential_hash_equal(&hash, &other));
    }
}

static void a_wrong_text_is_no_hash(void **state)
{
    struct credential_hash hash;
    (void)state;
    assert_false(credential_hash_parse(STR(""), &hash));
    assert_false(
        credential_hash_parse(STR("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015a"), &hash));
    assert_false(credential_hash_parse(
        STR("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ag"), &hash));
    assert_false(credential_hash_parse(
        STR("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad0"), &hash));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_key_has_its_parts, arena_begin, arena_end),
        cmocka_unit_test_setup_teardown(the_check_sum_is_that_of_the_format, arena_begin, arena_end),
        cmocka_unit_test_setup_teardown(a_key_with_any_other_character_is_none, arena_begin, arena_end),
        cmocka_unit_test_setup_teardown(random_text_is_never_the_same, arena_begin, arena_end),
        cmocka_unit_test_setup_teardown(a_hash_is_sha_256, arena_begin, arena_end),
        cmocka_unit_test_setup_teardown(hashes_differ_if_any_bit_does, arena_begin, arena_end),
        cmocka_unit_test_setup_teardown(a_wrong_text_is_no_hash, arena_begin, arena_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
