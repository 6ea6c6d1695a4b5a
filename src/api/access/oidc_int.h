/* api/access/oidc_int.h — the handlers of logins by a provider, and of our own tokens. */
#ifndef API_ACCESS_OIDC_INT_H
#define API_ACCESS_OIDC_INT_H

#include "api/route_int.h"

route_fn oidc_start, oidc_callback, oidc_session, oidc_test;

/* For clients of cyoda: oauth_token.c, signing.c, clients.c. */
route_fn oauth_token, signing_jwks, clients_list, clients_create, clients_remove, clients_reset_secret;

#endif
