/* cli/client/listing.h — the verbs that print one page of a list. */
#ifndef CLI_CLIENT_LISTING_H
#define CLI_CLIENT_LISTING_H

#include "cli/client/client.h"
#include "cli/table.h"

struct listing {
    const char *what;            /* "instances" */
    const char *const *headings; /* Ended by NULL. */
    /* Fills in the cells of a row. */
    void (*row)(struct client *client, const struct json *item, str *ret_cells);
};

/* GETs the page, prints it as a table or as JSON, and closes the client. */
int listing_print(struct client *client, str path, const struct listing *listing);

/* Prints the answer that the client has, in the same ways. */
int listing_show(struct client *client, const struct listing *listing);

#endif
