/* api/missing_int.h — what a published document needs and does not have. */
#ifndef API_MISSING_INT_H
#define API_MISSING_INT_H

#include "api/request_int.h"

/* Tells the upload what this process has: a mail server, calculation nodes of the tenant. On the network's
 * thread. */
void missing_ask(struct api_request *request, struct call_deploy *asked);

/* Puts the member `missing` of the answer, if anything is. */
void missing_put(const struct call *call, struct buf *out);

#endif
