/* cli/serve/address.c — parses HOST:PORT, and tells a loopback address from others. */
#include "cli/serve/address.h"

#include "base/ascii.h"

enum status address_parse(str text, struct address *ret_address, struct error *err)
{
    size_t colon = text.n;
    while (colon && text.p[colon - 1] != ':') colon--;
    int64_t port;
    if (!colon || !str_to_int64(str_slice(text, colon, text.n), &port) || port < 0 || port > UINT16_MAX)
        return fail(err, ST_INVALID, "--listen", "--listen: \"%.*s\" is not HOST:PORT", STR_ARG(text));

    str host = str_slice(text, 0, colon - 1);
    bool brackets = host.n >= 2 && host.p[0] == '[' && host.p[host.n - 1] == ']';
    if (brackets) host = str_slice(host, 1, host.n - 1);
    if (!brackets && str_find(host, STR(":"), 0) != SIZE_MAX)
        return fail(err, ST_INVALID, "--listen", "--listen: write an IPv6 address in brackets: [::1]:8080");
    if (!host.n) host = STR("0.0.0.0");
    *ret_address = (struct address){ .host = host, .port = (uint16_t)port };
    return ST_OK;
}

bool address_is_loopback(str host)
{
    if (str_equal_ignoring_case(host, STR("localhost")) || str_equal(host, STR("::1"))) return true;
    /* A name such as 127.example.org is not an address. */
    if (!str_starts(host, STR("127."))) return false;
    for (size_t i = 0; i < host.n; i++)
        if (!ascii_is_digit(host.p[i]) && host.p[i] != '.') return false;
    return true;
}

/* The host of a URL, without brackets. */
static str host_in(str url)
{
    size_t mark = str_find(url, STR("://"), 0), begin = mark == SIZE_MAX ? url.n : mark + 3, end = begin;
    for (; end < url.n && !memchr("/?#", url.p[end], 3); end++)
        if (url.p[end] == '@') begin = end + 1;
    bool brackets = begin < end && url.p[begin] == '[';
    size_t behind = str_find(url, brackets ? STR("]") : STR(":"), begin);
    return str_slice(url, begin + brackets, behind < end ? behind : end);
}

bool address_url_is_loopback(str url) { return address_is_loopback(host_in(url)); }

str address_url_host(str host, bool reachable, struct arena *arena)
{
    if (reachable && str_equal(host, STR("0.0.0.0"))) host = STR("127.0.0.1");
    if (reachable && str_equal(host, STR("::"))) host = STR("::1");
    if (str_find(host, STR(":"), 0) == SIZE_MAX) return host;
    return arena_printf(arena, "[%.*s]", STR_ARG(host));
}
