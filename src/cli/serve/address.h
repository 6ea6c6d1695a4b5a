/* cli/serve/address.h — the address on which the engine listens. */
#ifndef CLI_SERVE_ADDRESS_H
#define CLI_SERVE_ADDRESS_H

#include "base/arena.h"
#include "base/status.h"

struct address {
    str host; /* Without brackets. */
    uint16_t port;
};

/* "127.0.0.1:8080", "[::1]:8080", "localhost:0"; ":8080" is every address of the machine. */
enum status address_parse(str text, struct address *ret_address, struct error *err);

/* True if only this machine can reach it. */
bool address_is_loopback(str host);

/* The same of the host in a URL. */
bool address_url_is_loopback(str url);

/* The host as it stands in a URL: IPv6 in brackets. With `reachable`, an address that stands for all
 * addresses becomes one that clients can connect to. Lives in the arena. */
str address_url_host(str host, bool reachable, struct arena *arena);

#endif
