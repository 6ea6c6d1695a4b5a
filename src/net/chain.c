/* net/chain.c — connections one behind the other, which leave from any place. */
#include "net/protocol_int.h"

static struct chain_link *link_of(struct connection *connection, enum chain_name name)
{
    return &connection->link[name];
}

void chain_append(struct chain *chain, enum chain_name name, struct connection *connection)
{
    *link_of(connection, name) = (struct chain_link){ .before = chain->last };
    if (chain->last) link_of(chain->last, name)->after = connection;
    else chain->first = connection;
    chain->last = connection;
}

void chain_remove(struct chain *chain, enum chain_name name, struct connection *connection)
{
    struct chain_link *link = link_of(connection, name);
    if (link->before) link_of(link->before, name)->after = link->after;
    else chain->first = link->after;
    if (link->after) link_of(link->after, name)->before = link->before;
    else chain->last = link->before;
}
