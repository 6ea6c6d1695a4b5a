#include "access/secret/password.h"

#include "access_test.h"

static void a_password_has_to_be_long_and_not_obvious(void **state)
{
    static const struct {
        const char *password, *part;
    } cases[] = {
        { "", "fewer than 12" },
        { "elevenchars", "fewer than 12" },
        { "ääääöööüüü1", "fewer than 12" }, /* 21 bytes. */
        { "Ada.Lovelace@example.com", "name" },
        { "ADA.LOVELACE@EXAMPLE.COM", "name" },
        { "aaaaaaaaaaaa", "repeats" },
        { "abababababab", "repeats" },
        { "abcabcabcabcab", "repeats" },
        { "abcdabcdabcd", "repeats" },
        { "AbcdaBcdabcD", "repeats" },
        { "abcdefghijklm", "counts" },
        { "12345678901234", "counts" },
        { "09876543210987", "counts" },
        { "password1234", "worst" },
        { "PassWord1234", "worst" },
        { "000000000001", "worst" }, /* The first, the last and some between. */
        { "zxcvbnmasdfghjkl", "worst" },
        { "qwertyuiop[]\\", "worst" },
        { "correct horse battery staple", "worst" },
        { "manchesterunited", "worst" },
        { "1q2w3e4r5t6y", "worst" },
        { "changeme1234", "worst" },
        { "administrator", "worst" },
    };
    static const char *const good[] = { "elevenchars1", "äöüäöüäß€123", "a quiet lake at noon",
                                        "aaaaaaaaaaab", "abcdefghijkk" };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct error err = { 0 };
        enum status status = password_check(str_of(cases[i].password), STR("ada.lovelace@example.com"), &err);
        if (status != ST_INVALID || !strstr(err.message, cases[i].part))
            fail_msg("%s: %s", cases[i].password, err.message);
        assert_string_equal(err.where, "/password");
        assert_null(strstr(err.message, "1234")); /* No message quotes it. */
    }
    for (size_t i = 0; i < COUNT(good); i++)
        assert_int_equal(password_check(str_of(good[i]), STR("ada"), NULL), ST_OK);
}

static void a_password_has_an_end_and_is_text(void **state)
{
    char text[1025];
    (void)state;
    for (size_t i = 0; i < sizeof text; i++) text[i] = (char)('a' + i * i % 23);
    assert_int_equal(password_check((str){ text, 1024 }, STR("ada"), NULL), ST_OK);
    assert_int_equal(password_check((str){ text, 1025 }, STR("ada"), NULL), ST_INVALID);
    text[5] = '\xff';
    assert_int_equal(password_check((str){ text, 100 }, STR("ada"), NULL), ST_INVALID);
    assert_int_equal(password_check(STR_NONE, STR_NONE, NULL), ST_INVALID);
}

static void only_its_own_password_fits_a_hash(void **state)
{
    char one[PASSWORD_HASH_BYTES_MAX], two[PASSWORD_HASH_BYTES_MAX];
    (void)state;
    assert_int_equal(password_hash(STR("a quiet lake\0at noon"), one, NULL), ST_OK);
    assert_int_equal(password_hash(STR("a quiet lake\0at noon"), two, NULL), ST_OK);
    str hash = str_of(one), other = str_of(two);
    assert_true(str_starts(hash, STR("$argon2id$v=19$m=19456,t=2,p=1$")));
    assert_false(str_equal(hash, other)); /* Each has a salt of its own. */
    assert_true(password_hash_is_valid(hash));
    assert_true(password_fits(STR("a quiet lake\0at noon"), hash));
    assert_false(password_fits(STR("a quiet lake"), hash));
}

static void no_password_fits_a_hash_that_is_none(void **state)
{
    static const char *const hashes[] = {
        "",
        "x",
        "$argon2id$",
        "$argon2id$v=19$m=19456,t=2,p=1$",
        "$argon2id$v=19$m=4194304,t=2,p=1$c29tZXNhbHQ$aGFzaGhhc2hoYXNo", /* 4 GiB. */
        "$argon2id$v=19$m=99999999999999999999,t=2,p=1$c29tZXNhbHQ$aGFzaGhhc2hoYXNo",
        "$argon2id$v=19$m=64,t=4000000000,p=1$c29tZXNhbHQ$aGFzaGhhc2hoYXNo",
        "$argon2id$v=19$m=64,t=1,p=200$c29tZXNhbHQ$aGFzaGhhc2hoYXNo",
        "$argon2i$v=19$m=64,t=1,p=1$c29tZXNhbHQ$aGFzaGhhc2hoYXNo",
        "$2b$12$abcdefghijklmnopqrstuv",
        "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$aGFzaGhhc2hoYX\x7f", /* No record may have it. */
        "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$",
        "$argon2id$v=19$m=64,t=1,p=1$$aGFzaGhhc2hoYXNo",
        "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$aGFzaGhhc2hoYXNo$more",
    };
    (void)state;
    assert_false(password_fits(STR(""), str_of(hashes[0]))); /* Each of these takes 70 ms, as it should. */
    assert_false(password_fits(STR(""), str_of(hashes[3])));
    assert_false(password_fits(STR(""), str_of(hashes[4])));
    for (size_t i = 0; i < COUNT(hashes); i++) assert_false(password_hash_is_valid(str_of(hashes[i])));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_password_has_to_be_long_and_not_obvious),
        cmocka_unit_test(a_password_has_an_end_and_is_text),
        cmocka_unit_test(only_its_own_password_fits_a_hash),
        cmocka_unit_test(no_password_fits_a_hash_that_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
