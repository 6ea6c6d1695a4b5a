/* runtime/call/secret_calls.h — requests and answers about secrets. */
#ifndef RUNTIME_CALL_SECRET_CALLS_H
#define RUNTIME_CALL_SECRET_CALLS_H

#include "vault/vault.h"

/* SET_SECRET, REMOVE_SECRET, TEST_CONNECTION. */
struct call_secret {
    str name;
    str value; /* SET_SECRET */
};

/* LIST_SECRETS, LIST_CONNECTIONS (max). */
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

/* The mail server of the engine itself (--smtp), among connections. No secret begins with a dot. */
#define CONNECTION_OWN_MAIL ".smtp"

/* Documents use secrets for these, as far as the place of a secret tells. */
/* clang-format off */
#define CONNECTION_KIND_MAP(XX)  \
    XX(SECRET,   "secret")       \
    XX(MAIL,     "mail")         \
    XX(DATABASE, "database")     \
    XX(BROKER,   "broker")       \
    XX(HTTP,     "http")
/* clang-format on */

enum connection_kind {
#define XX(NAME, word) CONNECTION_##NAME,
    CONNECTION_KIND_MAP(XX)
#undef XX
        CONNECTION_KIND_COUNT
};

/* A place of a published document that names a secret. */
struct connection_use {
    str definition_id, title;
    int32_t version;
    str place; /* A JSON Pointer; empty: the whole document. */
};

/* A secret that is there, or that a document names. */
struct connection_view {
    str name;
    unsigned kinds;                   /* Bits 1 << enum connection_kind. */
    bool is_set;                      /* A source has its value, … */
    const struct secret_view *secret; /* … and this one is used. NULL: nobody has it. */
    struct connection_use *use;       /* The first CONNECTION_USES_MAX that the caller may see, … */
    size_t use_count, use_total;      /* … and how many there are. */
};

/* SET_SECRET, LIST_SECRETS, REKEY_SECRETS, LIST_CONNECTIONS. */
struct answer_secrets {
    struct secret_view *view;
    size_t count;
    bool more;       /* LIST_SECRETS: there may be more behind the last one. */
    bool is_new;     /* SET_SECRET: there was none of that name. */
    size_t resealed; /* REKEY_SECRETS: how many there are. */
    /* LIST_CONNECTIONS: */
    struct connection_view *connection; /* By name. */
    size_t connection_count;
    bool cut;                            /* There are more names or definitions than it looks at. */
    struct connection_listing *listing_; /* The runtime's own. */
};

#endif
