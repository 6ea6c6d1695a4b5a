/* api/forward_int.h — requests of HTTP whose transaction is in the memory of another node of the store. */
#ifndef API_FORWARD_INT_H
#define API_FORWARD_INT_H

#include "api/api_int.h"

/* Does the request have the token of another node that lives? */
bool forward_is_due(const struct api_request *request);
/* That node runs it, and its answer is ours. If it dies meanwhile, the request's own handler runs. */
enum status forward_request(struct api_request *request, struct error *err);

#endif
