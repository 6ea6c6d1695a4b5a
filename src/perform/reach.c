/* perform/reach.c — reads the list of networks and names, and decides whether an address is on it. */
#include "perform/reach.h"

#include "base/ascii.h"
#include "perform/limits.h"

#include <arpa/inet.h>
#include <netinet/in.h>

enum { V4_BITS = 32, V6_BITS = 128, MAPPED_BITS = 96 };

struct reach_network {
    uint8_t bytes[16]; /* An IPv4 network uses the first four. */
    uint8_t bits;
    bool is_v4;
};

/* ---- reading ---- */

static enum status refuse_word(str word, const char *why, struct error *err)
{
    return fail(err, ST_INVALID, "--allow-private-calls", "--allow-private-calls: \"%.*s\" %s", STR_ARG(word),
                why);
}

/* False: the text is no address. */
static bool read_address(str text, struct reach_network *ret_network)
{
    char address[INET6_ADDRSTRLEN];
    if (!text.n || text.n >= sizeof address || memchr(text.p, 0, text.n)) return false;
    memcpy(address, text.p, text.n);
    address[text.n] = '\0';
    *ret_network = (struct reach_network){ .is_v4 = true, .bits = V4_BITS };
    if (inet_pton(AF_INET, address, ret_network->bytes) == 1) return true;
    *ret_network = (struct reach_network){ .bits = V6_BITS };
    return inet_pton(AF_INET6, address, ret_network->bytes) == 1;
}

/* True if a bit behind the network's length is set: a mistake, of which nobody can tell what was meant. */
static bool has_rest(const struct reach_network *network)
{
    for (unsigned bit = network->bits; bit < (network->is_v4 ? V4_BITS : V6_BITS); bit++)
        if (network->bytes[bit / 8] & (0x80 >> bit % 8)) return true;
    return false;
}

/* A network of mapped addresses is one of IPv4 addresses: no call sees the difference. */
static void unmap(struct reach_network *network)
{
    uint8_t carrier;
    const uint8_t *v4 = network->is_v4 ? NULL : perform_address_inside(network->bytes, &carrier);
    if (!v4 || v4 != network->bytes + 12 || network->bytes[10] != 0xff || network->bits < MAPPED_BITS) return;
    memmove(network->bytes, v4, 4);
    network->is_v4 = true;
    network->bits = (uint8_t)(network->bits - MAPPED_BITS);
}

static enum status read_network(str word, size_t slash, struct reach_network *ret_network, struct error *err)
{
    int64_t bits;
    if (!read_address(str_slice(word, 0, slash), ret_network))
        return refuse_word(word, "is no network such as 10.1.0.0/16 or fd00::/8", err);
    if (slash != SIZE_MAX) {
        if (!str_to_int64(str_slice(word, slash + 1, word.n), &bits) || bits < 0 || bits > ret_network->bits)
            return refuse_word(word, "has a length that its addresses do not have", err);
        ret_network->bits = (uint8_t)bits;
    }
    if (has_rest(ret_network)) return refuse_word(word, "is no network: bits behind its length are set", err);
    unmap(ret_network);
    return ST_OK;
}

static bool is_digits(str text)
{
    for (size_t i = 0; i < text.n; i++)
        if (!ascii_is_digit(text.p[i])) return false;
    return text.n > 0;
}

/* A name whose last part is a number would be taken for an address, in one of many notations. */
static bool is_name(str word)
{
    size_t from = 0;
    if (!word.n || word.n > HOST_BYTES_MAX) return false;
    for (size_t dot; from <= word.n; from = dot + 1) {
        dot = str_find(word, STR("."), from);
        if (dot == SIZE_MAX) dot = word.n;
        str label = str_slice(word, from, dot);
        if (!label.n || label.n > HOST_LABEL_BYTES_MAX) return false;
        for (size_t i = 0; i < label.n; i++)
            if (!ascii_is_alphanumeric(label.p[i]) && label.p[i] != '-' && label.p[i] != '_') return false;
        bool last = dot == word.n;
        if (last && (is_digits(label) || str_starts(label, STR("0x")) || str_starts(label, STR("0X"))))
            return false;
    }
    return true;
}

static enum status read_name(str word, str *ret_host, struct error *err)
{
    static const char *const answers[] = { "yes", "no", "true", "false", "on", "off", "none" };
    for (size_t i = 0; i < COUNT(answers); i++)
        if (str_equal_ignoring_case(word, str_of(answers[i])))
            return refuse_word(word, "is no answer here: say all, or networks and names, or leave it out",
                               err);
    str name = str_ends(word, STR(".")) ? str_slice(word, 0, word.n - 1) : word;
    if (!is_name(name))
        return refuse_word(word, "is neither all, nor a network, nor the name of a host", err);
    *ret_host = name;
    return ST_OK;
}

enum status reach_read(const str *word, size_t count, struct arena *arena, struct call_reach *ret_reach,
                       struct error *err)
{
    struct reach_network *network = arena_make_n(arena, struct reach_network, count);
    str *host = arena_make_n(arena, str, count);
    struct call_reach reach = { .network = network, .host = host };
    for (size_t i = 0; i < count; i++) {
        struct reach_network single;
        size_t slash = str_find(word[i], STR("/"), 0);
        if (str_equal(word[i], STR("all"))) reach.all = true;
        else if (slash != SIZE_MAX || read_address(word[i], &single))
            TRY(read_network(word[i], slash, &network[reach.network_count++], err));
        else TRY(read_name(word[i], &host[reach.host_count++], err));
    }
    *ret_reach = reach;
    return ST_OK;
}

/* ---- judging ---- */

static bool has_v4(const struct call_reach *reach, const uint8_t bytes[4])
{
    for (size_t i = 0; i < reach->network_count; i++)
        if (reach->network[i].is_v4 &&
            perform_has_prefix(bytes, reach->network[i].bytes, reach->network[i].bits))
            return true;
    return false;
}

static bool has_v6(const struct call_reach *reach, const uint8_t bytes[16])
{
    uint8_t carrier = 0;
    const uint8_t *v4 = perform_address_inside(bytes, &carrier);
    if (v4 && has_v4(reach, v4)) return true;
    for (size_t i = 0; i < reach->network_count; i++)
        if (!reach->network[i].is_v4 && reach->network[i].bits >= carrier &&
            perform_has_prefix(bytes, reach->network[i].bytes, reach->network[i].bits))
            return true;
    return false;
}

static bool has_address(const struct call_reach *reach, const struct sockaddr *address)
{
    /* Copied, because the address may not be aligned for its family's struct. */
    if (address->sa_family == AF_INET) {
        struct sockaddr_in v4;
        memcpy(&v4, address, sizeof v4);
        return has_v4(reach, (const uint8_t *)&v4.sin_addr);
    }
    if (address->sa_family == AF_INET6) {
        struct sockaddr_in6 v6;
        memcpy(&v6, address, sizeof v6);
        return has_v6(reach, v6.sin6_addr.s6_addr);
    }
    return false;
}

static bool has_host(const struct call_reach *reach, str host)
{
    if (str_ends(host, STR("."))) host = str_slice(host, 0, host.n - 1);
    for (size_t i = 0; i < reach->host_count; i++)
        if (str_equal_ignoring_case(reach->host[i], host)) return true;
    return false;
}

static bool may_be_named(const char *network)
{
    static const char *const inside[] = { "private", "loopback", "unique local",
                                          "shared (carrier-grade NAT)" };
    for (size_t i = 0; i < COUNT(inside); i++)
        if (strcmp(network, inside[i]) == 0) return true;
    return false;
}

const char *reach_refusal(const struct call_reach *reach, str host, const struct sockaddr *address)
{
    const char *network = reach->all ? NULL : perform_address_class(address);
    if (!network || has_address(reach, address)) return NULL;
    return may_be_named(network) && has_host(reach, host) ? NULL : network;
}

str reach_host_of(str place)
{
    size_t scheme = str_find(place, STR("://"), 0);
    size_t end = place.n;
    while (end && place.p[end - 1] != ':') end--;
    size_t from = scheme == SIZE_MAX ? 0 : scheme + 3;
    return str_slice(place, from, end > from ? end - 1 : place.n);
}
