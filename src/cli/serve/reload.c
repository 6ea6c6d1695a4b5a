/* cli/serve/reload.c — reads token, certificate and log file again, and says what became of each. */
#include "cli/serve/reload.h"

#include "api/api.h"
#include "base/log.h"
#include "cli/input.h"
#include "cli/limits.h"
#include "net/net.h"
#include "vault/vault.h"

enum status reload_read_token(const char *file, struct arena *arena, str *ret_token, struct error *err)
{
    str text;
    TRY(vault_check_readers(file, "the token file", err));
    TRY(input_read_file(file, BEARER_BYTES_MAX, arena, &text, err));
    text = str_trim(text);
    if (!text.n) return fail(err, ST_INVALID, file, "%s: no token in it", file);
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] <= ' ' || text.p[i] > '~')
            return fail(err, ST_INVALID, file, "%s: a token is one line of printable ASCII without blanks",
                        file);
    *ret_token = text;
    return ST_OK;
}

enum status reload_check_key(const char *file, struct error *err)
{
    return vault_check_readers(file, "the key file of TLS", err);
}

/* Says what became of a part. */
static void tell(const char *part, const char *file, enum status status, const struct error *err)
{
    if (status == ST_OK) log_write(LOG_INFO, "reloaded", "what", part, "file", file, NULL);
    else
        log_write(LOG_ERROR, "not reloaded; the engine goes on with what it has", "what", part, "file", file,
                  "reason", err->message, NULL);
}

/* The log comes first, so that the new file tells about the others. */
static void reload_log(const struct reload *reload)
{
    struct error err;
    if (!reload->log_file) return;
    enum status status = log_open(reload->log_file, &err);
    tell("log", reload->log_file, status, &err);
}

static void reload_token(const struct reload *reload)
{
    struct arena arena;
    struct error err;
    str token;
    if (!reload->token_file) return;
    if (reload->keeps_token) {
        log_write(LOG_WARN, "the token stays as it is, because --demo uses it", NULL);
        return;
    }
    arena_init(&arena, 0);
    enum status status = reload_read_token(reload->token_file, &arena, &token, &err);
    if (status == ST_OK) api_set_secret(reload->api, token);
    tell("token", reload->token_file, status, &err);
    arena_done(&arena);
}

static void reload_certificate(const struct reload *reload)
{
    struct error err;
    if (!reload->tls_certificate) return;
    enum status status = reload_check_key(reload->tls_key, &err);
    if (status == ST_OK) status = http_server_reload_tls(reload->server, &err);
    if (status == ST_OK && reload->grpc_server) status = http_server_reload_tls(reload->grpc_server, &err);
    tell("certificate", reload->tls_certificate, status, &err);
}

void reload_all(const struct reload *reload)
{
    reload_log(reload);
    reload_token(reload);
    reload_certificate(reload);
    if (!reload->log_file && !reload->token_file && !reload->tls_certificate)
        log_write(LOG_INFO, "nothing to reload: there is no token file, no certificate and no log file",
                  NULL);
}
