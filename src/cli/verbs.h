/* cli/verbs.h — the verbs of `pawl`, written once.
 *
 * A verb is a row here, a file with its verb_*() function, and an entry in verbs.c for its longer
 * description. Dispatch (main.c), help, man page and shell completion are made from these.
 */
#ifndef CLI_VERBS_H
#define CLI_VERBS_H

#include "base/str.h"

enum verb_group {
    GROUP_ENGINE,
    GROUP_DOCUMENTS,
    GROUP_CLIENT,
    GROUP_ACCESS,
    GROUP_ABOUT,
    GROUP_HIDDEN,
    GROUP_COUNT
};

enum { ARGUMENTS_ANY = 1000 };

/* clang-format off */
#define VERB_MAP(XX)                                                                             \
    /* name          word         arguments       least and most arguments     group, summary */ \
    XX(SERVE,        serve,       "",                          0, 0,             ENGINE,         \
       "run the engine and its HTTP API")                                                        \
    XX(STORE,        store,       "check|backup FILE|info|copy FROM TO|forget-secrets", 1, 3, ENGINE, \
       "check, copy, move or describe a store")                                                  \
    XX(DOCTOR,       doctor,      "",                          0, 0,             ENGINE,         \
       "look at an installation, and say what to do")                                            \
    XX(TORTURE,      torture,     "",                          0, 0,             ENGINE,         \
       "test this machine and disk with kills and power loss")                                   \
    XX(VALIDATE,     validate,    "FILE...",                   1, ARGUMENTS_ANY, DOCUMENTS,      \
       "check definitions and show every problem")                                               \
    XX(EXPLAIN,      explain,     "[FILE]",                    0, 1,             DOCUMENTS,      \
       "show what a definition or an expression compiles to")                                    \
    XX(GRAPH,        graph,       "FILE",                      1, 1,             DOCUMENTS,      \
       "draw a definition")                                                                      \
    XX(TEST,         test,        "FILE...",                   1, ARGUMENTS_ANY, DOCUMENTS,      \
       "run scenario files under a virtual clock")                                               \
    XX(RUN,          run,         "FILE...",                   1, ARGUMENTS_ANY, DOCUMENTS,      \
       "run a definition to its end, here and now")                                              \
    XX(DEPLOY,       deploy,      "FILE...",                   1, ARGUMENTS_ANY, CLIENT,         \
       "publish definitions")                                                                    \
    XX(PLAN,         plan,        "DIR",                       1, 1,             CLIENT,         \
       "tell how a folder differs from what is published")                                       \
    XX(APPLY,        apply,       "DIR",                       1, 1,             CLIENT,         \
       "publish a folder, all or none")                                                          \
    XX(EXPORT,       export,      "DIR",                       1, 1,             CLIENT,         \
       "write what is published to a folder")                                                    \
    XX(DEFINITIONS,  definitions, "[ID | KEYWORD]",            0, 1,             CLIENT,         \
       "list published definitions, or the versions of one")                                     \
    XX(DEFINITION,   definition,  "ID",                        1, 1,             CLIENT,         \
       "print a published definition")                                                           \
    XX(ROLLBACK,     rollback,    "ID [VERSION]",              1, 2,             CLIENT,         \
       "make an older version the latest again")                                                 \
    XX(RETIRE,       retire,      "ID",                        1, 1,             CLIENT,         \
       "let nothing of a definition start any more")                                             \
    XX(DELETE,       delete,      "ID",                        1, 1,             CLIENT,         \
       "delete a definition that has no runs left")                                              \
    XX(START,        start,       "DEFINITION",                1, 1,             CLIENT,         \
       "start an instance")                                                                      \
    XX(PS,           ps,          "",                          0, 0,             CLIENT,         \
       "list instances, newest first")                                                           \
    XX(SHOW,         show,        "INSTANCE",                  1, 1,             CLIENT,         \
       "show an instance, why it waits and what happened")                                       \
    XX(TRACE,        trace,       "INSTANCE",                  1, 1,             CLIENT,         \
       "print the spans of an instance, or send them to a collector")                            \
    XX(FOLLOW,       follow,      "INSTANCE",                  1, 1,             CLIENT,         \
       "print what an instance does until it ends")                                              \
    XX(SIGNAL,       signal,      "[INSTANCE] STEP | --where", 0, 2,             CLIENT,         \
       "send the signal that a WAIT step waits for")                                             \
    XX(EVENT,        event,       "[FILE]",                    0, 1,             CLIENT,         \
       "send a CloudEvent, or several, and show what they did")                                  \
    XX(UNMATCHED,    unmatched,   "",                          0, 0,             CLIENT,         \
       "list events that nobody took, and why")                                                  \
    XX(RESEND,       resend,      "NUMBER | --where",          0, 1,             CLIENT,         \
       "send an event that nobody took again, or many")                                          \
    XX(COMPLETE,     complete,    "INSTANCE STEP",             2, 2,             CLIENT,         \
       "complete a person's task")                                                               \
    XX(CANCEL,       cancel,      "INSTANCE | --where",        0, 1,             CLIENT,         \
       "stop an instance for good")                                                              \
    XX(RETRY,        retry,       "INSTANCE [STEP] | --where", 0, 2,             CLIENT,         \
       "let a failed instance go on")                                                            \
    XX(MIGRATE,      migrate,     "DEFINITION | --undo ID",    0, 1,             CLIENT,         \
       "let living instances go on with another version")                                        \
    XX(REPLAY,       replay,      "DEFINITION",                1, 1,             CLIENT,         \
       "what a changed definition would have done with runs that were")                          \
    XX(BULK,         bulk,        "list|show|pause|resume|cancel [ID]", 1, 2,    CLIENT,         \
       "commands for many instances: how far they have come")                                    \
    XX(MODIFY,       modify,      "INSTANCE",                  1, 1,             CLIENT,         \
       "repair an instance: set variables, move tokens")                                         \
    XX(JOBS,         jobs,        "",                          0, 0,             CLIENT,         \
       "list open jobs")                                                                         \
    XX(LOCKS,        locks,       "[NAME]",                    0, 1,             CLIENT,         \
       "list named locks: who holds them, and who waits")                                        \
    XX(TASKS,        tasks,       "",                          0, 0,             CLIENT,         \
       "list people's open tasks")                                                               \
    XX(TASK,         task,        "show|claim|unclaim|assign|comment|complete ID", 2, 2, CLIENT, \
       "take a person's task, hand it over, comment on it, complete it")                         \
    XX(TRIGGERS,     triggers,    "[DEFINITION]",              0, 1,             CLIENT,         \
       "list triggers: what starts instances from outside")                                      \
    XX(TRIGGER,      trigger,     "pause|resume|fire DEFINITION TRIGGER", 3, 3,  CLIENT,         \
       "pause, resume or fire a trigger")                                                        \
    XX(ARRIVALS,     arrivals,    "[DEFINITION [TRIGGER]]",    0, 2,             CLIENT,         \
       "list what arrived at triggers, and what became of it")                                   \
    XX(SECRET,       secret,      "set NAME|list|remove NAME|rekey", 1, 2,       CLIENT,         \
       "keep values that calls need and nobody may see")                                         \
    XX(LOGIN,       login,       "[USER]", 0, 1, ACCESS,                                         \
       "sign in at an engine, and keep that for later commands")                                 \
    XX(LOGOUT,      logout,      "", 0, 0, ACCESS,                                               \
       "sign out, and forget what login has kept")                                               \
    XX(WHOAMI,      whoami,      "", 0, 0, ACCESS,                                               \
       "show who you are for the engine, and what you may do")                                   \
    XX(USER,        user,        "add|list|show|set|password|remove [NAME]", 1, 2, ACCESS,       \
       "people: their roles, groups and passwords")                                              \
    XX(KEY,         key,         "add NAME|list|rotate ID|revoke ID", 1, 2, ACCESS,              \
       "keys of programs")                                                                       \
    XX(GRANT,       grant,       "add WHO ROLE|list [WHO]|remove ID", 1, 3, ACCESS,              \
       "roles in tenants, for users, groups and keys")                                           \
    XX(ISSUER,      issuer,      "add|list|test|remove [NAME]", 1, 2, ACCESS,                    \
       "providers whose tokens and logins count")                                                \
    XX(TENANT,      tenant,      "add|list|show|set|remove [NAME]", 1, 2, ACCESS,                \
       "namespaces with definitions and instances of their own")                                 \
    XX(AUDIT,       audit,       "", 0, 0, ACCESS,                                               \
       "list who did what; follow it, verify it")                                                \
    XX(ACCESS,      access,      "apply FILE|export|explain WHO METHOD PATH|refusals", 1, 4, ACCESS,\
       "access as a file; why somebody may or may not")                                          \
    XX(HELP,         help,        "[VERB]",                    0, 1,             ABOUT,          \
       "explain a verb")                                                                         \
    XX(VERSION,      version,     "",                          0, 0,             ABOUT,          \
       "print the version")                                                                      \
    XX(DOCS,         docs,        "man|bash|zsh|fish",         1, 1,             HIDDEN,         \
       "print the man page or a shell's completion")
/* clang-format on */

enum verb {
#define XX(NAME, word, arguments, min, max, group, summary) VERB_##NAME,
    VERB_MAP(XX)
#undef XX
        VERB_COUNT,
    VERB_NONE = VERB_COUNT
};

/* Sets of verbs, for the table of options. */
#define ON(NAME) (UINT64_C(1) << VERB_##NAME)
#define CLIENT_VERBS                                                                                         \
    (ON(TRIGGERS) | ON(TRIGGER) | ON(ARRIVALS) | ON(DEPLOY) | ON(START) | ON(PS) | ON(SHOW) | ON(SIGNAL) |   \
     ON(EVENT) | ON(COMPLETE) | ON(CANCEL) | ON(RETRY) | ON(JOBS) | ON(LOCKS) | ON(TASKS) |                  \
     ON(DEFINITIONS) | ON(DEFINITION) | ON(FOLLOW) | ON(UNMATCHED) | ON(RESEND) | ON(BULK) | ON(MODIFY) |    \
     ON(SECRET) | ON(MIGRATE) | ON(REPLAY) | ON(TRACE) | ON(TASK) | ON(ROLLBACK) | ON(RETIRE) | ON(DELETE) | \
     FOLDER_VERBS | ACCESS_VERBS)
/* The verbs about a folder of documents. */
#define FOLDER_VERBS (ON(PLAN) | ON(APPLY) | ON(EXPORT))
/* The verbs that say who may do what, and those of them that work on a store, too, when no engine uses it. */
#define STORE_VERBS (ON(USER) | ON(KEY) | ON(GRANT) | ON(ISSUER) | ON(TENANT) | ON(AUDIT) | ON(ACCESS))
#define ACCESS_VERBS (STORE_VERBS | ON(LOGIN) | ON(LOGOUT) | ON(WHOAMI))

struct options;

struct verb_spec {
    const char *word;
    const char *arguments; /* As in a usage line. */
    size_t arguments_min, arguments_max;
    enum verb_group group;
    const char *summary;
};

extern const struct verb_spec verb_specs[VERB_COUNT];

const char *verb_group_title(enum verb_group group);
const char *verb_description(enum verb verb); /* Paragraphs separated by empty lines, or NULL. */
const char *verb_examples(enum verb verb);    /* Lines, or NULL. */

enum verb verb_find(str word); /* VERB_NONE if there is none. */

/* Says that there is no such verb, and which was probably meant; returns the exit code. */
int verb_unknown(str word);

/* Each verb is a function in the file of its name. It returns the exit code. */
#define XX(NAME, word, arguments, min, max, group, summary) int verb_##word(const struct options *options);
VERB_MAP(XX)
#undef XX

#endif
