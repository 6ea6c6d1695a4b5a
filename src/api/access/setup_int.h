/* api/access/setup_int.h — the link for the first admin: `pawl serve --users`. */
#ifndef API_ACCESS_SETUP_INT_H
#define API_ACCESS_SETUP_INT_H

#include "api/access/access_int.h"

/* Is there a link that still counts, and no user? */
bool setup_is_open(const struct api *api);

#endif
