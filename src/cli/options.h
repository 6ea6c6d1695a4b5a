/* cli/options.h — every setting, written once.
 *
 * A row of OPTION_MAP feeds the parsing of flags, the environment, the configuration file, help, the man page
 * and shell completion. A flag wins over the environment, the environment over the configuration file, and
 * the file over the default.
 *
 * Two rows may share a flag's name if no verb has both (`ps --limit 50` and `serve --limit visits_max=500`).
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "base/arena.h"
#include "base/limits.h"
#include "base/status.h"
#include "cli/verbs.h"
#include "dialect/show/sentences.h"

/* clang-format off */
#define OPTION_TYPE_MAP(XX)                                                      \
    XX(FLAG)      /* There or not: never in the environment or a file.        */ \
    XX(TEXT)                                                                     \
    XX(NUMBER)    /* An integer from 0 on.                                    */ \
    XX(DURATION)  /* 90s, 15m, 12h, 30d, 2w or ISO 8601.                      */ \
    XX(CHOICE)    /* One of the words in the value column.                    */ \
    XX(FILE)                                                                     \
    XX(DIRECTORY)                                                                \
    XX(LIST)      /* Texts, adding up; commas separate them in the environment. */ \
    XX(ALL_OR_LIST) /* A flag, or --flag=A,B: the texts add up. The flag alone is the text "all". */
/* clang-format on */

enum option_type {
#define XX(NAME) OPTION_TYPE_##NAME,
    OPTION_TYPE_MAP(XX)
#undef XX
};

#define LISTING                                                                                              \
    (ON(SECRET) | ON(TRIGGERS) | ON(ARRIVALS) | ON(PS) | ON(JOBS) | ON(LOCKS) | ON(TASKS) |                  \
     ON(DEFINITIONS) | ON(UNMATCHED) | ON(BULK) | ON(USER) | ON(KEY) | ON(GRANT) | ON(ISSUER) | ON(TENANT) | \
     ON(AUDIT))
#define MANY (ON(RETRY) | ON(CANCEL) | ON(SIGNAL) | ON(RESEND) | ON(MIGRATE))
#define ACTING                                                                                             \
    (ON(TASK) | ON(COMPLETE) | ON(START) | ON(SIGNAL) | ON(CANCEL) | ON(RETRY) | ON(MODIFY) | ON(DEPLOY) | \
     ON(TRIGGER) | ON(ROLLBACK) | ON(MIGRATE))
#define SENDING (ON(TRIGGER) | ON(START) | ON(SIGNAL) | ON(COMPLETE) | ON(RETRY) | ON(RUN) | ON(TASK))

/* clang-format off */
#define OPTION_MAP(XX)                                                                                   \
    /* name                flag                   short environment             type,                    \
       default, value, verbs,                                                                            \
       help */                                                                                           \
    XX(LISTEN,              "listen",              'l',  "PAWL_LISTEN",          TEXT,                   \
       "127.0.0.1:8080", "HOST:PORT", ON(SERVE) | ON(DOCTOR),                                            \
       "the address to serve; beyond this machine a token is required")                                  \
    XX(GRPC,                "grpc",                0,    "PAWL_GRPC",            TEXT,                   \
       NULL, "HOST:PORT", ON(SERVE),                                                                     \
       "also serve gRPC at this address; under TLS the address of --listen serves it, too")              \
    XX(DATA,                "data",                'd',  "PAWL_DATA",            DIRECTORY,              \
       "./pawl-data", "DIR", ON(SERVE) | ON(DOCTOR) | ON(STORE),                                         \
       "where the store lives; made if it is not there")                                                 \
    XX(STORE,               "store",               0,    "PAWL_STORE",           CHOICE,                 \
       "sqlite", "sqlite|memory|postgres://|postgresql://", ON(SERVE) | ON(DOCTOR) | ON(STORE),          \
       "where state is kept: a file below --data, memory (forgotten at the end), or a database by its URI") \
    XX(AUTH_TOKEN_FILE,     "auth-token-file",     0,    "PAWL_AUTH_TOKEN_FILE", FILE,                   \
       NULL, "FILE", ON(SERVE) | ON(DOCTOR),                                                             \
       "holds the bearer token that clients must send")                                                  \
    XX(USERS,               "users",               0,    "PAWL_USERS",           FLAG,                   \
       NULL, NULL, ON(SERVE),                                                                            \
       "ask for a login from the start; without a user the log has a link that makes the first admin")   \
    XX(ACCESS_FILE,         "access-file",         0,    "PAWL_ACCESS_FILE",     FILE,                   \
       NULL, "FILE", ON(SERVE),                                                                          \
       "users, keys, issuers, tenants and grants that are put into the store at each start")             \
    XX(TRUST_NETWORKS,      "trust-network",       0,    "PAWL_TRUST_NETWORKS",  LIST,                   \
       NULL, "NETWORK=ROLES[@TENANT]", ON(SERVE),                                                        \
       "callers from this network have these roles without a credential, such as "                       \
       "10.1.0.0/16=worker,sender; may be repeated")                                                     \
    XX(TRUST_CERTIFICATES,  "trust-certificate",   0,    "PAWL_TRUST_CERTIFICATES", LIST,                \
       NULL, "CN=NAME=ROLES[@TENANT]", ON(SERVE),                                                        \
       "clients with the certificate of this name have these roles without another credential, such as " \
       "CN=line-7=worker,sender; may be repeated")                                                       \
    XX(PROXIES,             "proxy",               0,    "PAWL_PROXIES",         LIST,                   \
       NULL, "NETWORK", ON(SERVE),                                                                       \
       "believe X-Forwarded-For and X-Forwarded-Proto from proxies in this network; may be repeated")    \
    XX(PUBLIC_URL,          "public-url",          0,    "PAWL_PUBLIC_URL",      TEXT,                   \
       NULL, "URL", ON(SERVE),                                                                           \
       "where browsers find the engine, such as https://pawl.example; https makes cookies secure")       \
    XX(HOSTS,               "host",                0,    "PAWL_HOSTS",           LIST,                   \
       NULL, "NAME", ON(SERVE),                                                                          \
       "a name besides localhost that clients may use for this engine when there is no token; may be "   \
       "repeated")                                                                                       \
    XX(CORS_ORIGINS,        "cors-origin",         0,    "PAWL_CORS_ORIGINS",    LIST,                   \
       NULL, "ORIGIN", ON(SERVE),                                                                        \
       "let pages of this origin use the engine, such as https://a.example; * lets all; may be "         \
       "repeated")                                                                                       \
    XX(HOOKS_AT_ROOT,       "hooks-at-root",       0,    NULL,                   FLAG,                   \
       NULL, NULL, ON(SERVE),                                                                            \
       "serve webhooks at the paths of their triggers, too, and not only below /hooks")                  \
    XX(MCP,                 "mcp",                 0,    NULL,                   FLAG,                   \
       NULL, NULL, ON(SERVE),                                                                            \
       "serve agents at /mcp, by the Model Context Protocol")                                            \
    XX(CONTEXT_PATH,        "context-path",        0,    "PAWL_CONTEXT_PATH",    TEXT,                   \
       "/api", "PATH", ON(SERVE),                                                                        \
       "where clients of entities find /api, too, such as /cyoda")                                       \
    XX(SECRETS_KEY,         "secrets-key",         0,    "PAWL_SECRETS_KEY",     FILE,                   \
       NULL, "FILE", ON(SERVE) | ON(DOCTOR),                                                             \
       "holds the key of the secrets; by default pawl.db.key in the data directory, made with the first " \
       "secret")                                                                                         \
    XX(SECRETS,             "secret",              0,    "PAWL_SECRETS",         LIST,                   \
       NULL, "NAME=FILE", ON(SERVE),                                                                     \
       "a secret that comes from a file; may be repeated")                                               \
    XX(FILES,               "files",               0,    "PAWL_FILES",           DIRECTORY,              \
       NULL, "DIR", ON(SERVE),                                                                           \
       "certificates and keys in PEM that the secrets of brokers and databases may name; without it they " \
       "may name none")                                                                                  \
    XX(SMTP,                "smtp",                0,    "PAWL_SMTP",            TEXT,                   \
       NULL, "SERVER", ON(SERVE),                                                                        \
       "the mail server of messages that name none: smtp://HOST:PORT?from=ADDRESS, or vault:NAME if it " \
       "needs a password")                                                                               \
    XX(TLS_CERT,            "tls-cert",            0,    "PAWL_TLS_CERT",        FILE,                   \
       NULL, "FILE", ON(SERVE),                                                                          \
       "PEM certificate chain: serve https")                                                             \
    XX(TLS_KEY,             "tls-key",             0,    "PAWL_TLS_KEY",         FILE,                   \
       NULL, "FILE", ON(SERVE) | ON(DOCTOR),                                                             \
       "PEM private key of the certificate")                                                             \
    XX(TLS_CLIENT_CA,       "tls-client-ca",       0,    "PAWL_TLS_CLIENT_CA",   FILE,                   \
       NULL, "FILE", ON(SERVE),                                                                          \
       "PEM certificates of the authorities whose clients --trust-certificate trusts")                   \
    XX(RETENTION,           "retention",           0,    "PAWL_RETENTION",       DURATION,               \
       "0", "DURATION", ON(SERVE),                                                                       \
       "remove completed and cancelled instances that long after their end, such as 30d; 0 keeps them")  \
    XX(RETENTION_FAILED,    "retention-failed",    0,    "PAWL_RETENTION_FAILED", DURATION,              \
       "0", "DURATION", ON(SERVE),                                                                       \
       "remove failed instances that long after they failed; 0 keeps them, since a retry may be wanted") \
    XX(RETENTION_AUDIT,     "retention-audit",     0,    "PAWL_RETENTION_AUDIT", DURATION,               \
       "365d", "DURATION", ON(SERVE),                                                                    \
       "remove rows of the audit that are older; 0 keeps them")                                          \
    XX(AUDIT_FILE,          "audit-file",          0,    "PAWL_AUDIT_FILE",      FILE,                   \
       NULL, "FILE", ON(SERVE),                                                                          \
       "append each row of the audit to this file, as a line of JSON")                                   \
    XX(LEASE,               "lease",               0,    "PAWL_LEASE",           DURATION,               \
       "30s", "DURATION", ON(SERVE),                                                                     \
       "how long a worker holds a job if its poll does not say; then it is offered again")               \
    XX(COMPUTE_WAIT,        "compute-wait",        0,    "PAWL_COMPUTE_WAIT",    DURATION,               \
       "5s", "DURATION", ON(SERVE),                                                                      \
       "how long a write waits for a calculation node with the tags, so that nodes can be replaced")     \
    XX(LIMITS,              "limit",               0,    "PAWL_LIMITS",          LIST,                   \
       NULL, "NAME=VALUE", ON(SERVE),                                                                    \
       "change a limit; may be repeated")                                                                \
    XX(LOG_LEVEL,           "log-level",           0,    "PAWL_LOG_LEVEL",       CHOICE,                 \
       "info", "debug|info|warn|error|off", ON(SERVE),                                                   \
       "how much goes to standard error; debug has every request")                                       \
    XX(LOG_FORMAT,          "log-format",          0,    "PAWL_LOG_FORMAT",      CHOICE,                 \
       "auto", "auto|json|text", ON(SERVE),                                                              \
       "how lines of the log look; auto is text on a terminal, else JSON")                               \
    XX(ALLOW_PRIVATE_CALLS, "allow-private-calls", 0,    "PAWL_ALLOW_PRIVATE_CALLS", ALL_OR_LIST,        \
       NULL, "NETWORK|HOST,...", ON(SERVE),                                                              \
       "let calls reach these networks (10.1.0.0/16, fd00::/8) and hosts although they are not public; " \
       "without a value, or with all, every address")                                                    \
    XX(OTLP,                "otlp",                0,    "OTEL_EXPORTER_OTLP_ENDPOINT", TEXT,            \
       NULL, "URL", ON(SERVE),                                                                           \
       "send the spans of runs to this collector of OpenTelemetry, such as http://localhost:4318; other " \
       "standard variables (OTEL_...) say how")                                                          \
    XX(TRACE_SAMPLE,        "trace-sample",        0,    "PAWL_TRACE_SAMPLE",    TEXT,                   \
       "100%", "RULES", ON(SERVE),                                                                       \
       "which runs: failed, slow>1h, and a part such as 1%, with commas between them")                   \
    XX(TRACE_URL,           "trace-url",           0,    "PAWL_TRACE_URL",       TEXT,                   \
       NULL, "TEMPLATE", ON(SERVE),                                                                      \
       "where people see a trace: the page of a run links to it, such as https://tempo.example/t/{trace}") \
    XX(METRICS_PUSH,        "metrics-push",        0,    "PAWL_METRICS_PUSH",    TEXT,                   \
       "off", "URL|on", ON(SERVE),                                                                       \
       "send the metrics to this collector of OpenTelemetry; on: to that of --otlp")                     \
    XX(METRICS_PUSH_EVERY,  "metrics-push-every",  0,    "PAWL_METRICS_PUSH_EVERY", DURATION,            \
       "60s", "DURATION", ON(SERVE),                                                                     \
       "how often, from 100 ms to a day")                                                                \
    XX(LOG_FILE,            "log-file",            0,    "PAWL_LOG_FILE",        FILE,                   \
       NULL, "FILE", ON(SERVE),                                                                          \
       "append the log to this file instead of standard error; SIGHUP opens it anew")                    \
    XX(DEMO,                "demo",                0,    NULL,                   FLAG,                   \
       NULL, NULL, ON(SERVE),                                                                            \
       "fill the engine with examples in every state and work on their jobs")                            \
    XX(DEEP,                "deep",                0,    NULL,                   FLAG,                   \
       NULL, NULL, ON(STORE),                                                                            \
       "check also that every history replays to its instance's state")                                  \
    XX(OVERWRITE,           "overwrite",           0,    NULL,                   FLAG,                   \
       NULL, NULL, ON(STORE) | ON(EXPORT),                                                               \
       "copy: remove what an unfinished copy has left in the target; export: replace an earlier export") \
    XX(EXPRESSION,          "expr",                'e',  NULL,                   TEXT,                   \
       NULL, "TEXT", ON(EXPLAIN),                                                                        \
       "explain this expression instead of a file")                                                      \
    XX(EXPRESSION_DATA,     "data",                'd',  NULL,                   TEXT,                   \
       NULL, "JSON", ON(EXPLAIN),                                                                        \
       "variables to evaluate the expression with; @FILE reads a file")                                  \
    XX(PATH,                "path",                'p',  NULL,                   TEXT,                   \
       NULL, "PATH", ON(EXPLAIN),                                                                        \
       "explain this JSONPath instead of a file")                                                        \
    XX(PATH_DOCUMENT,       "on",                  0,    NULL,                   FILE,                   \
       NULL, "FILE", ON(EXPLAIN),                                                                        \
       "print what the path selects in this JSON document; - is standard input")                         \
    XX(LENIENT,             "lenient",             0,    NULL,                   FLAG,                   \
       NULL, NULL, ON(EXPLAIN),                                                                          \
       "take a path as definitions may write it, not only as RFC 9535 has it")                           \
    XX(FORMAT,              "format",              'f',  NULL,                   CHOICE,                 \
       NULL, "svg|dot|mermaid|json", ON(GRAPH),                                                          \
       "the kind of picture; by default what OUT's name says, else svg")                                 \
    XX(OUTPUT,              "output",              'o',  NULL,                   FILE,                   \
       NULL, "OUT", ON(GRAPH),                                                                           \
       "write to this file instead of standard output")                                                  \
    XX(VERBOSE,             "verbose",             'v',  NULL,                   FLAG,                   \
       NULL, NULL, ON(TEST),                                                                             \
       "show what happened in cases that pass, too")                                                     \
    XX(ONLY,                "only",                'k',  NULL,                   TEXT,                   \
       NULL, "NAME", ON(TEST),                                                                           \
       "run only cases whose name has this in it")                                                       \
    XX(JUNIT,               "junit",               0,    NULL,                   FILE,                   \
       NULL, "FILE", ON(TEST),                                                                           \
       "write the results as JUnit XML, too")                                                            \
    XX(EXPLORE,             "explore",             0,    NULL,                   NUMBER,                 \
       "0", "N", ON(TEST),                                                                               \
       "check the invariants in N varied runs of each case")                                             \
    XX(MOCKS,               "mock",                'm',  NULL,                   FILE,                   \
       NULL, "FILE", ON(RUN),                                                                            \
       "what outside work answers: a JSON list of mocks")                                                \
    XX(EVENTS,              "event",               'e',  NULL,                   LIST,                   \
       NULL, "FILE", ON(RUN),                                                                            \
       "a CloudEvent, delivered when one is awaited; may be repeated, in order")                         \
    XX(SIMULATE,            "simulate",            0,    NULL,                   NUMBER,                 \
       "0", "N", ON(RUN),                                                                                \
       "run N times with results, latencies and failures by chance")                                     \
    XX(SEED,                "seed",                0,    NULL,                   NUMBER,                 \
       "1", "S", ON(TEST) | ON(RUN) | ON(TORTURE),                                                       \
       "where chance begins: the same seed gives the same runs")                                         \
    XX(MINUTES,             "minutes",             'm',  NULL,                   TEXT,                   \
       "1", "N", ON(TORTURE),                                                                            \
       "how long; one cycle of each kind is run in any case")                                            \
    XX(TORTURE_DIRECTORY,   "dir",                 'd',  NULL,                   DIRECTORY,              \
       NULL, "DIR", ON(TORTURE),                                                                         \
       "a directory of its own on the disk to test; made if it is not there")                            \
    XX(SECRET_FILE,         "file",                0,    NULL,                   FILE,                   \
       NULL, "FILE", ON(SECRET),                                                                         \
       "holds the value to set; - is standard input, which is also the default")                         \
    XX(SERVER,              "server",              's',  "PAWL_SERVER",          TEXT,                   \
       "http://127.0.0.1:8080", "URL", CLIENT_VERBS,                                                     \
       "the engine to talk to")                                                                          \
    XX(TOKEN,               "token",               0,    "PAWL_TOKEN",           TEXT,                   \
       NULL, "TOKEN", CLIENT_VERBS,                                                                      \
       "the bearer token to send; better given in the environment")                                      \
    XX(TENANT,              "tenant",           0,    "PAWL_TENANT",          TEXT,                      \
       NULL, "NAME", CLIENT_VERBS,                                                                       \
       "the tenant to act in, if you are in several")                                                    \
    XX(DEFINITION_VERSION,  "definition-version",  0,    NULL,                   NUMBER,                 \
       "0", "N", ON(START),                                                                              \
       "start that version instead of the latest")                                                       \
    XX(WITH_ENDED,          "with-ended",          0,    NULL,                   FLAG,                   \
       NULL, NULL, ON(DELETE),                                                                           \
       "delete the ended runs of the definition, too")                                                   \
    XX(REVISION,            "revision",            0,    NULL,                   TEXT,                   \
       NULL, "TEXT", ON(DEPLOY) | ON(ROLLBACK) | ON(APPLY),                                              \
       "where the version comes from, such as a commit of Git; lists of versions show it")               \
    XX(OF_VERSION,          "version",             0,    NULL,                   NUMBER,                 \
       "0", "N", ON(DEFINITION),                                                                         \
       "that version instead of the latest")                                                             \
    XX(VARIABLE,            "var",                 'v',  NULL,                   LIST,                   \
       NULL, "NAME=VALUE", SENDING,                                                                      \
       "a variable; VALUE is JSON if it parses as JSON, else text; may be repeated")                     \
    XX(INPUT,               "input",               'i',  NULL,                   TEXT,                   \
       NULL, "JSON", SENDING,                                                                            \
       "an object with variables; @FILE reads a file, @- standard input")                                \
    XX(KEY,                 "key",                 'k',  NULL,                   TEXT,                   \
       NULL, "KEY", ON(START) | ON(PS) | ON(SIGNAL),                                                     \
       "the business key")                                                                               \
    XX(WAIT,                "wait",                'w',  NULL,                   NUMBER,                 \
       "0", "SECONDS", ON(START) | ON(EVENT),                                                            \
       "wait for the instance to end, up to that long; at most 60")                                      \
    XX(DEFINITION,          "definition",          0,    NULL,                   TEXT,                   \
       NULL, "ID", ON(PS) | ON(TASKS),                                                                   \
       "only of this definition")                                                                        \
    XX(SIGNAL_DEFINITION,   "definition",          0,    NULL,                   TEXT,                   \
       NULL, "ID", ON(SIGNAL),                                                                           \
       "with --key, instead of an instance: the definition of the instance that has it")                 \
    XX(EARLY,               "early",               0,    NULL,                   FLAG,                   \
       NULL, NULL, ON(SIGNAL),                                                                           \
       "keep the signal if its step does not wait for it yet")                                           \
    XX(TEST,                "test",                0,    NULL,                   FLAG,                   \
       NULL, NULL, ON(START),                                                                            \
       "a test: calls, workers and people are pretended, and nothing leaves the engine")                 \
    XX(CANCEL_FAILED,       "failed",              0,    NULL,                   FLAG,                   \
       NULL, NULL, ON(CANCEL),                                                                           \
       "also an instance that has failed")                                                               \
    XX(ALONE,               "alone",               0,    NULL,                   FLAG,                   \
       NULL, NULL, ON(RETRY),                                                                            \
       "also a child whose parent failed with it; the parent does not hear of it any more")              \
    XX(STATUS,              "status",              0,    NULL,                   CHOICE,                 \
       NULL, SHOW_STATUS_CHOICES, ON(PS),                                                               \
       "only with this status; a word of /v1, in capitals, means all that it covers")                    \
    XX(JOB_TYPE,            "type",                't',  NULL,                   TEXT,                   \
       NULL, "JOBTYPE", ON(JOBS),                                                                        \
       "only of this type")                                                                              \
    XX(INSTANCE,            "instance",            0,    NULL,                   TEXT,                   \
       NULL, "ID", ON(JOBS) | ON(TASKS),                                                                 \
       "only of this instance")                                                                          \
    XX(PERSON,              "person",              0,    NULL,                   TEXT,                   \
       NULL, "NAME", ON(TASKS),                                                                          \
       "only what this person has or, by name, may take")                                                \
    XX(WITH,                "assignee",            0,    NULL,                   TEXT,                   \
       NULL, "NAME", ON(TASKS),                                                                          \
       "only what this person has")                                                                      \
    XX(FOR_GROUP,           "group",               0,    NULL,                   TEXT,                   \
       NULL, "NAME", ON(TASKS),                                                                          \
       "only what members of this group may take")                                                       \
    XX(UNASSIGNED,          "unassigned",          0,    NULL,                   FLAG,                   \
       NULL, NULL, ON(TASKS),                                                                            \
       "only what nobody has")                                                                           \
    XX(DUE_BEFORE,          "due-before",          0,    NULL,                   TEXT,                   \
       NULL, "TIME", ON(TASKS),                                                                          \
       "only what is due before, such as 2026-11-16T09:00:00Z")                                          \
    XX(BY,                  "by",                  'b',  "PAWL_USER",            TEXT,                   \
       NULL, "NAME", ACTING,                                                                             \
       "who does it, for the history")                                                                   \
    XX(IN_GROUPS,           "in-group",            0,    "PAWL_GROUPS",          LIST,                   \
       NULL, "NAME", ON(TASK) | ON(COMPLETE),                                                            \
       "a group that --by is in; may be repeated")                                                       \
    XX(COMMENT,             "comment",             'm',  NULL,                   TEXT,                   \
       NULL, "TEXT", ON(TASK),                                                                           \
       "a comment, which the history keeps")                                                             \
    XX(DECISION,            "decision",            0,    NULL,                   TEXT,                   \
       NULL, "WORD", ON(TASK),                                                                           \
       "complete: one of the answers that the task offers")                                              \
    XX(WITH_DOCUMENT,       "with",                0,    NULL,                   FILE,                   \
       NULL, "FILE", ON(REPLAY),                                                                         \
       "the changed document")                                                                           \
    XX(FROM_VERSION,        "from",                0,    NULL,                   NUMBER,                 \
       "0", "VERSION", ON(MIGRATE),                                                                      \
       "the version that the instances have")                                                            \
    XX(TO_VERSION,          "to",                  0,    NULL,                   NUMBER,                 \
       "0", "VERSION", ON(MIGRATE),                                                                      \
       "the version that they go on with")                                                               \
    XX(MAP,                 "map",                 0,    NULL,                   LIST,                   \
       NULL, "OLD=NEW", ON(MIGRATE),                                                                     \
       "instances that stand at OLD go on at NEW; may be repeated")                                      \
    XX(NO_RETRY,            "no-retry",            0,    NULL,                   FLAG,                   \
       NULL, NULL, ON(MIGRATE),                                                                          \
       "failed instances move and stay failed; without it they are retried in the same step")            \
    XX(UNDO,                "undo",                0,    NULL,                   TEXT,                   \
       NULL, "ID", ON(MIGRATE),                                                                          \
       "bring the instances of that migration back, unless they have moved on")                          \
    XX(ASSIGNEE,            "to",                  0,    NULL,                   TEXT,                   \
       NULL, "NAME", ON(TASK),                                                                           \
       "assign: who has it from now on")                                                                 \
    XX(TO_GROUPS,           "group",               0,    NULL,                   LIST,                   \
       NULL, "NAME", ON(TASK),                                                                           \
       "assign: whose members may take it, instead of those before; may be repeated")                    \
    XX(DUE,                 "due",                 0,    NULL,                   TEXT,                   \
       NULL, "WHEN", ON(TASK),                                                                           \
       "assign: a time, or a duration since the task was opened")                                        \
    XX(FOLLOW_UP,           "follow-up",           0,    NULL,                   TEXT,                   \
       NULL, "WHEN", ON(TASK),                                                                           \
       "assign: when somebody should look at it")                                                        \
    XX(PRIORITY,            "priority",            0,    NULL,                   NUMBER,                 \
       "50", "N", ON(TASK),                                                                              \
       "assign: from 0 to 100")                                                                          \
    XX(ROWS,                "limit",               'n',  NULL,                   NUMBER,                 \
       "20", "N", LISTING | ON(REPLAY),                                                                  \
       "how many to show, at most 200")                                                                  \
    XX(QUIET,               "quiet",               'q',  NULL,                   FLAG,                   \
       NULL, NULL, LISTING | ON(START),                                                                  \
       "print nothing but ids, one a line")                                                              \
    XX(HISTORY,             "history",             0,    NULL,                   FLAG,                   \
       NULL, NULL, ON(SHOW),                                                                             \
       "only what happened")                                                                             \
    XX(LAST_VISITS,         "last",                0,    NULL,                   NUMBER,                 \
       NULL, "N", ON(SHOW),                                                                              \
       "only the last N visits, from 1 to 200")                                                          \
    XX(TRACE_TO,            "to",                  0,    NULL,                   TEXT,                   \
       NULL, "URL", ON(TRACE),                                                                           \
       "send the spans to this collector, such as http://localhost:4318")                                \
    XX(WHY,                 "explain",             0,    NULL,                   FLAG,                   \
       NULL, NULL, ON(SHOW),                                                                             \
       "only why it waits")                                                                              \
    XX(WHERE,               "where",               'w',  NULL,                   LIST,                   \
       NULL, "CONDITIONS", MANY | ON(PS),                                                                \
       "for all that fit instead of one: definition=order,reason~timeout,age>1h; may be repeated")       \
    XX(STEP,                "step",                0,    NULL,                   TEXT,                   \
       NULL, "STEP", ON(RETRY) | ON(SIGNAL),                                                             \
       "with --where: the step to retry, or the one that waits for the signal")                          \
    XX(DRY_RUN,             "dry-run",             0,    NULL,                   FLAG,                   \
       NULL, NULL, MANY | ON(MODIFY) | ON(ACCESS),                                                       \
       "only tell what would happen; with --where: how many there are, by reason")                       \
    XX(YES,                 "yes",                 'y',  NULL,                   FLAG,                   \
       NULL, NULL, MANY | ON(APPLY),                                                                     \
       "apply, or with --where: do not ask")                                                             \
    XX(GROUP,               "group",               'g',  NULL,                   CHOICE,                 \
       NULL, "reason", ON(PS),                                                                           \
       "with --status FAILED: count them by reason")                                                     \
    XX(REASON,              "reason",              'r',  NULL,                   TEXT,                   \
       NULL, "TEXT", ON(CANCEL) | ON(MODIFY) | ON(MIGRATE),                                              \
       "why, for those who look at it later")                                                            \
    XX(RESEND,              "resend",              0,    NULL,                   NUMBER,                 \
       "0", "NUMBER", ON(EVENT),                                                                         \
       "instead of a file: the event of that number of those that nobody took")                          \
    XX(SET,                 "set",                 0,    NULL,                   LIST,                   \
       NULL, "NAME=VALUE", ON(MODIFY),                                                                   \
       "set a variable; VALUE is JSON if it parses as JSON, else text; may be repeated")                 \
    XX(UNSET,               "unset",               0,    NULL,                   LIST,                   \
       NULL, "NAME", ON(MODIFY),                                                                         \
       "take a variable away; may be repeated")                                                          \
    XX(MOVE,                "move",                0,    NULL,                   LIST,                   \
       NULL, "FROM:TO", ON(MODIFY),                                                                      \
       "move the token at step FROM (or with that stepExecutionId) to step TO; FROM->TO if ids have "    \
       "colons")                                                                                         \
    XX(ADD,                 "add",                 0,    NULL,                   LIST,                   \
       NULL, "STEP[@FROM]", ON(MODIFY),                                                                  \
       "a new token at STEP, in the fork's branches of the token at FROM; may be repeated")              \
    XX(CANCEL_TOKEN,        "cancel",              0,    NULL,                   LIST,                   \
       NULL, "STEP", ON(MODIFY),                                                                         \
       "take the token at STEP away; may be repeated")                                                   \
    XX(IF_REVISION,         "if-revision",         0,    NULL,                   NUMBER,                 \
       "0", "N", ON(MODIFY),                                                                             \
       "only if the instance still has this revision")                                                   \
    XX(ACCESS_STORE,        "store",            0,    NULL,                   TEXT,                      \
       NULL, "STORE", STORE_VERBS,                                                                       \
       "work on this store, which no engine uses, instead of asking one: a data directory, a "           \
       "file of SQLite or the URI of a database")                                                        \
    XX(ROLES,               "role",             0,    NULL,                   LIST,                      \
       NULL, "ROLE", ON(USER) | ON(KEY),                                                                 \
       "viewer, person, worker, sender, builder, operator or admin; may be repeated")                    \
    XX(USER_GROUPS,         "group",            0,    NULL,                   LIST,                      \
       NULL, "NAME", ON(USER),                                                                           \
       "a group of the user; may be repeated")                                                           \
    XX(DISPLAY_NAME,        "name",             0,    NULL,                   TEXT,                      \
       NULL, "TEXT", ON(USER),                                                                           \
       "the name that others see")                                                                       \
    XX(EMAIL,               "email",            0,    NULL,                   TEXT,                      \
       NULL, "ADDRESS", ON(USER),                                                                        \
       "the user's address")                                                                             \
    XX(USER_STATE,          "state",            0,    NULL,                   CHOICE,                    \
       NULL, "active|disabled", ON(USER),                                                                \
       "set: whether the user may sign in")                                                              \
    XX(TENANT_STATE,        "state",            0,    NULL,                   CHOICE,                    \
       NULL, "active|suspended", ON(TENANT),                                                             \
       "set: a suspended tenant can only be read")                                                       \
    XX(PASSWORD,            "password",         0,    NULL,                   FLAG,                      \
       NULL, NULL, ON(USER) | ON(LOGIN),                                                                 \
       "ask for the password; without a terminal, read it from standard input")                          \
    XX(LOGIN_KEY,           "key",              0,    NULL,                   FLAG,                      \
       NULL, NULL, ON(LOGIN),                                                                            \
       "sign in with a key; it is asked for, or read from standard input")                               \
    XX(LOGIN_ISSUER,        "issuer",           0,    NULL,                   TEXT,                      \
       NULL, "NAME", ON(LOGIN),                                                                          \
       "sign in by this provider, with your browser")                                                    \
    XX(LOGIN_WAIT,          "wait",             0,    NULL,                   DURATION,                  \
       "5m", "DURATION", ON(LOGIN),                                                                      \
       "how long to wait for the browser")                                                               \
    XX(SCOPES,              "scope",            0,    NULL,                   LIST,                      \
       NULL, "PERMISSION[:PATTERN]", ON(KEY) | ON(GRANT),                                                \
       "narrow the roles: only this, such as jobs:work:reserve-*; may be repeated")                      \
    XX(EXPIRES,             "expires",          0,    NULL,                   TEXT,                      \
       NULL, "WHEN", ON(KEY),                                                                            \
       "a time, or a duration from now such as 90d; a year unless it is given")                          \
    XX(ACTS_FOR,            "acts-for",         0,    NULL,                   FLAG,                      \
       NULL, NULL, ON(KEY),                                                                              \
       "the program may name the person for whom it acts")                                               \
    XX(NOTE,                "note",             0,    NULL,                   TEXT,                      \
       NULL, "TEXT", ON(KEY),                                                                            \
       "a note for people")                                                                              \
    XX(LABEL,               "label",            0,    NULL,                   TEXT,                      \
       NULL, "TEXT", ON(TENANT) | ON(ISSUER),                                                            \
       "the name that others see")                                                                       \
    XX(QUOTAS,              "quota",            0,    NULL,                   LIST,                      \
       NULL, "NAME=N", ON(TENANT),                                                                       \
       "a limit, such as activeInstances=1000; 0 is none; may be repeated")                              \
    XX(WITH_EVERYTHING,     "with-everything",  0,    NULL,                   FLAG,                      \
       NULL, NULL, ON(TENANT),                                                                           \
       "remove: also if the tenant has definitions and instances, which go, too")                        \
    XX(CONFIRM,             "confirm",          0,    NULL,                   TEXT,                      \
       NULL, "NAME", ON(TENANT),                                                                         \
       "remove --with-everything: the tenant's name once more")                                          \
    XX(ISSUER_URL,          "issuer",           0,    NULL,                   TEXT,                      \
       NULL, "URL", ON(ISSUER),                                                                          \
       "the issuer as its tokens name it")                                                               \
    XX(CLIENT_ID,           "client-id",        0,    NULL,                   TEXT,                      \
       NULL, "ID", ON(ISSUER),                                                                           \
       "how the provider knows this engine")                                                             \
    XX(CLIENT_SECRET,       "client-secret",    0,    NULL,                   TEXT,                      \
       NULL, "vault:NAME", ON(ISSUER),                                                                   \
       "the secret of this engine that holds the provider's client secret")                              \
    XX(AUDIENCE,            "audience",         0,    NULL,                   TEXT,                      \
       NULL, "TEXT", ON(ISSUER),                                                                         \
       "the audience that tokens must name; any: tokens for anybody count")                              \
    XX(JWKS_FILE,           "jwks-file",        0,    NULL,                   TEXT,                      \
       NULL, "FILE", ON(ISSUER),                                                                         \
       "the provider's public keys, if it is not asked for them")                                        \
    XX(USER_CLAIM,          "user-claim",       0,    NULL,                   TEXT,                      \
       NULL, "PATH", ON(ISSUER),                                                                         \
       "where a token has the user's name")                                                              \
    XX(TENANT_CLAIM,        "tenant-claim",     0,    NULL,                   TEXT,                      \
       NULL, "PATH", ON(ISSUER),                                                                         \
       "where a token has the tenant")                                                                   \
    XX(GROUPS_CLAIM,        "groups-claim",     0,    NULL,                   TEXT,                      \
       NULL, "PATH", ON(ISSUER),                                                                         \
       "where a token has groups, such as $.groups")                                                     \
    XX(ROLES_CLAIM,         "roles-claim",      0,    NULL,                   TEXT,                      \
       NULL, "PATH", ON(ISSUER),                                                                         \
       "where a token has roles, such as $.realm_access.roles")                                          \
    XX(REQUIRE_GROUP,       "require-group",    0,    NULL,                   TEXT,                      \
       NULL, "NAME", ON(ISSUER),                                                                         \
       "only people of this group of the provider")                                                      \
    XX(ROLE_NAMES,          "map",              0,    NULL,                   LIST,                      \
       NULL, "ROLE=NAME", ON(ISSUER),                                                                    \
       "a name in the roles claim that gives a role, such as admin=pawl-admins; may be repeated")        \
    XX(AUDIT_FOLLOW,        "follow",           'f',  NULL,                   FLAG,                      \
       NULL, NULL, ON(AUDIT),                                                                            \
       "go on and print rows as they come")                                                              \
    XX(AUDIT_VERIFY,        "verify",           0,    NULL,                   FLAG,                      \
       NULL, NULL, ON(AUDIT),                                                                            \
       "look for rows that were changed or are missing")                                                 \
    XX(AUDIT_PRINCIPAL,     "principal",        0,    NULL,                   TEXT,                      \
       NULL, "WHO", ON(AUDIT),                                                                           \
       "only what this one did, such as user:ada; a * at the end stands for any rest")                   \
    XX(AUDIT_ACTION,        "action",           0,    NULL,                   TEXT,                      \
       NULL, "WORD", ON(AUDIT),                                                                          \
       "only this, such as instance.cancel or key.*")                                                    \
    XX(AUDIT_OBJECT,        "object",           0,    NULL,                   TEXT,                      \
       NULL, "ID", ON(AUDIT),                                                                            \
       "only what was done to this")                                                                     \
    XX(AUDIT_OUTCOME,       "outcome",          0,    NULL,                   TEXT,                      \
       NULL, "WORD", ON(AUDIT),                                                                          \
       "done or refused")                                                                                \
    XX(AUDIT_SINCE,         "since",            0,    NULL,                   TEXT,                      \
       NULL, "WHEN", ON(AUDIT),                                                                          \
       "not before this time, or this duration ago, such as 2h")                                         \
    XX(AUDIT_UNTIL,         "until",            0,    NULL,                   TEXT,                      \
       NULL, "WHEN", ON(AUDIT),                                                                          \
       "not after this time, or this duration ago")                                                      \
    XX(PRUNE,               "prune",            0,    NULL,                   FLAG,                      \
       NULL, NULL, ON(ACCESS) | ON(PLAN) | ON(APPLY),                                                    \
       "also remove records that the file does not have, or retire definitions that the folder lacks")   \
    XX(ALLOW_CIRCLES,       "allow-circles",    0,    NULL,                   FLAG,                      \
       NULL, NULL, ON(PLAN) | ON(APPLY),                                                                 \
       "take definitions that start each other in a circle")                                             \
    XX(WITH_ACCESS,         "with-access",      0,    NULL,                   FLAG,                      \
       NULL, NULL, ON(EXPORT),                                                                           \
       "also write who may do what, without secrets")                                                    \
    XX(WITH_HASHES,         "with-hashes",      0,    NULL,                   FLAG,                      \
       NULL, NULL, ON(ACCESS),                                                                           \
       "export with --store: with the hashes of passwords and keys, so that another engine can "         \
       "take them")                                                                                      \
    XX(STRICT,              "strict",              0,    NULL,                   FLAG,                   \
       NULL, NULL, ON(VALIDATE),                                                                         \
       "fail also if a field is unknown or has no effect")                                               \
    XX(JSON,                "json",                'j',  NULL,                   FLAG,                   \
       NULL, NULL, CLIENT_VERBS | ON(VALIDATE) | ON(STORE) | ON(DOCTOR) | ON(TEST) | ON(RUN) | ON(TORTURE), \
       "print JSON, for programs")                                                                       \
    XX(CONFIG,              "config",              'c',  "PAWL_CONFIG",          FILE,                   \
       NULL, "FILE", CLIENT_VERBS | ON(SERVE) | ON(STORE) | ON(DOCTOR),                                  \
       "read settings from this file")
/* clang-format on */

enum option {
#define XX(NAME, flag, letter, environment, type, fallback, value, verbs, help) OPTION_##NAME,
    OPTION_MAP(XX)
#undef XX
        OPTION_COUNT
};

/* A setting that has an environment variable also has a key in the configuration file: the name of its
 * flag. */
struct option_spec {
    const char *flag;
    char letter;             /* 0: none. */
    const char *environment; /* NULL: only a flag. */
    enum option_type type;
    const char *fallback; /* NULL: empty, off, none. */
    const char *value;    /* Stands for the value in help; for a choice: its words. */
    uint64_t verbs;
    const char *help;
};

extern const struct option_spec option_specs[OPTION_COUNT];

struct option_value {
    str text;
    int64_t number; /* NUMBER; a DURATION's milliseconds; a FLAG's 0 or 1. */
    const str *list;
    size_t list_count;
    bool given; /* True if a source gave it; false for the default. */
};

struct options {
    struct arena *arena;
    enum verb verb;
    bool help; /* --help was among the flags: nothing else was checked. */
    struct option_value value[OPTION_COUNT];
    const str *argument; /* The words that are not flags; each ends with a NUL. */
    size_t argument_count;
};

/* Sources of settings besides the command line. Tests bring their own. */
struct options_sources {
    const char *(*environment)(const char *name); /* NULL if unset. */
    const char *config_default;                   /* Read if it exists. NULL: none. */
};

/* The process's own environment and /etc/pawl/pawl.conf. */
extern const struct options_sources options_of_process;

/* Warns in the log of variables that begin with PAWL_ and are no settings. */
void environment_warn(char *const *variables, struct arena *arena);

/* Parses the words that follow the verb. Everything lives in the arena. */
enum status options_parse(enum verb verb, int argc, char *const *argv, const struct options_sources *sources,
                          struct arena *arena, struct options *ret_options, struct error *err);

static inline str option_text(const struct options *options, enum option option)
{
    return options->value[option].text;
}

/* The text as a C string, or NULL if it is empty. */
const char *option_path(const struct options *options, enum option option);

static inline bool option_on(const struct options *options, enum option option)
{
    return options->value[option].number != 0;
}

static inline int64_t option_number(const struct options *options, enum option option)
{
    return options->value[option].number;
}

/* Where --store and --data say that the store is: in a database (its URI), or in a directory. Both NULL: in
 * memory. A database's store has the directory, too, for what is not in the database. */
void options_store(const struct options *options, const char **ret_database, const char **ret_data);

/* The defaults with every --limit applied. */
enum status options_limits(const struct options *options, struct limits *ret_limits, struct error *err);

/* 90s, 15m, 12h, 30d, 2w, 0 or ISO 8601. */
enum status options_duration(str text, int64_t *ret_ms, struct error *err);

#endif
