#include "base/uuid.h"

#include "base/sha1.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static const char *text_of(struct uuid uuid)
{
    static char text[UUID_CHARS + 1];
    uuid_print(uuid, text);
    return text;
}

/* Vectors of RFC 3174 and FIPS 180, and lengths around the end of a block (from coreutils' sha1sum). */
static void digests_are_those_of_the_standard(void **state)
{
    static const struct {
        const char *text;
        size_t times;
        const char *want;
    } cases[] = {
        { "", 1, "da39a3ee5e6b4b0d3255bfef95601890afd80709" },
        { "abc", 1, "a9993e364706816aba3e25717850c26c9cd0d89d" },
        { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
          "84983e441c3bd26ebaae4aa1f95129e5e54670f1" },
        { "0123456701234567012345670123456701234567012345670123456701234567", 10,
          "dea356a2cddd90c7a7ecedc5ebb563934f460452" },
        { "a", 55, "c1c8bbdc22796e28c0e15163d20899b65621d65a" },
        { "a", 56, "c2db330f6083854c99d4b5bfb6e8f29f201be699" },
        { "a", 63, "03f09f5b158a7a8cdad920bddc29b81c18a551f5" },
        { "a", 64, "0098ba824b5c16427bd7a1122a5a442a25ec644d" },
        { "a", 65, "11655326c708d70319be2610e8a57d9a5b959d3b" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[1024];
        size_t n = 0;
        for (size_t k = 0; k < cases[i].times; k++)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s", cases[i].text);
        for (size_t cut = 0; cut <= n; cut += n ? n : 1) { /* All in the second text, all in the first. */
            uint8_t digest[SHA1_BYTES];
            sha1_digest((str){ text, cut }, (str){ text + cut, n - cut }, digest);
            char hex[2 * SHA1_BYTES + 1];
            for (int k = 0; k < SHA1_BYTES; k++) snprintf(hex + 2 * k, 3, "%02x", digest[k]);
            assert_string_equal(hex, cases[i].want);
        }
    }
}

static void texts_come_back(void **state)
{
    struct uuid uuid;
    (void)state;
    assert_true(uuid_parse(STR("00112233-4455-6677-8899-aAbBcCdDeEfF"), &uuid));
    assert_string_equal(text_of(uuid), "00112233-4455-6677-8899-aabbccddeeff");
    static const str others[] = {
        STR_INIT(""),
        STR_INIT("00112233-4455-6677-8899-aabbccddeef"),
        STR_INIT("00112233-4455-6677-8899-aabbccddeeff0"),
        STR_INIT("001122334455-6677-8899-aabbccddeeff-0"),
        STR_INIT("00112233-4455-6677-8899_aabbccddeeff"),
        STR_INIT("0011223344556677-8899-aabb-ccddeeff--"),
        STR_INIT("00112233-4455-6677-8899-aabbccddeefg"),
        STR_INIT("{0112233-4455-6677-8899-aabbccddeef}"),
        STR_INIT("00112233-4455-6677-8899-aabbccddee\0f"),
        STR_INIT("00112233445566778899aabbccddeeff----"),
    };
    for (size_t i = 0; i < COUNT(others); i++) assert_false(uuid_parse(others[i], &uuid));
}

/* From Python: uuid.uuid5(uuid.NAMESPACE_URL, name). */
static void names_have_their_uuids(void **state)
{
    (void)state;
    assert_string_equal(text_of(uuid_of_name(STR("nobel-prize.1"))), "24c8b662-4ffe-5c1b-8058-b9039e959b40");
    assert_string_equal(text_of(uuid_of_name(STR("order.-2"))), "38f5ac30-ebc9-530c-a2c6-6980d7016a12");
    assert_string_equal(text_of(uuid_of_name(STR(""))), "1b4db7eb-4057-5ddf-91e0-36dec72071f5");
    assert_string_equal(text_of(uuid_of_name(STR("größe.2147483647"))),
                        "c923dfa6-123f-579b-970d-89feab838321");
}

static void random_bytes_get_a_version(void **state)
{
    uint8_t zeros[UUID_BYTES] = { 0 }, ones[UUID_BYTES];
    memset(ones, 0xff, sizeof ones);
    (void)state;
    assert_string_equal(text_of(uuid_of_random(zeros)), "00000000-0000-4000-8000-000000000000");
    assert_string_equal(text_of(uuid_of_random(ones)), "ffffffff-ffff-4fff-bfff-ffffffffffff");
}

/* ---- entities ---- */

/* The last moment before the timestamp goes around, and the first behind it. */
#define LAST_MS INT64_C(103072857660684)

static const int64_t moments[] = { 0,           1,           1763178611123,    LAST_MS,
                                   LAST_MS + 1, 2 * LAST_MS, CLOCK_MS_MAX - 1, CLOCK_MS_MAX };
static const uint64_t instances[] = {
    0, 1, 255, 256, 123456789, UINT64_C(1) << 39, UINT64_C(1) << 40, ID_INSTANCE_MAX - 1, ID_INSTANCE_MAX
};

static void entities_come_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(moments); i++)
        for (size_t k = 0; k < COUNT(instances); k++) {
            struct uuid uuid = uuid_of_instance(moments[i], instances[k]), again;
            assert_int_equal(uuid.byte[6] >> 4, 1); /* The version. */
            assert_int_equal(uuid.byte[8] >> 6, 2); /* The variant. */
            assert_int_equal(uuid.byte[10] & 1, 1); /* No network card has that address. */
            assert_true(uuid_parse(str_of(text_of(uuid)), &again));
            int64_t ms = -1;
            uint64_t instance = UINT64_MAX;
            assert_true(uuid_instance(again, &ms, &instance));
            assert_true(ms == moments[i] && instance == instances[k]);
        }
}

/* Python's uuid.UUID(text).time shows the same moment. */
static void the_timestamp_is_that_of_version_1(void **state)
{
    (void)state;
    assert_string_equal(text_of(uuid_of_instance(1763178611123, 0xabcdef01234)),
                        "2f6ba030-c1d6-11f0-8000-15bcdef01234");
    assert_string_equal(text_of(uuid_of_instance(0, 0)), "13814000-1dd2-11b2-8000-010000000000");
}

/* Another UUID leads to no instance, or to one whose id it is: no two ids for one instance and moment. */
static void only_our_own_lead_to_instances(void **state)
{
    int64_t ms;
    uint64_t instance;
    int ours = 0;
    (void)state;
    for (size_t i = 0; i < COUNT(moments); i++)
        for (size_t bit = 0; bit < 8 * UUID_BYTES; bit++) {
            struct uuid uuid = uuid_of_instance(moments[i], 0x123456789ab);
            uuid.byte[bit / 8] ^= (uint8_t)(1u << bit % 8);
            if (!uuid_instance(uuid, &ms, &instance)) continue;
            assert_true(uuid_equal(uuid, uuid_of_instance(ms, instance)));
            ours++;
        }
    assert_int_equal(
        ours, 44 * (int)COUNT(
                       moments)); /* The instance's own bits; one bit of time is never a whole millisecond. */
    static const char *const others[] = {
        "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "c232ab00-9414-11ec-b3c8-9f6bdeced846", /* Version 1 of somebody else, from RFC 9562. */
        "919108f7-52d1-4320-9bac-f847db4148a8", "2ed6657d-e927-568b-95e1-2665a8aea6a2",
        "13813fff-1dd2-11b2-8000-010000000000", /* Before 1970. */
    };
    for (size_t i = 0; i < COUNT(others); i++) {
        struct uuid uuid;
        assert_true(uuid_parse(str_of(others[i]), &uuid));
        assert_false(uuid_instance(uuid, &ms, &instance));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests_are_those_of_the_standard),
        cmocka_unit_test(texts_come_back),
        cmocka_unit_test(names_have_their_uuids),
        cmocka_unit_test(random_bytes_get_a_version),
        cmocka_unit_test(entities_come_back),
        cmocka_unit_test(the_timestamp_is_that_of_version_1),
        cmocka_unit_test(only_our_own_lead_to_instances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
