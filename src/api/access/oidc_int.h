/* api/access/oidc_int.h — the handlers of logins by a provider, and of our own tokens. */
#ifndef API_ACCESS_OIDC_INT_H
#define API_ACCESS_OIDC_INT_H

#include "api/route_int.h"

/* "https://pawl.example": where the client finds us. */
str oidc_own_address(const struct api_request *request);

route_fn oidc_start, oidc_callback, oidc_session, oidc_test;

/* Providers, trusted keys and key pairs of cyoda: providers.c, trusted_keys.c, key_pairs.c. */
route_fn providers_list, providers_register, providers_change, providers_invalidate, providers_reactivate;
route_fn providers_remove, providers_reload;
route_fn trusted_list, trusted_register, trusted_invalidate, trusted_reactivate, trusted_remove;
route_fn key_pairs_issue, key_pairs_current, key_pairs_invalidate, key_pairs_reactivate, key_pairs_remove;

/* For clients of cyoda: oauth_token.c, signing.c, clients.c. */
route_fn oauth_token, signing_jwks, clients_list, clients_create, clients_remove, clients_reset_secret;

#endif
