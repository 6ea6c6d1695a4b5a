/* api/secrets/secrets_int.h — the handlers of /api/secrets. */
#ifndef API_SECRETS_INT_H
#define API_SECRETS_INT_H

#include "api/route_int.h"

route_fn secrets_list_names, secrets_put, secrets_delete, secrets_rekey;

#endif
