/* net/protocols.c — the protocols that a server speaks. */
#include "net/protocol_int.h"

const struct protocol *const protocols_all[] = { &http2_protocol, &http1_protocol, NULL };
const struct protocol *const protocols_http2[] = { &http2_protocol, NULL };
