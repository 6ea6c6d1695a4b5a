/* access/directory/directory_address.c — addresses and networks. */
#include "access/directory/directory_int.h"

#include "base/utf8.h"

#include <arpa/inet.h>

enum { TEXT_BYTES = 64, V4_BITS = 96 };

/* Without the zone of a link-local address. */
static bool to_text(str text, char ret_text[TEXT_BYTES])
{
    size_t zone = str_find(text, STR("%"), 0);
    if (zone != SIZE_MAX) text = str_slice(text, 0, zone);
    if (!text.n || text.n >= TEXT_BYTES || memchr(text.p, '\0', text.n)) return false;
    memcpy(ret_text, text.p, text.n);
    ret_text[text.n] = '\0';
    return true;
}

bool directory_address_is_v4(const struct directory_address *address)
{
    static const unsigned char mapped[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };
    return memcmp(address->bytes, mapped, sizeof mapped) == 0;
}

bool directory_address_parse(str text, struct directory_address *ret_address)
{
    char copy[TEXT_BYTES];
    struct directory_address address = { { [10] = 0xff, [11] = 0xff } };
    if (!to_text(text, copy)) return false;
    if (inet_pton(AF_INET, copy, address.bytes + 12) != 1 && inet_pton(AF_INET6, copy, address.bytes) != 1)
        return false;
    *ret_address = address;
    return true;
}

/* Has it no bit behind the first `bits`? */
static bool ends_at(const struct directory_address *address, unsigned bits)
{
    for (unsigned i = bits; i < 128; i++)
        if (address->bytes[i / 8] & 0x80 >> i % 8) return false;
    return true;
}

enum status directory_address_network(str text, struct directory_network *ret_network, struct error *err)
{
    size_t slash = str_find(text, STR("/"), 0);
    struct directory_network network;
    int64_t bits = 0;
    if (!directory_address_parse(str_slice(text, 0, slash), &network.address))
        return fail(err, ST_INVALID, "", "“%.*s” is no network, as 10.1.0.0/16 and fd00::/8 are",
                    STR_ARG(utf8_cut(text, TEXT_BYTES)));
    unsigned base = directory_address_is_v4(&network.address) ? V4_BITS : 0;
    if (slash == SIZE_MAX) bits = 128 - base;
    else if (!str_to_int64(str_slice(text, slash + 1, text.n), &bits) || bits < 0 || bits > 128 - base)
        return fail(err, ST_INVALID, "", "the network “%.*s” needs a number of bits from 0 to %u",
                    STR_ARG(utf8_cut(text, TEXT_BYTES)), 128 - base);
    network.bits = base + (unsigned)bits;
    if (!ends_at(&network.address, network.bits))
        return fail(err, ST_INVALID, "", "the network “%.*s” has an address with more than %u bits",
                    STR_ARG(utf8_cut(text, TEXT_BYTES)), (unsigned)bits);
    *ret_network = network;
    return ST_OK;
}

bool directory_address_is_in(const struct directory_address *address, const struct directory_network *network)
{
    unsigned whole = network->bits / 8, rest = network->bits % 8;
    if (memcmp(address->bytes, network->address.bytes, whole) != 0) return false;
    if (!rest) return true;
    return ((address->bytes[whole] ^ network->address.bytes[whole]) & (0xff00 >> rest)) == 0;
}

bool directory_is_in_network(str address, const str *network, size_t count)
{
    struct directory_address parsed;
    struct directory_network of;
    if (!count || !directory_address_parse(address, &parsed)) return false;
    for (size_t i = 0; i < count; i++)
        if (directory_address_network(network[i], &of, NULL) == ST_OK &&
            directory_address_is_in(&parsed, &of))
            return true;
    return false;
}
