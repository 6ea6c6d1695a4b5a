/* runtime/call/entity_calls.h — calls about models and entities: what is asked, and what is answered. */
#ifndef RUNTIME_CALL_ENTITY_CALLS_H
#define RUNTIME_CALL_ENTITY_CALLS_H

#include "base/uuid.h"
#include "dialect/entity/audit.h"
#include "dialect/entity/entity.h"
#include "model/model.h"
#include "store/store.h"

struct indexes;

/* ---- models ---- */

/* A model, in the arena in which it was read. */
struct model {
    str name;
    int32_t version;
    uint32_t revision;
    bool is_locked;
    enum model_level level;
    int64_t updated_ms;
    const struct model_schema *schema;
    const struct json *workflows; /* A list as it is exported; NULL: none was ever imported. */
};

/* CHANGE_MODEL, GET_MODEL. */
enum model_action {
    MODEL_IMPORT,
    MODEL_LOCK,
    MODEL_UNLOCK,
    MODEL_SET_LEVEL,
    MODEL_SET_INDEXES,
    MODEL_SET_KEYS,
    MODEL_REMOVE,
};
struct call_model {
    str name;
    int32_t version;
    enum model_action action;
    const struct json *sample; /* IMPORT */
    enum model_level level;    /* SET_LEVEL */
    const struct json *list;   /* SET_INDEXES: paths. SET_KEYS: unique keys (runtime/transact/indexes.h). */
    bool needs_workflows;      /* GET_MODEL: one without workflows is not found. */
    bool needs_keys;           /* GET_MODEL: its unique keys are read, too. */
};

/* LIST_MODELS. */
struct call_models {
    str after; /* Only keys behind it (model_key()); empty: from the first. */
    size_t max;
};

/* Workflows that are imported into a model: DEPLOY. */
struct call_import {
    str name;
    int32_t version;
    const struct json *incoming; /* A list. */
    enum entity_import_mode mode;
    /* For a document that brings its model along. */
    const struct json *sample; /* NULL: the model must be there. */
    bool sets_level;
    enum model_level level;
    bool is_open; /* Nobody gave the sample: a new model takes every document. */
    /* The query thread fills these in. */
    const struct json *merged;
    uint32_t revision;
    bool changes; /* The model becomes another one, its workflows aside. */
};

/* GET_MODEL, LIST_MODELS. */
struct answer_models {
    struct model *view;
    size_t count;
    bool more;               /* There may be more behind the last one. */
    struct indexes *indexes; /* GET_INDEXES, and GET_MODEL with its keys. */
};

/* ---- entities ---- */

struct search_plan;

/* One entity that is written, and its answer. */
enum entity_action { ENTITY_CREATE, ENTITY_UPDATE, ENTITY_DELETE };
struct entity_item {
    enum entity_action action;
    str model; /* CREATE; DELETE fills it in. */
    int32_t version;
    struct uuid id;          /* CREATE fills it in. */
    const struct json *data; /* CREATE, UPDATE; NULL: it stays. */
    bool is_patch;           /* UPDATE: the data is a merge patch, and the model does not grow with it. */
    str transition;          /* CREATE, UPDATE; empty: none is named. */
    str if_match; /* UPDATE, DELETE: only if the last transaction of the entity is this one; empty: any. */

    enum status status;
    struct error error;
};

/* All of them in one transaction, or none. */
struct call_entities {
    struct entity_item *item;
    size_t count;
    str transaction; /* Its id, which the caller has made. */
    str actor;
    const struct json *joined; /* ENTITY_ORIGINATOR of the transaction that it joins; NULL: it joins none. */
    str token; /* The token of a job (units.h): the writes join its transaction; empty: they are their own. */
    bool stale_fail_alone; /* An item whose if_match is wrong fails, and the others are written. */
    size_t failed;         /* The item whose error is the call's. */
    bool is_left; /* The call has failed behind a commit point: what it wrote before that is there. */
    str *warning; /* Warnings of the calculation nodes that it has waited for; in the call's arena. */
    size_t warning_count;
};

/* GET_ENTITY, GET_JOINED, LIST_CHANGES: those up to that moment. */
struct call_entity {
    struct uuid id;
    str model;             /* GET_ENTITY: only if it is of this model; empty: of any. */
    int32_t version;       /* Likewise. */
    bool with_transitions; /* GET_ENTITY in the past: the transitions, too. */
    bool is_past;          /* As it was … */
    int64_t at_ms;         /* … at that time … */
    str transaction;       /* … or after that transaction; empty: the time counts. */
    size_t max;            /* LIST_CHANGES */
    str token;             /* GET_JOINED: the transaction whose changes are seen. */
};

/* LIST_ENTITIES: the living entities of a model, in the order in which they were created. */
struct call_entity_list {
    str model;
    int32_t version;
    uint64_t after; /* Only instances behind this one; 0: from the first. */
    size_t skip;    /* For pages by number: what is before the page costs a part of a microsecond each. */
    size_t max;
    bool may_be_short; /* A page that would be too large ends before; else it is refused. */
    bool is_past;      /* Asks for the entities that lived at `at_ms`, as they were. */
    int64_t at_ms;
};

struct entity_view {
    struct uuid id;
    str model;
    int32_t version;
    const struct json *data;
    const struct json *carried; /* Its lifecycle: dialect/entity/entity.h. */
    str *transition;            /* The transitions that can be fired. */
    size_t transition_count;
};

/* LIST_CHANGES: newest first. */
struct entity_change {
    enum entity_action kind;
    int64_t at_ms;
    struct entity_attribution by;
    str transaction;
};
struct answer_changes {
    struct entity_change *change;
    size_t count;
};

/* COUNT_ENTITIES: how many there are, of one model or of all that have any. */
struct call_counts {
    str model; /* Empty: all. */
    int32_t version;
    bool by_state;
    const str *state; /* Only entities in these states; none: in any. */
    size_t state_count;
    bool is_past; /* How many there were at `at_ms`. */
    int64_t at_ms;
};
struct entity_count {
    str model;
    int32_t version;
    str state;
    int64_t count;
};
struct answer_counts {
    struct entity_count *item; /* In order of models and states. */
    size_t count, cap;
    str after; /* The runtime's own: where the next part begins. */
};

/* GROUP_ENTITIES: how many entities of a model there are in each group, and sums and the like of each. */
#define AGGREGATION_MAP(XX) XX(SUM, "sum") XX(AVG, "avg") XX(MIN, "min") XX(MAX, "max") XX(STDEV, "stdev")
enum aggregation {
#define XX(NAME, word) AGGREGATION_##NAME,
    AGGREGATION_MAP(XX)
#undef XX
        AGGREGATION_COUNT
};
bool entity_aggregation_find(str word, enum aggregation *ret_which);

struct entity_aggregation {
    enum aggregation which;
    str field; /* A path. */
    str name;  /* In the answer. */
};
struct call_groups {
    str model;
    int32_t version;
    const str *by; /* Paths, or "state". */
    size_t by_count;
    const struct entity_aggregation *aggregation;
    size_t aggregation_count;
    const struct json *condition;
    bool is_past; /* The groups that there were at `at_ms`. */
    int64_t at_ms;
    size_t limit; /* Only so many, the largest; 0: all. */
};
struct entity_group {
    str *value; /* One for each of `by`; one without a pointer is null. */
    int64_t count;
    str *result; /* JSON: one for each aggregation. */
};
struct answer_groups {
    struct entity_group *group; /* The largest first, then in the order of their values. */
    size_t count;
};

/* REMOVE_ENTITIES: all that a model has now, or those of them for which a condition holds. */
struct call_removal {
    str model;
    int32_t version;
    str transaction, actor;
    const struct json *joined;    /* As in struct call_entities. */
    const struct json *condition; /* NULL: all. */
    bool is_past;                 /* Asks for the entities for which it held at `at_ms`. */
    int64_t at_ms;
    bool verbose; /* The answer names those that were removed. */
    str token;    /* The token of a job (units.h): the removal joins its transaction; empty: it is its own. */
};
struct removal_error {
    str id;
    str message;
};
struct answer_removal {
    int64_t found, removed;
    struct removal_error *error; /* Errors of some that could not be removed. */
    size_t error_count, error_cap;
    str ids; /* If it is verbose: those that were removed, up to REMOVAL_IDS_MAX, as the items of a list. */
};

/* How far a call is that takes several parts: the runtime's own. */
struct entity_progress {
    struct entity_scan *scan;         /* LIST_ENTITIES */
    struct entity_survey *survey;     /* LIST_ENTITIES, COUNT_ENTITIES: in the past */
    struct entity_lookback *lookback; /* GET_ENTITY, LIST_CHANGES */
    struct entity_auditing *auditing; /* LIST_AUDIT */
    struct entity_removal *removal;   /* REMOVE_ENTITIES */
    struct search_paging *paging;     /* GET_SEARCH */
    struct search_leaf *leaf;         /* SEARCH, a page of it */
    struct entity_tally *tally;       /* GROUP_ENTITIES */
};

/* LIST_AUDIT: what happened to an entity, newest first. */
enum audit_kind { AUDIT_STATE_MACHINE = 1, AUDIT_CHANGE = 2, AUDIT_SYSTEM = 4 };  /* None is AUDIT_SYSTEM. */
enum audit_severity { AUDIT_ANY, AUDIT_INFORMATION, AUDIT_WARNING, AUDIT_OTHER }; /* None is AUDIT_OTHER. */
/* A place in that list. It stays where it is while newer events come. */
struct audit_place {
    struct history_place place;
    uint32_t event;              /* Its number among the events of that revision. */
    struct history_place newest; /* The place of the transaction to which that belongs. */
};
struct call_audit {
    struct uuid id;
    uint32_t kinds; /* Bits of enum audit_kind; 0: all. */
    enum audit_severity severity;
    int64_t from_ms, to_ms;   /* From the first of them on, and before the second. */
    str transaction;          /* Empty: any. */
    struct audit_place after; /* Only events behind this one; revision 0: from the newest. */
    size_t max;
    bool only_finish; /* Only the newest end of a state machine; ST_NOT_FOUND without one. */
};
struct audit_item {
    struct entity_event event;
    int64_t at_ms;
    struct entity_attribution by;
    str transaction;            /* Empty: none. */
    const struct json *changes; /* In a change: {"before", "after"}, the members that are not the same; a new
                                 * entity has no `before`, a deleted one no `after`. NULL: not known. */
};
struct answer_audit {
    struct audit_item *item;
    size_t count;
    bool more; /* There may be more behind `next`. A page can be short, or empty, and have more. */
    struct audit_place next;
};

/* SEARCH. */
struct call_search {
    str name;
    int32_t version;
    const struct json *condition;
    size_t limit;  /* More than so many are an error. */
    str sort;      /* Paths, `@` before a field of the lifecycle, `:desc` behind one; separated by commas. */
    bool explains; /* Only says how it would search. */
    bool is_past;  /* Entities as they were at `at_ms`. */
    int64_t at_ms;
    str token; /* The token of a job (units.h): entities are seen as its transaction sees them; empty: as
                * committed. */
    /* A page of them, newest first, at most `limit`; the order, the past and the token do not count. */
    bool pages;
    uint64_t before; /* Only instances below; 0: from the newest. */
};

/* BEGIN_SEARCH, CANCEL_SEARCH, GET_SEARCH: a search beside others. */
struct call_search_job {
    str id;   /* BEGIN: which the caller has made. */
    str name; /* BEGIN */
    int32_t version;
    const struct json *condition;
    bool is_past; /* BEGIN: entities as they were at `at_ms`. GET: a page shows them so. */
    int64_t at_ms;
    bool pages; /* GET: some of what it has found. */
    size_t skip, max;
};

/* clang-format off */
#define SEARCH_STATE_MAP(XX) \
    XX(RUNNING)              \
    XX(SUCCESSFUL)           \
    XX(FAILED)               \
    XX(CANCELLED)
/* clang-format on */

enum search_state {
#define XX(NAME) SEARCH_##NAME,
    SEARCH_STATE_MAP(XX)
#undef XX
        SEARCH_STATE_COUNT
};
const char *search_state_word(enum search_state state); /* "RUNNING" */

struct answer_search_job {
    str id;
    enum search_state state;
    int64_t created_ms, ended_ms; /* 0: it goes on. */
    int64_t total;                /* Entities that it has found. */
    str reason;                   /* Why it has failed. */
    struct entity_view *view;     /* The entities of a page. */
    size_t count, bytes;
};

struct answer_search {
    struct entity_view *view;
    size_t count;
    const struct search_plan *plan; /* runtime/entities/search.h */
    size_t candidates;              /* If it only explains. */
    uint64_t next;                  /* For a page: where the next one begins; 0: there is none. */
};

/* Members of an error's `properties`: a text, and the model that the error is about. `err` may be NULL. */
void entity_error_add(struct error *err, const char *name, str text);
void entity_error_add_model(struct error *err, str name, int32_t version);
/* There is no such entity; and its id, for another error. */
enum status entity_fail_not_found(struct uuid id, struct error *err);
void entity_error_add_id(struct error *err, struct uuid id);
/* A document that does not fit its model. */
enum status entity_fail_problem(const struct model *model, const struct model_problem *problem,
                                struct error *err);

/* The code of an error of these calls, and its HTTP status: a processor's failure has codes of its own. */
const char *entity_error_code(const struct error *err);
int entity_error_http(const struct error *err);

struct answer_entities {
    struct entity_view *view;
    size_t count;
};

#endif
