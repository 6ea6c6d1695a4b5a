/* Addresses that only this machine can reach. */
#include "cli/serve/address.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void urls_with_a_loopback_host_are_found(void **state)
{
    static const char *const loopback[] = { "http://127.0.0.1:4318/v1/traces",
                                            "https://localhost",
                                            "http://LOCALHOST:1?a=b",
                                            "http://[::1]:4318",
                                            "http://[::1]",
                                            "http://user:127@127.8.0.1/x",
                                            "http://localhost#x:y" };
    static const char *const others[] = { "http://127.example.org:4318",
                                          "http://localhost.example:4318",
                                          "http://localhost@example.org",
                                          "http://0.0.0.0:4318",
                                          "http://[::2]:4318",
                                          "http://example.org/localhost",
                                          "http://",
                                          "localhost:4318",
                                          "" };
    (void)state;
    for (size_t i = 0; i < COUNT(loopback); i++) assert_true(address_url_is_loopback(str_of(loopback[i])));
    for (size_t i = 0; i < COUNT(others); i++) assert_false(address_url_is_loopback(str_of(others[i])));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(urls_with_a_loopback_host_are_found) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
