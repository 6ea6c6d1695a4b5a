/* net/account.c — what strangers and known clients hold, all together and by peer; the table of peers. */
#include "net/net_int.h"

#include "base/list.h"
#include "base/must.h"

#include <stdlib.h>

enum { LEFT_MS = 1000 * FLOOD_FRAMES_MAX / FLOOD_SECOND_MAX }; /* A full bucket is empty after this time. */

void account_init(struct http_account *account, const struct limits *limits, size_t connections_max,
                  account_close_fn *close)
{
    *account = (struct http_account){ .limits = limits, .connections_max = connections_max, .close = close };
    map_init(&account->peers);
}

void account_done(struct http_account *account)
{
    account_look(account, INT64_MAX);
    must(!account->peers.count);
    map_done(&account->peers);
}

void account_add(struct http_account *account, struct peer *peer, bool known, int64_t bytes)
{
    *(known ? &account->known_bytes : &account->stranger_bytes) += bytes;
    if (peer) *(known ? &peer->known_bytes : &peer->stranger_bytes) += bytes;
    int64_t held = account->known_bytes + account->stranger_bytes;
    if (held > account->peak_bytes) account->peak_bytes = held;
}

void account_pin(struct http_account *account, struct peer *peer, int64_t bytes)
{
    account->pinned_bytes += bytes;
    peer->pinned_bytes += bytes;
}

static void forget(struct peer *peer)
{
    map_take(&peer->account->peers, peer->address);
    free(peer);
}

void account_look(struct http_account *account, int64_t now_ms)
{
    while (account->left.first && now_ms - account->left.first->left_ms >= LEFT_MS) {
        struct peer *peer = account->left.first;
        list_drop_first(&account->left, left_next);
        peer->is_left = false;
        if (!peer->users) forget(peer);
    }
}

/* ---- peers ---- */

/* Addresses of IPv4 are put where IPv6 has groups of receivers, which never send. */
static uint64_t ipv4(uint32_t address) { return UINT64_C(0xffffffff) << 32 | ntohl(address); }

static uint64_t number_of(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET) return ipv4(((const struct sockaddr_in *)address)->sin_addr.s_addr);
    if (address->sa_family != AF_INET6) return 0;
    const struct in6_addr *long_form = &((const struct sockaddr_in6 *)address)->sin6_addr;
    uint32_t short_form;
    uint64_t number = 0;
    memcpy(&short_form, long_form->s6_addr + 12, sizeof short_form);
    if (IN6_IS_ADDR_V4MAPPED(long_form)) return ipv4(short_form);
    for (size_t i = 0; i < 8; i++) number = number << 8 | long_form->s6_addr[i];
    return number;
}

struct peer *account_peer(struct http_account *account, const struct sockaddr *address)
{
    uint64_t number = number_of(address);
    struct peer *peer = map_get(&account->peers, number);
    if (!peer) {
        peer = calloc(1, sizeof *peer);
        must(peer);
        peer->address = number;
        peer->account = account;
        map_put(&account->peers, number, peer);
    }
    account_ref(peer);
    return peer;
}

void account_ref(struct peer *peer) { peer->users++; }

void account_unref(struct peer *peer, int64_t now_ms)
{
    must(peer->users);
    if (--peer->users) return;
    must(!peer->known_bytes && !peer->stranger_bytes && !peer->pinned_bytes);
    peer->left_ms = now_ms;
    if (peer->is_left) return;
    if (!peer->resets.level) {
        forget(peer);
        return;
    }
    peer->is_left = true;
    list_append(&peer->account->left, peer, left_next);
}
