/* Which addresses a call may reach. */
#include "perform/reach.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/un.h>

#include <cmocka.h>

static struct sockaddr_storage address_of(const char *text)
{
    struct sockaddr_storage address = { 0 };
    struct sockaddr_in v4 = { .sin_family = AF_INET };
    struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };
    if (inet_pton(AF_INET, text, &v4.sin_addr) == 1) memcpy(&address, &v4, sizeof v4);
    else if (inet_pton(AF_INET6, text, &v6.sin6_addr) == 1) memcpy(&address, &v6, sizeof v6);
    else fail_msg("%s is no address", text);
    return address;
}

static const char *class_of(const char *text)
{
    struct sockaddr_storage address = address_of(text);
    return perform_address_class((const struct sockaddr *)&address);
}

struct address_case {
    const char *address, *want; /* NULL: a public one. */
};

static void assert_classes(const struct address_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *got = class_of(cases[i].address), *want = cases[i].want;
        if (!got != !want || (got && strcmp(got, want) != 0))
            fail_msg("%s is %s, not %s", cases[i].address, got ? got : "public", want ? want : "public");
    }
}

static void an_ipv4_address_is_what_its_network_is(void **state)
{
    static const struct address_case cases[] = {
        { "0.0.0.0", "unspecified" },
        { "0.255.255.255", "unspecified" },
        { "1.0.0.0", NULL },
        { "9.255.255.255", NULL },
        { "10.0.0.0", "private" },
        { "10.255.255.255", "private" },
        { "11.0.0.0", NULL },
        { "100.63.255.255", NULL },
        { "100.64.0.0", "shared (carrier-grade NAT)" },
        { "100.127.255.255", "shared (carrier-grade NAT)" },
        { "100.128.0.0", NULL },
        { "126.255.255.255", NULL },
        { "127.0.0.1", "loopback" },
        { "127.255.255.254", "loopback" },
        { "128.0.0.0", NULL },
        { "169.253.255.255", NULL },
        { "169.254.169.254", "link-local" }, /* Where clouds keep their secrets. */
        { "169.255.0.0", NULL },
        { "172.15.255.255", NULL },
        { "172.16.0.0", "private" },
        { "172.31.255.255", "private" },
        { "172.32.0.0", NULL },
        { "192.0.0.8", "reserved" },
        { "192.0.1.0", NULL },
        { "192.0.2.1", "documentation" },
        { "192.88.99.1", "reserved" },
        { "192.167.255.255", NULL },
        { "192.168.0.0", "private" },
        { "192.168.255.255", "private" },
        { "192.169.0.0", NULL },
        { "198.17.255.255", NULL },
        { "198.18.0.0", "benchmarking" },
        { "198.19.255.255", "benchmarking" },
        { "198.20.0.0", NULL },
        { "198.51.100.7", "documentation" },
        { "203.0.113.7", "documentation" },
        { "223.255.255.255", NULL },
        { "224.0.0.1", "multicast" },
        { "239.255.255.255", "multicast" },
        { "240.0.0.1", "reserved" },
        { "255.255.255.255", "reserved" },
        { "8.8.8.8", NULL },
    };
    (void)state;
    assert_classes(cases, COUNT(cases));
}

static void an_ipv6_address_is_what_its_network_or_inner_address_is(void **state)
{
    static const struct address_case cases[] = {
        { "::", "unspecified" },
        { "::1", "loopback" },
        { "::2", "reserved" },
        { "::7f00:1", "reserved" }, /* 127.0.0.1, the oldest form. */
        { "::ffff:127.0.0.1", "loopback" },
        { "::ffff:10.1.2.3", "private" },
        { "::ffff:169.254.169.254", "link-local" },
        { "::ffff:8.8.8.8", NULL },
        { "::ffff:0:127.0.0.1", "reserved" },
        { "64:ff9b::10.0.0.1", "private" },
        { "64:ff9b::127.0.0.1", "loopback" },
        { "64:ff9b::8.8.8.8", NULL },
        { "64:ff9b:1::8.8.8.8", "reserved" },
        { "100::1", "reserved" },
        { "2002:7f00:1::", "loopback" },
        { "2002:c0a8:101::1", "private" },
        { "2002:808:808::1", NULL },
        { "2001::1", "reserved" },
        { "2001:1ff:ffff::1", "reserved" },
        { "2001:200::1", NULL },
        { "2001:db8::1", "documentation" },
        { "2001:4860:4860::8888", NULL },
        { "3fff:fff::1", "documentation" },
        { "3fff:1000::1", NULL },
        { "3ffe::1", NULL },
        { "4000::1", "reserved" },
        { "5f00::1", "reserved" },
        { "fbff::1", "reserved" },
        { "fc00::1", "unique local" },
        { "fdff:ffff::1", "unique local" },
        { "fe00::1", "reserved" },
        { "fe80::1", "link-local" },
        { "febf::1", "link-local" },
        { "fec0::1", "site-local" },
        { "ff02::1", "multicast" },
    };
    (void)state;
    assert_classes(cases, COUNT(cases));
}

static void what_is_no_internet_address_is_refused(void **state)
{
    (void)state;
    const struct sockaddr_un local = { .sun_family = AF_UNIX };
    assert_string_equal(perform_address_class((const struct sockaddr *)&local), "not an internet");
}

/* ---- the list of what may be called all the same ---- */

static enum status read_list(struct arena *arena, const char *text, struct call_reach *ret_reach,
                             struct error *err)
{
    str word[8], list = str_of(text);
    size_t count = 0;
    for (size_t from = 0, to; from < list.n; from = to + 1) {
        to = str_find(list, STR(" "), from);
        if (to == SIZE_MAX) to = list.n;
        word[count++] = str_slice(list, from, to);
    }
    return reach_read(word, count, arena, ret_reach, err);
}

static void only_what_is_listed_may_be_reached(void **state)
{
    static const struct {
        const char *list, *host, *address;
        bool allowed;
    } cases[] = {
        { "", "a.example", "8.8.8.8", true },
        { "", "a.example", "10.0.0.1", false },
        { "all", "a.example", "169.254.169.254", true },
        { "10.1.0.0/16", "a.example", "10.1.255.255", true },
        { "10.1.0.0/16", "a.example", "10.2.0.0", false },
        { "10.1.0.0/16 192.168.7.0/25", "a.example", "192.168.7.127", true },
        { "10.1.0.0/16 192.168.7.0/25", "a.example", "192.168.7.128", false },
        { "10.1.2.3", "a.example", "10.1.2.3", true },
        { "10.1.2.3", "a.example", "10.1.2.4", false },
        { "0.0.0.0/0", "a.example", "127.0.0.1", true },
        { "0.0.0.0/0", "a.example", "::1", false },
        { "127.0.0.0/8", "a.example", "0.0.0.0", false },
        /* An address in another form is what it is. */
        { "10.1.0.0/16", "a.example", "::ffff:10.1.2.3", true },
        { "10.1.0.0/16", "a.example", "::ffff:10.2.2.3", false },
        { "10.1.0.0/16", "a.example", "64:ff9b::10.1.2.3", true },
        { "::ffff:10.1.0.0/112", "a.example", "10.1.2.3", true },
        { "::ffff:10.1.0.0/112", "a.example", "10.2.2.3", false },
        { "::/0", "a.example", "fd00::1", true },
        { "::/0", "a.example", "::ffff:127.0.0.1", false },
        { "::/0", "a.example", "64:ff9b::169.254.169.254", false },
        { "64:ff9b::/96", "a.example", "64:ff9b::10.0.0.1", true },
        { "fd00::/8", "a.example", "fdff::1", true },
        { "fd00::/8", "a.example", "fc00::1", false },
        { "fe80::/10", "a.example", "fe80::1", true },
        /* A name is that of the call, in any case, and leads to some kinds of networks only. */
        { "in.example", "in.example", "10.0.0.1", true },
        { "in.example", "IN.example.", "fd00::1", true },
        { "in.example.", "in.example", "100.64.0.1", true },
        { "localhost", "localhost", "127.0.0.1", true },
        { "in.example", "a.in.example", "10.0.0.1", false },
        { "in.example", "in.example.evil.example", "10.0.0.1", false },
        { "in.example", "xin.example", "10.0.0.1", false },
        { "in.example", "10.0.0.1", "10.0.0.1", false },
        { "in.example", "in.example", "169.254.169.254", false },
        { "in.example", "in.example", "::ffff:169.254.169.254", false },
        { "in.example", "in.example", "0.0.0.0", false },
        { "in.example", "in.example", "224.0.0.1", false },
        { "in.example 169.254.0.0/16", "in.example", "169.254.169.254", true },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena arena;
        struct call_reach reach;
        struct error err;
        arena_init(&arena, 0);
        if (read_list(&arena, cases[i].list, &reach, &err) != ST_OK) fail_msg("%s", err.message);
        struct sockaddr_storage address = address_of(cases[i].address);
        bool allowed = !reach_refusal(&reach, str_of(cases[i].host), (const struct sockaddr *)&address);
        if (allowed != cases[i].allowed)
            fail_msg("[%s] %s at %s is %s", cases[i].list, cases[i].host, cases[i].address,
                     allowed ? "allowed" : "refused");
        arena_done(&arena);
    }
}

static void what_nobody_can_mean_is_no_list(void **state)
{
    static const char *const words[] = {
        "10.1.2.3/16", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "/8",      "10.0.0/8",      "fd00::/129",
        "fd00::1/8",   "10.0.0",      "127.1",       "0x7f.1",    "0x7f",    "2130706433",    "[::1]",
        "fe80::1%lo",  "*",           "*.example",   "a..b",      "a b",     "http://a.test", "a.test:80",
        "yes",         "no",          "none",        "false",     ".a.test",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(words); i++) {
        struct arena arena;
        struct call_reach reach;
        struct error err;
        const str word = str_of(words[i]);
        arena_init(&arena, 0);
        if (reach_read(&word, 1, &arena, &reach, &err) == ST_OK) fail_msg("%s was accepted", words[i]);
        assert_non_null(strstr(err.message, words[i]));
        arena_done(&arena);
    }
}

static void the_host_of_a_place(void **state)
{
    (void)state;
    assert_true(str_equal(reach_host_of(STR("http://a.example:80")), STR("a.example")));
    assert_true(str_equal(reach_host_of(STR("a.example:25")), STR("a.example")));
    assert_true(str_equal(reach_host_of(STR("https://[::1]:443")), STR("[::1]")));
    assert_true(str_equal(reach_host_of(STR("a.example")), STR("a.example")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_is_listed_may_be_reached),
        cmocka_unit_test(what_nobody_can_mean_is_no_list),
        cmocka_unit_test(the_host_of_a_place),
        cmocka_unit_test(an_ipv4_address_is_what_its_network_is),
        cmocka_unit_test(an_ipv6_address_is_what_its_network_or_inner_address_is),
        cmocka_unit_test(what_is_no_internet_address_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
