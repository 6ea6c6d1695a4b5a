/* cli/serve/serve_access.h — the settings of `pawl serve` about access, and their part of its start. */
#ifndef CLI_SERVE_SERVE_ACCESS_H
#define CLI_SERVE_SERVE_ACCESS_H

#include "access/directory/directory.h"
#include "api/api.h"
#include "cli/options.h"

struct serve_access {
    struct directory_config directory; /* Without the root secret. */
    const char *file;                  /* --access-file; NULL: none. */
    const char *audit_file;            /* --audit-file; NULL: none. */
    bool users;                        /* --users */
    str public_url;                    /* Without a slash at its end; empty: none. */
    bool behind_tls;
    const struct option_value *proxies;
};

/* Reads the settings and checks them. */
enum status serve_access_read(const struct options *options, struct serve_access *ret_access,
                              struct error *err);

/* Trusted certificates, the authority behind them and TLS go together: ST_INVALID. */
enum status serve_access_check_tls(const struct serve_access *access, const char *certificate,
                                   const char *client_ca, struct error *err);

/* Puts what the access file has into the store, before anybody is served. */
enum status serve_access_apply(const struct serve_access *access, struct runtime_client *client,
                               struct arena *arena, struct error *err);

/* Says which networks and certificates are trusted and, with --users and without a user, tells of the link
 * for the first admin: in the log, and in a file of the data directory (NULL: there is none) that only its
 * owner reads. */
enum status serve_access_tell(const struct serve_access *access, struct api *api,
                              const struct directory *directory, str url, const char *data,
                              struct arena *arena, struct error *err);

#endif
