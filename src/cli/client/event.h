/* cli/client/event.h — sends events and shows what they did. */
#ifndef CLI_CLIENT_EVENT_H
#define CLI_CLIENT_EVENT_H

#include "cli/options.h"

/* Sends the unmatched event of that number again and shows what it did; returns the exit code. */
int event_resend(const struct options *options, str number);

#endif
