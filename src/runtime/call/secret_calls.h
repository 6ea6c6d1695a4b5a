/* runtime/call/secret_calls.h — requests and answers about secrets. */
#ifndef RUNTIME_CALL_SECRET_CALLS_H
#define RUNTIME_CALL_SECRET_CALLS_H

#include "vault/vault.h"

/* SET_SECRET, REMOVE_SECRET. */
struct call_secret {
    str name;
    str value; /* SET_SECRET */
};

/* LIST_SECRETS. */
struct call_secrets {
    str after; /* Only names behind it; empty: from the first. */
    size_t max;
};

/* A secret, without its value. */
struct secret_view {
    str name;
    enum vault_source source;
    int64_t created_ms, updated_ms; /* 0: it is given, or the row does not tell. */
    bool overridden;                /* A given secret of that name is used instead. */
};

/* SET_SECRET, LIST_SECRETS, REKEY_SECRETS. */
struct answer_secrets {
    struct secret_view *view;
    size_t count;
    bool more;       /* LIST_SECRETS: there may be more behind the last one. */
    bool is_new;     /* SET_SECRET: there was none of that name. */
    size_t resealed; /* REKEY_SECRETS: how many there are. */
};

#endif
