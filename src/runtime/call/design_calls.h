/* runtime/call/design_calls.h — calls about documents: how they look, how they differ, what their parts do.
 * All but RESTORE and APPLY read, and the query thread answers them. */
#ifndef RUNTIME_CALL_DESIGN_CALLS_H
#define RUNTIME_CALL_DESIGN_CALLS_H

#include "core/core.h"
#include "program/problems.h"
#include "schema/schema.h"
#include "source/source.h"
#include "store/store.h"

/* A published document needs it outside, and it is not there: the words before its name, those behind it, and
 * what follows. */
/* clang-format off */
#define MISSING_MAP(XX)                                                                                       \
    XX(SECRET,           "the secret",                           "is not set",   "calls that use it fail")    \
    XX(CONNECTION,       "the connection",                       "is not set",   "steps that use it fail")    \
    XX(WORKER,           "no worker polls for jobs of type",     "",             "they wait until one does")  \
    XX(CALCULATION_NODE, "no calculation node with the tags",    "is connected", "requests to it fail")
/* clang-format on */
enum missing_kind {
#define XX(NAME, ...) MISSING_##NAME,
    MISSING_MAP(XX)
#undef XX
};
const char *missing_word(enum missing_kind kind); /* "MISSING_SECRET" */

struct missing_view {
    enum missing_kind kind;
    str name;  /* A secret, a job type, or tags; "--smtp": the engine's own mail server. */
    str place; /* The JSON Pointer of the first place that needs it. */
};

/* A sentence: it is not there, and what follows. `where` is behind the verb, such as " at this node". */
str missing_sentence(const struct missing_view *missing, const char *where, struct arena *arena);

/* Things that the process of the caller has. */
struct around_member {
    const str *tag;
    size_t tag_count;
};
struct call_around {
    bool has_mail;                      /* A mail server of messages that name none. */
    const struct around_member *member; /* Calculation nodes of the tenant, on all nodes. */
    size_t member_count;
};

/* PICTURE: of a published version, or of a document that is not published. */
struct call_picture {
    str id;          /* The id of the definition; empty: the text is drawn. */
    int32_t version; /* 0: the latest. */
    str text;
    enum source_format format;
    bool own_places; /* Nodes are where the document says. */
};

/* LIST_SUMMARIES: by id. LIST_TABLES: the same, with the keyword, `after` and `max` alone. */
struct call_summaries {
    str keyword;        /* A part of id or title; empty: any. */
    str dialect;        /* Empty: any. */
    bool with_warnings; /* Only definitions whose document has warnings. */
    str after;          /* Only ids behind it. */
    size_t max;
};

/* A trigger by which somebody can start an instance. */
struct summary_start {
    str trigger, label;
    enum arrival_type type;
};

/* A definition as a whole. GET_SUMMARY fills in everything, the list all but the last part. */
struct summary_view {
    struct definition_row row;  /* The row of the latest version. */
    struct store_counts counts; /* The counts of all versions. */
    bool has_failure;
    struct failure_row failure; /* The latest one. */
    str failure_code;           /* Its code (program/reason.h); empty: none. */
    size_t warnings, triggers;
    str first_warning;
    const char *first_warning_code; /* NULL: there is none. */
    const struct json *tags;
    bool has_draft;

    struct definition_row *version; /* Newest first, SUMMARY_VERSIONS_MAX at most; without sources. */
    size_t version_count;
    const struct json *input_schema; /* NULL: none. */
    bool is_startable;
    bool may_start; /* The caller may start it by hand. */
    struct summary_start *start;
    size_t start_count;
};

struct answer_summaries {
    struct summary_view *view;
    size_t count;
    str next; /* The id behind which the next page begins; empty: there is none. */
    size_t looked_at;
};

/* GET_FORM: the form by which people start a definition, and whether what somebody filled in fits it. A
 * caller who may not use it gets the same answer as for one that is not there: ST_UNAUTHORIZED if nobody is
 * known, else ST_NOT_FOUND. */
struct call_form {
    str definition_id;
    str trigger;               /* A trigger for people; empty: the first one. */
    const struct json *fields; /* As schema_coerce() takes them; NULL: the form is only shown. */
};

struct answer_form {
    str title, about;           /* The name of the definition and its description; the latter may be empty. */
    str button;                 /* Empty: none was given. */
    bool is_open;               /* Everybody may use it. */
    const struct json *schema;  /* NULL: it asks nothing. */
    const struct json *payload; /* The fields as values. */
    const struct schema_problem *problem;
    size_t problem_count;
};

/* TICKS: when a trigger of a definition's latest version fires next, or one that is not published. */
struct call_ticks {
    str definition_id, trigger;
    const struct json *config; /* NULL: the trigger of the definition. */
    str zone;                  /* The zone whose clocks are shown; empty: the schedule's own. */
    size_t count;
};

/* TRY_TABLE. */
struct call_table {
    const struct json *table; /* A step with a decisionTable, or what that holds. */
    const struct json *rows;  /* A list of {variables}. */
};

struct call_definition {
    str id;
    int32_t version; /* 0: the latest. */
};

/* DELETE_DEFINITION: a definition goes with all its versions. */
struct call_deletion {
    str id;
    bool with_ended; /* Its ended runs, and the starts that wait for it, go as well. */

    str after_;                           /* The query thread has looked at definitions up to this one … */
    str needed_by_[DELETION_NEEDERS_MAX]; /* … and found these, which start this one. */
    size_t needed_count_;
};

/* An older version becomes the latest again: the call goes on as a DEPLOY of its text. */
struct call_restore {
    str id;
    int32_t version; /* Or VERSION_PREVIOUS. */
    str author;      /* Empty: unknown. */
    str revision;    /* Empty: unknown. */
};

/* An APPLY comes to one of these verdicts on each definition. */
#define APPLY_VERDICT_MAP(XX)                                            \
    XX(NEW, "new")             /* Its first version. */                  \
    XX(CHANGED, "changed")     /* The next version. */                   \
    XX(RESTORED, "restored")   /* The same, with the text of another. */ \
    XX(UNCHANGED, "unchanged") /* It is so already. */                   \
    XX(RETIRED, "retired")
enum apply_verdict {
#define XX(NAME, word) APPLY_##NAME,
    APPLY_VERDICT_MAP(XX)
#undef XX
};
const char *call_apply_word(enum apply_verdict verdict);

/* Living instances of one version. */
struct apply_runs {
    int32_t version;
    int64_t count;
};

/* A document that is published, a definition that is retired, a trigger that is paused or resumed, or an
 * access file. */
struct apply_item {
    str file;          /* The name of the document for people; empty: none. */
    str text;          /* The document as it was sent … */
    struct call *call; /* … to be published by this DEPLOY; or a RETIRE, a PAUSE_TRIGGER, a CHANGE_ACCESS. It
                        * has its own answer. */
    /* The runtime fills these in. */
    str id, title, dialect; /* The definition; only a DEPLOY has a title and a dialect. */
    enum apply_verdict verdict;
    int32_t before;          /* A dry run: the latest version; 0: none. */
    int64_t living;          /* A dry run: instances that go on with the versions they have. */
    struct apply_runs *runs; /* The same by version, newest first: at most APPLY_VERSIONS_MAX. */
    size_t run_count;
    str changes; /* A dry run of a DEPLOY: a list of changes (json/changes.h); empty: none are told. */
    bool changes_cut;
    str *uses; /* Definitions that the document starts. */
    size_t use_count;
};

/* A version that a client has seen as the latest. */
struct apply_expected {
    str id;
    int32_t version; /* 0: it has seen none. */
};

/* APPLY: several documents are published, several definitions retired, triggers paused or resumed, and an
 * access file applied: all or none. The items are in this order. */
struct call_apply {
    struct apply_item *item;
    size_t count;
    size_t definition_count; /* Items that are a DEPLOY or a RETIRE. */
    struct apply_expected *expected;
    size_t expected_count;
    str author;       /* Empty: unknown. */
    str revision;     /* Empty: unknown. */
    bool dry_run;     /* Only tells. */
    bool has_changes; /* A dry run: with the differences of documents, and the versions of runs. */
    /* The query thread fills these in. */
    size_t looked;  /* The parts of its work that are done. */
    size_t refused; /* Documents with errors, which the answers of the items have: nothing is applied. */
    size_t changes_bytes; /* The differences of all items. */
};

/* LIST_VERSIONS. */
struct call_versions {
    str id;
    int32_t before; /* Only older versions; 0: from the newest. */
    size_t max;
};

/* COMPARE. */
struct call_compare {
    str id;
    int32_t from, to;
};

/* PICTURE, TICKS, TRY_TABLE, COMPARE, LIST_TABLES, LIST_LOCKS. */
struct answer_design {
    str text;                      /* A JSON value. */
    struct table_listing *listing; /* LIST_TABLES: the runtime's own. */
    struct problems problems;      /* PICTURE of a text: why it cannot be drawn. */
};

#endif
