/* cli/serve/serve_nodes.h — messages between nodes of a shared store, proved by a key of the vault. */
#ifndef CLI_SERVE_SERVE_NODES_H
#define CLI_SERVE_SERVE_NODES_H

#include "store/node_messages.h"
#include "vault/proof.h"

/* Both are NULL if the store has one node. The messages are closed before the proofs are freed. */
struct serve_nodes {
    struct proof_keys *proofs;
    struct node_messages *messages;
};

enum status serve_nodes_open(struct store *store, struct vault *vault, store_wake_fn *wake, void *context,
                             struct serve_nodes *ret_nodes, struct error *err);

#endif
