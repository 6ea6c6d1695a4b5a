/* perform/reach.h — which addresses calls of the engine may reach although they are not public.
 *
 * All calls of the engine ask here before they connect: HTTP, databases, mail servers, brokers, polled
 * sources. The operator lists networks and names (--allow-private-calls):
 *
 *     all                every address
 *     10.1.0.0/16        a network, IPv4 or IPv6; without a length one address
 *     intranet.example   a name, exactly as documents write it
 *
 * The author of a document may be an attacker, and so may be whoever answers for the name that a document
 * calls. So:
 *   - an address is judged when its connection is made, and each one that a name resolves to for itself;
 *   - an IPv4 address inside an IPv6 one (mapped, 6to4, NAT64) is judged as the IPv4 address. A network that
 *     is larger than the one that carries it, such as ::/0, does not hold it;
 *   - a name that is listed leads to private, loopback, unique local and shared addresses, and not to
 *     link-local ones, where clouds keep their credentials, nor to any other kind. Only a network does that;
 *   - a name counts only if the call itself names it. Redirects are not followed.
 */
#ifndef PERFORM_REACH_H
#define PERFORM_REACH_H

#include "base/arena.h"
#include "base/status.h"

struct sockaddr;
struct reach_network;

/* All zeros: no address that is not public. The lists are the reader's. */
struct call_reach {
    bool all;
    const struct reach_network *network;
    size_t network_count;
    const str *host;
    size_t host_count;
};

/* Reads a list of such words. ST_INVALID names the word that is none. */
enum status reach_read(const str *word, size_t count, struct arena *arena, struct call_reach *ret_reach,
                       struct error *err);

/* NULL if a call to this host may connect to the address; else the kind of network that it is in. */
const char *reach_refusal(const struct call_reach *reach, str host, const struct sockaddr *address);

/* The host in a text SCHEME://HOST:PORT or HOST:PORT. Borrowed. */
str reach_host_of(str place);

/* The kind of network an address belongs to ("private", "loopback", "link-local", …), or NULL if it is a
 * public one. An IPv4 address inside an IPv6 one is judged as the IPv4 address. */
const char *perform_address_class(const struct sockaddr *address);

/* The four bytes of the IPv4 address that these 16 of an IPv6 address carry, or NULL. *ret_bits: the length
 * of the network that carries it. */
const uint8_t *perform_address_inside(const uint8_t bytes[16], uint8_t *ret_bits);

/* Do the first so many bits agree? */
bool perform_has_prefix(const uint8_t *bytes, const uint8_t *prefix, uint8_t bits);

#endif
