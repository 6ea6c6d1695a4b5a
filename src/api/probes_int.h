/* api/probes_int.h — is the engine ready? */
#ifndef API_PROBES_INT_H
#define API_PROBES_INT_H

#include "api/api_int.h"

/* The answer of /readyz and of the health service of gRPC: ST_OK, or why not. */
enum status probes_check_ready(const struct api *api, struct error *err);

#endif
