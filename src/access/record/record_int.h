/* access/record/record_int.h — checks of single values, for record.c. */
#ifndef ACCESS_RECORD_INT_H
#define ACCESS_RECORD_INT_H

#include "access/record/record.h"

/* ST_INVALID at `where`, a JSON Pointer, or at a place inside. */
typedef enum status record_value_fn(const struct json *value, const char *where, struct error *err);

record_value_fn record_value_text, record_value_said, record_value_flag, record_value_time, record_value_hash;
record_value_fn record_value_number, record_value_client;
record_value_fn record_value_role, record_value_roles, record_value_groups;
record_value_fn record_value_scope, record_value_scopes, record_value_holder;
record_value_fn record_value_tenant, record_value_tenant_or_all;
record_value_fn record_value_user_state, record_value_key_state, record_value_tenant_state;
record_value_fn record_value_issuer, record_value_path, record_value_secret_ref, record_value_audience;
record_value_fn record_value_keys, record_value_role_map, record_value_quotas;
record_value_fn record_trust_well_known, record_trust_few, record_trust_claim;
record_value_fn record_trust_key_audience, record_trust_jwk;

/* The JSON Pointer of a member, whose name may be anything; a long name is cut. */
void record_value_place(str member, char ret_place[ERROR_WHERE_BYTES]);

/* The roles of a list whose form has been checked. */
role_set record_value_role_set(const struct json *roles);

#endif
