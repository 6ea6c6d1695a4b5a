/* api/connections/connections_int.h — the handlers of /api/connections. */
#ifndef API_CONNECTIONS_INT_H
#define API_CONNECTIONS_INT_H

#include "api/route_int.h"

route_fn connections_list, connections_test;

/* The broker whose settings the secret has; NULL: no trigger of the caller's tenant uses it. */
const struct api_broker *connections_broker(const struct api_request *request, str name);

#endif
