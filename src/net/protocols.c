/* net/protocols.c — the protocols that a server speaks. */
#include "net/protocol_int.h"

const struct protocol *const protocols_all[] = { &http1_protocol, NULL };
