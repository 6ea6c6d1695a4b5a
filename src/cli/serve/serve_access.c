/* cli/serve/serve_access.c — settings about access: trusted networks and certificates, proxies, the access
 * file, the first admin. */
#define _GNU_SOURCE

#include "cli/serve/serve_access.h"

#include "access/record/file.h"
#include "base/log.h"
#include "cli/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { APPLY_WAIT_MS = 60000 };

/* ---- trusted networks and certificates ---- */

static enum status read_roles(const char *option, str text, role_set *ret_roles, struct error *err)
{
    *ret_roles = 0;
    while (text.n) {
        size_t comma = str_find(text, STR(","), 0);
        str word = str_trim(str_slice(text, 0, comma));
        enum role role;
        if (!role_find(word, &role) || role == ROLE_ADMIN)
            return fail(err, ST_INVALID, option, "%s: \"%.*s\" is no role that it can give", option,
                        STR_ARG(word));
        *ret_roles |= 1u << role;
        text = comma == SIZE_MAX ? STR_NONE : str_slice(text, comma + 1, text.n);
    }
    return *ret_roles ? ST_OK : fail(err, ST_INVALID, option, "%s needs roles behind its =", option);
}

/* The roles, and the tenant behind them: "worker,sender@acme". */
static enum status read_given(const char *option, str text, struct trusted *trusted, struct error *err)
{
    struct error why;
    size_t at = str_find(text, STR("@"), 0);
    if (at != SIZE_MAX) trusted->tenant = str_slice(text, at + 1, text.n);
    if (at != SIZE_MAX && access_check_name(ACCESS_TENANT, trusted->tenant, &why) != ST_OK)
        return fail(err, ST_INVALID, option, "%s: %s", option, why.message);
    return read_roles(option, str_slice(text, 0, at), &trusted->roles, err);
}

/* "10.1.0.0/16=worker,sender@acme" */
static enum status read_network(str text, struct trusted *trusted, struct error *err)
{
    struct error why;
    size_t equals = str_find(text, STR("="), 0);
    if (equals == SIZE_MAX)
        return fail(err, ST_INVALID, "--trust-network",
                    "--trust-network: \"%.*s\" is not NETWORK=ROLES[@TENANT]", STR_ARG(text));
    trusted->name = str_slice(text, 0, equals);
    if (directory_check_network(trusted->name, &why) != ST_OK)
        return fail(err, ST_INVALID, "--trust-network", "--trust-network: %s", why.message);
    return read_given("--trust-network", str_slice(text, equals + 1, text.n), trusted, err);
}

/* "CN=line-7=worker,sender@acme": a name may have signs of its own, and roles have none. */
static enum status read_certificate(str text, struct trusted *trusted, struct error *err)
{
    size_t equals = text.n;
    while (equals && text.p[equals - 1] != '=') equals--;
    if (!str_starts(text, STR("CN=")) || equals < sizeof "CN=x")
        return fail(err, ST_INVALID, "--trust-certificate",
                    "--trust-certificate: \"%.*s\" is not CN=NAME=ROLES[@TENANT]", STR_ARG(text));
    trusted->name = str_slice(text, 0, equals - 1);
    return read_given("--trust-certificate", str_slice(text, equals, text.n), trusted, err);
}

typedef enum status trusted_fn(str text, struct trusted *trusted, struct error *err);

/* Commas separate roles here and items of the environment there: an item without `=` belongs to the one
 * before it. */
static enum status read_list(const struct option_value *given, trusted_fn *read, struct arena *arena,
                             const struct trusted **ret_list, size_t *ret_count, struct error *err)
{
    struct trusted *list = arena_make_n(arena, struct trusted, given->list_count);
    size_t count = 0;
    for (size_t i = 0; i < given->list_count;) {
        str text = given->list[i++];
        for (; i < given->list_count && str_find(given->list[i], STR("="), 0) == SIZE_MAX; i++)
            text = arena_printf(arena, "%.*s,%.*s", STR_ARG(text), STR_ARG(given->list[i]));
        TRY(read(text, &list[count++], err));
    }
    *ret_list = list;
    *ret_count = count;
    return ST_OK;
}

static enum status read_peers(const struct options *options, struct directory_config *config,
                              struct error *err)
{
    const struct option_value *value = options->value;
    TRY(read_list(&value[OPTION_TRUST_NETWORKS], read_network, options->arena, &config->network,
                  &config->network_count, err));
    return read_list(&value[OPTION_TRUST_CERTIFICATES], read_certificate, options->arena,
                     &config->certificate, &config->certificate_count, err);
}

enum status serve_access_check_tls(const struct serve_access *access, const char *certificate,
                                   const char *client_ca, struct error *err)
{
    bool trusts = access->directory.certificate_count > 0;
    if (client_ca && !certificate)
        return fail(err, ST_INVALID, "--tls-client-ca", "--tls-client-ca needs --tls-cert and --tls-key");
    if (trusts && !client_ca)
        return fail(err, ST_INVALID, "--trust-certificate", "--trust-certificate needs --tls-client-ca");
    if (client_ca && !trusts)
        return fail(err, ST_INVALID, "--tls-client-ca", "--tls-client-ca needs --trust-certificate");
    return ST_OK;
}

/* ---- the others ---- */

static enum status read_public_url(str url, struct serve_access *access, struct error *err)
{
    size_t mark = str_find(url, STR("://"), 0);
    bool plain = str_starts(url, STR("http://")), secure = str_starts(url, STR("https://"));
    if (!url.n) return ST_OK;
    str rest = mark == SIZE_MAX ? STR_NONE : str_slice(url, mark + 3, url.n);
    if (rest.n && rest.p[rest.n - 1] == '/') {
        rest.n--;
        url.n--;
    }
    if ((!plain && !secure) || !rest.n || str_find(rest, STR("/"), 0) != SIZE_MAX)
        return fail(err, ST_INVALID, "--public-url",
                    "--public-url: \"%.*s\" is not like https://pawl.example", STR_ARG(url));
    access->public_url = url;
    access->behind_tls = secure;
    return ST_OK;
}

enum status serve_access_read(const struct options *options, struct serve_access *ret_access,
                              struct error *err)
{
    struct serve_access access = { .file = option_path(options, OPTION_ACCESS_FILE),
                                   .audit_file = option_path(options, OPTION_AUDIT_FILE),
                                   .users = option_on(options, OPTION_USERS),
                                   .proxies = &options->value[OPTION_PROXIES] };
    struct error why;
    access.directory.asks_always = access.users;
    TRY(read_peers(options, &access.directory, err));
    TRY(read_public_url(option_text(options, OPTION_PUBLIC_URL), &access, err));
    for (size_t i = 0; i < access.proxies->list_count; i++)
        if (directory_check_network(access.proxies->list[i], &why) != ST_OK)
            return fail(err, ST_INVALID, "--proxy", "--proxy: %s", why.message);
    *ret_access = access;
    return ST_OK;
}

/* ---- the access file ---- */

static void note_done(struct call *call) { *(bool *)call->user = true; }

/* Nobody is served yet, so there is nothing else to do meanwhile. */
static enum status run(struct runtime_client *client, struct call *call, bool *done, struct error *err)
{
    const struct timespec pause = { .tv_nsec = 1000 * 1000 };
    TRY(runtime_submit(client, call));
    for (int i = 0; !*done && i < APPLY_WAIT_MS; i++) {
        runtime_flush(client);
        runtime_deliver(client);
        if (!*done) nanosleep(&pause, NULL);
    }
    if (!*done)
        return fail(err, ST_BUSY, "--access-file", "the store did not take the access file in a minute");
    if (call->status != ST_OK)
        return fail(err, call->status, "--access-file", "--access-file: %s%s%s", call->error.where,
                    call->error.where[0] ? ": " : "", call->error.message);
    return ST_OK;
}

enum status serve_access_apply(const struct serve_access *access, struct runtime_client *client,
                               struct arena *arena, struct error *err)
{
    const struct json *document;
    struct call_access asked = { 0 };
    struct error why;
    static bool done; /* The call may outlive this function if the store does not answer. */
    if (!access->file) return ST_OK;
    str name = arena_printf(arena, "@%s", access->file);
    TRY(input_json(name, "--access-file", arena, &document, err));
    if (access_file_read(document, arena, &asked.change, &asked.count, &why) != ST_OK)
        return fail(err, why.status, "--access-file", "%s: %s: %s", access->file, why.where, why.message);
    done = false;
    if (!asked.count) return ST_OK;
    TRY(run(client, call_change_access((struct call_origin){ arena, note_done, &done }, &asked), &done, err));
    log_write(LOG_INFO, "the access file was applied", "file", access->file, NULL);
    return ST_OK;
}

/* ---- the first admin ---- */

static enum status write_link(const char *path, str link, struct error *err)
{
    unlink(path);
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool good = file >= 0 && write(file, link.p, link.n) == (ssize_t)link.n && write(file, "\n", 1) == 1;
    int why = errno;
    if (file >= 0) close(file);
    return good ? ST_OK : fail(err, ST_INVALID, path, "%s: %s", path, strerror(why));
}

static enum status tell_link(struct api *api, str url, const char *data, struct arena *arena,
                             struct error *err)
{
    str code = api_open_setup(api, arena);
    str link = arena_printf(arena, "%.*s/ui/login?setup=%.*s", STR_ARG(url), STR_ARG(code));
    const char *path = data ? arena_printf(arena, "%s/first-admin-link", data).p : NULL;
    if (path) TRY(write_link(path, link, err));
    log_write(LOG_WARN, "there is no user yet; this link makes the first admin, once and within an hour",
              "link", link.p, path ? "file" : NULL, path, NULL);
    explicit_bzero((char *)(uintptr_t)link.p, link.n);
    explicit_bzero((char *)(uintptr_t)code.p, code.n);
    return ST_OK;
}

enum status serve_access_tell(const struct serve_access *access, struct api *api,
                              const struct directory *directory, str url, const char *data,
                              struct arena *arena, struct error *err)
{
    for (size_t i = 0; i < access->directory.network_count; i++)
        log_write(LOG_WARN, "callers from this network need no credential", "network",
                  arena_str(arena, access->directory.network[i].name).p, NULL);
    for (size_t i = 0; i < access->directory.certificate_count; i++)
        log_write(LOG_WARN, "clients with this certificate need no other credential", "certificate",
                  arena_str(arena, access->directory.certificate[i].name).p, NULL);
    api_look_at_issuers(api);
    if (!access->users || directory_has_users(directory)) return ST_OK;
    return tell_link(api, access->public_url.n ? access->public_url : url, data, arena, err);
}
