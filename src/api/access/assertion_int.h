/* api/access/assertion_int.h — the check of an assertion about a user. */
#ifndef API_ACCESS_ASSERTION_INT_H
#define API_ACCESS_ASSERTION_INT_H

#include "api/api_int.h"
#include "api/aside_int.h"

#include "access/token/token.h"

/* In an arena that lives until `done`. */
struct assertion {
    struct api_request *request;
    str text;
    int32_t tenant_number; /* Its trusted keys count. */
    struct arena *arena;
    net_fn *done; /* On the network's thread. */
    void *context;
    /* Outcome. */
    const char *why;    /* Not NULL: it does not count. */
    bool is_known;      /* A trusted key has the token's kid, or the token is none at all. */
    bool is_store_away; /* The store could not be asked. */
    str user, tenant;   /* As the claims say. */
    const struct json *said_roles;
    int64_t expires_ms;
    /* ---- private ---- */
    struct token_text token_;
    struct issuer issuer_;
    str key_text_;
    struct aside_work aside_;
    enum status status_;
    struct error err_;
};
void assertion_check(struct assertion *assertion);

#endif
