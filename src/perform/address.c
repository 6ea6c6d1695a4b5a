/* perform/address.c — tells which network an address belongs to.
 *
 * The tables follow the IANA registries of special-purpose addresses (RFC 6890 and its successors). IPv4
 * networks are public unless listed. IPv6 networks are refused unless they are global unicast (2000::/3) or
 * carry a public IPv4 address.
 */
#include "perform/reach.h"

#include <netinet/in.h>

struct network {
    uint8_t prefix[6];
    uint8_t bits;
    const char *name;
};

static const struct network networks_v4[] = {
    { { 0 }, 8, "unspecified" },
    { { 10 }, 8, "private" },
    { { 100, 64 }, 10, "shared (carrier-grade NAT)" },
    { { 127 }, 8, "loopback" },
    { { 169, 254 }, 16, "link-local" },
    { { 172, 16 }, 12, "private" },
    { { 192, 0, 0 }, 24, "reserved" },
    { { 192, 0, 2 }, 24, "documentation" },
    { { 192, 88, 99 }, 24, "reserved" }, /* Anycast of 6to4 relays, withdrawn. */
    { { 192, 168 }, 16, "private" },
    { { 198, 18 }, 15, "benchmarking" },
    { { 198, 51, 100 }, 24, "documentation" },
    { { 203, 0, 113 }, 24, "documentation" },
    { { 224 }, 4, "multicast" },
    { { 240 }, 4, "reserved" },
};

static const struct network networks_v6[] = {
    { { 0xfc }, 7, "unique local" },
    { { 0xfe, 0x80 }, 10, "link-local" },
    { { 0xfe, 0xc0 }, 10, "site-local" },
    { { 0xff }, 8, "multicast" },
    { { 0x20, 0x01, 0x00 }, 23, "reserved" }, /* Teredo, ORCHID, benchmarking … */
    { { 0x20, 0x01, 0x0d, 0xb8 }, 32, "documentation" },
    { { 0x3f, 0xff, 0x00 }, 20, "documentation" },
};

/* IPv6 networks that carry IPv4 addresses: ::ffff:0:0/96 (mapped), 64:ff9b::/96 (NAT64), 2002::/16 (6to4). */
static const struct {
    uint8_t prefix[12];
    uint8_t bits;
    uint8_t at;
} embeddings[] = {
    { { [10] = 0xff, [11] = 0xff }, 96, 12 },
    { { 0x00, 0x64, 0xff, 0x9b }, 96, 12 },
    { { 0x20, 0x02 }, 16, 2 },
};

bool perform_has_prefix(const uint8_t *bytes, const uint8_t *prefix, uint8_t bits)
{
    size_t whole = bits / 8;
    if (memcmp(bytes, prefix, whole) != 0) return false;
    uint8_t mask = (uint8_t)(0xff00 >> bits % 8);
    return bits % 8 == 0 || ((bytes[whole] ^ prefix[whole]) & mask) == 0;
}

static const char *find_class(const struct network *network, size_t count, const uint8_t *bytes)
{
    for (size_t i = 0; i < count; i++)
        if (perform_has_prefix(bytes, network[i].prefix, network[i].bits)) return network[i].name;
    return NULL;
}

static const char *class_v4(const uint8_t bytes[4])
{
    return find_class(networks_v4, COUNT(networks_v4), bytes);
}

const uint8_t *perform_address_inside(const uint8_t bytes[16], uint8_t *ret_bits)
{
    for (size_t i = 0; i < COUNT(embeddings); i++) {
        if (!perform_has_prefix(bytes, embeddings[i].prefix, embeddings[i].bits)) continue;
        *ret_bits = embeddings[i].bits;
        return bytes + embeddings[i].at;
    }
    return NULL;
}

static const char *class_v6(const uint8_t bytes[16])
{
    static const uint8_t zero[15];
    if (memcmp(bytes, zero, 15) == 0 && bytes[15] <= 1) return bytes[15] ? "loopback" : "unspecified";

    uint8_t carrier;
    const uint8_t *v4 = perform_address_inside(bytes, &carrier);
    if (v4) return class_v4(v4);

    const char *name = find_class(networks_v6, COUNT(networks_v6), bytes);
    if (name) return name;
    return (bytes[0] & 0xe0) == 0x20 ? NULL : "reserved";
}

const char *perform_address_class(const struct sockaddr *address)
{
    /* Copied, because the address may not be aligned for its family's struct. */
    if (address->sa_family == AF_INET) {
        struct sockaddr_in v4;
        memcpy(&v4, address, sizeof v4);
        return class_v4((const uint8_t *)&v4.sin_addr);
    }
    if (address->sa_family == AF_INET6) {
        struct sockaddr_in6 v6;
        memcpy(&v6, address, sizeof v6);
        return class_v6(v6.sin6_addr.s6_addr);
    }
    return "not an internet";
}
