/* cli/client/words.h — the words for people of statuses that an answer has (SHOW_STATUS_MAP). */
#ifndef CLI_CLIENT_WORDS_H
#define CLI_CLIENT_WORDS_H

#include "cli/client/client.h"
#include "dialect/show/sentences.h"

/* The word for a status in words of /api or of /v1, of an instance or a visit. A word that this program does
 * not know stays as it is: the server may be newer. */
str words_screen(str status);

/* How an instance of /v1 stands. Its answers do not tell a person from an event, nor open work from a time,
 * so the server is asked for the finer word if the instance lives. */
str words_status(struct client *client, const struct json *instance);

/* Has an instance of /v1 ended so? */
bool words_ended(struct client *client, const struct json *instance, enum instance_status status);

#endif
