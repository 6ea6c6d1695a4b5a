/* Which addresses a call may reach. */
#include "perform/outcall.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/un.h>

#include <cmocka.h>

static const char *class_of(const char *text)
{
    struct sockaddr_in v4 = { .sin_family = AF_INET };
    struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };
    if (inet_pton(AF_INET, text, &v4.sin_addr) == 1)
        return perform_address_class((const struct sockaddr *)&v4);
    if (inet_pton(AF_INET6, text, &v6.sin6_addr) == 1)
        return perform_address_class((const struct sockaddr *)&v6);
    fail_msg("%s is no address", text);
    return NULL;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_ipv4_address_is_what_its_network_is),
        cmocka_unit_test(an_ipv6_address_is_what_its_network_or_inner_address_is),
        cmocka_unit_test(what_is_no_internet_address_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
