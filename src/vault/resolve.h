/* vault/resolve.h — secrets put into the input of a call, and taken out of what comes back.
 *
 * A dialect never sees a secret's value. It renders a task's input with `***` in the place of each secret and
 * adds one member to the top level of the input, which no document and no data can name because the dialect
 * itself builds that level:
 *
 *     { "headers": {"Authorization": "Bearer ***"},
 *       "\u0001secrets": [ {"at": "/headers/Authorization", "parts": ["Bearer ", {"secret": "api_key"}]} ] }
 *
 * This input is what is stored, in the instance and in its history. Views show it without the member
 * (performer_input_shown()). Only when a call leaves, vault_resolve() makes the input that the call needs, in
 * memory of that call. Nothing stores it.
 *
 * An answer may repeat a secret: vault/scrub.h takes it out.
 */
#ifndef VAULT_RESOLVE_H
#define VAULT_RESOLVE_H

#include "base/arena.h"
#include "base/status.h"
#include "base/tenant.h"

struct json;

/* The member's name. */
#define RESOLVE_MEMBER "\1secrets"
/* The text in the place of a secret. */
#define RESOLVE_MASK "***"

/* The value of a tenant's secret, in the arena; false if there is none of that name. */
typedef bool vault_lookup_fn(void *context, int32_t tenant, str name, struct arena *arena, str *ret_value);

struct vault_lookup {
    vault_lookup_fn *find;
    void *context;
    int32_t tenant; /* The tenant whose secrets are found; 0: the default one. */
};

/* Looks into a vault on behalf of a tenant; `vault` may be NULL, and then there is no secret. */
struct vault;
struct vault_lookup vault_lookup_in(struct vault *vault, int32_t tenant);

/* The input without the member and with every text filled in; an input without the member is returned as it
 * is. ST_NOT_FOUND: a secret is missing; `where` is SECRET_NOT_FOUND, and the message names it. ST_INVALID:
 * the member is not of this form (`where` is SECRET_INVALID). */
enum status vault_resolve(const struct json *input, const struct vault_lookup *lookup, struct arena *arena,
                          const struct json **ret_resolved, struct error *err);

/* The text of a secret that a configuration names: `ref` is "vault:NAME" or only NAME. For connections, whose
 * secret is a URI or a JSON object as text. Fails like vault_resolve(). */
enum status vault_reference(const struct vault_lookup *lookup, str ref, struct arena *arena, str *ret_text,
                            struct error *err);

#endif
