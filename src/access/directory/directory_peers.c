/* access/directory/directory_peers.c — callers whose network or certificate is trusted. */
#include "access/directory/directory_int.h"

enum status directory_check_network(str name, struct error *err)
{
    struct directory_network network;
    return directory_address_network(name, &network, err);
}

static void add(struct directory *directory, enum principal_kind kind, const struct trusted *trusted)
{
    struct directory_peer *peer = &directory->peer[directory->peer_count++];
    must(!(trusted->roles & 1u << ROLE_ADMIN));
    peer->kind = kind;
    peer->trusted = (struct trusted){
        .name = arena_str(&directory->arena, trusted->name),
        .roles = trusted->roles,
        .tenant = trusted->tenant.n ? arena_str(&directory->arena, trusted->tenant) : STR("default"),
    };
    directory_tenants_await(directory, peer->trusted.tenant);
    if (kind == PRINCIPAL_NETWORK)
        must(directory_address_network(peer->trusted.name, &peer->network, NULL) == ST_OK);
}

void directory_peers_add(struct directory *directory, const struct directory_config *config)
{
    directory->peer = arena_make_n(&directory->arena, struct directory_peer,
                                   config->network_count + config->certificate_count);
    for (size_t i = 0; i < config->network_count; i++) add(directory, PRINCIPAL_NETWORK, &config->network[i]);
    for (size_t i = 0; i < config->certificate_count; i++)
        add(directory, PRINCIPAL_CERTIFICATE, &config->certificate[i]);
}

void directory_peers_free(struct directory *directory)
{
    for (size_t i = 0; i < directory->peer_count; i++) principal_unref(directory->peer[i].principal);
}

static struct principal *make_principal(const struct directory_peer *peer, int32_t tenant)
{
    struct principal *principal = principal_new(peer->kind);
    struct arena *arena = &principal->arena_;
    struct grant *grant = arena_make_n(arena, struct grant, ROLE_COUNT);
    const char *word = principal_kind_word(peer->kind);
    principal->name = arena_str(arena, peer->trusted.name);
    principal->id = arena_printf(arena, "%s:%.*s", word, STR_ARG(principal->name));
    principal->home = tenant;
    principal->generation = GENERATION_ALWAYS;
    principal->grant = grant;
    str source = arena_printf(arena, "the trusted %s %.*s", word, STR_ARG(principal->name));
    for (size_t i = 0; i < ROLE_COUNT; i++)
        if (peer->trusted.roles & 1u << i)
            grant[principal->grant_count++] =
                (struct grant){ .role = (enum role)i, .tenant = tenant, .source = source };
    return principal;
}

/* There is no principal while its tenant is not there. A tenant that was made again has another number. */
static struct principal *principal_of(struct directory *directory, struct directory_peer *peer)
{
    const struct tenant *tenant = directory_tenants_find(directory, peer->trusted.tenant);
    if (!tenant) return principal_nobody(false);
    if (peer->principal && peer->principal->home != tenant->number) {
        principal_unref(peer->principal);
        peer->principal = NULL;
    }
    if (!peer->principal) peer->principal = make_principal(peer, tenant->number);
    return peer->principal;
}

static struct directory_peer *find_certificate(struct directory *directory, str subject)
{
    for (size_t i = 0; i < directory->peer_count && subject.n; i++)
        if (directory->peer[i].kind == PRINCIPAL_CERTIFICATE &&
            str_equal(directory->peer[i].trusted.name, subject))
            return &directory->peer[i];
    return NULL;
}

static struct directory_peer *find_network(struct directory *directory, str text)
{
    struct directory_peer *best = NULL;
    struct directory_address address;
    if (!directory_address_parse(text, &address)) return NULL;
    for (size_t i = 0; i < directory->peer_count; i++) {
        struct directory_peer *peer = &directory->peer[i];
        if (peer->kind != PRINCIPAL_NETWORK || !directory_address_is_in(&address, &peer->network)) continue;
        if (!best || peer->network.bits > best->network.bits) best = peer;
    }
    return best;
}

struct principal *directory_of_peer(struct directory *directory, str address, str certificate_subject)
{
    if (!directory_is_closed(directory)) return principal_ref(principal_nobody(true));
    if (!directory->peer_count) return principal_ref(principal_nobody(false));
    struct directory_peer *peer = find_certificate(directory, certificate_subject);
    if (!peer) peer = find_network(directory, address);
    if (!peer) return principal_ref(principal_nobody(false));
    directory_lock(directory);
    struct principal *principal = principal_ref(principal_of(directory, peer));
    directory_unlock(directory);
    return principal;
}
