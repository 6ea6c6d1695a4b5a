/* api/limits.h — bounds of this folder that no configuration changes. */
#ifndef API_LIMITS_H
#define API_LIMITS_H

#include "base/limits.h"

enum {
    /* The network's thread takes about a millisecond for these at most: JSON of 32 KiB is read in 0.3 ms, XML
     * with as many elements as fit in 1.3 ms, and 256 KiB of values are written in 0.3 ms. */
    ASIDE_JSON_BYTES_MIN = 96 << 10,     /* Larger bodies in JSON are read beside it; batches are smaller. */
    ASIDE_BODY_BYTES_MIN = 32 << 10,     /* The same of other bodies, and of messages. */
    ASIDE_ANSWER_BYTES_MIN = 768 << 10,  /* Answers with larger values are written there. */
    ASIDE_ANSWER_COPIES = 2,             /* The values, and soon their text. */
    PAGE_SIZE_DEFAULT = 20,              /* Items on a page whose size nobody has said. */
    PAGE_SIZE_KNOWN_MAX = 200,           /* A size that clients know to be good: a lower limit cuts it. */
    WARNING_BYTES_MAX = 1000,            /* In X-Pawl-Warning, */
    WARNING_NAME_BYTES_MAX = 64,         /* and of a client's word in it. */
    UNKNOWN_MEMBERS_MAX = 10,            /* That an answer tells of. */
    HEALTH_WATCHERS_MAX = 1000,          /* Calls of Health.Watch, which need no secret, */
    HEALTH_WATCHERS_PEER_MAX = 250,      /* and those from one address. */
    HEALTH_MESSAGE_BYTES_MAX = 4 << 10,  /* The name of a service. */
    MEMBER_BEHIND_BYTES_MAX = 256 << 10, /* A calculation node that has not read so much gets no more. */
    MEMBER_SKIP_TOLD_US = 1000 * 1000,   /* At most one line of the log in this time. */
    DESCRIPTOR_DEPTH_MAX = 16,           /* Messages inside each other, in descriptors. */
    LIVE_STREAMS_MAX = 256,              /* Pages that are told what changes, */
    LIVE_STREAMS_PEER_MAX = 192,         /* and those at one address, which may be a proxy's. */
    LIVE_TOPICS_MAX = 64,                /* For one of them. */
    TRIALS_MAX = 4,                      /* Test runs at once, each on a thread of its own. */
    TRIAL_MS_MAX = 10000,                /* In real time. */
    APPLY_FILE_BYTES_MAX = 1024,         /* The name of a file that is published. */
    TRIAL_BODY_BYTES_MAX = 1 << 20,
    TRIAL_OTHERS_MAX = 20, /* Documents besides the one that is run. */
    TRIAL_ANSWERS_MAX = 1000,
    TRANSCRIPT_PARTS_MAX = 20, /* Instances of one family whose story becomes a scenario. */
    TRANSCRIPT_BYTES_MAX = 32 << 20,
    HOOK_QUERY_FIELDS_MAX = 128,
    FORM_BODY_BYTES_MAX = 1 << 20,   /* Sent with a form by somebody who is signed in, files included. */
    FORM_CONTROLS_MAX = 200,         /* On the page of a form. */
    FORM_OPTIONS_MAX = 500,          /* In one of its lists. */
    FORM_DEPTH_MAX = 4,              /* Groups inside each other; deeper values are asked for as JSON. */
    FORM_HOPS_MAX = 8,               /* References that are followed to learn what a field is. */
    FORM_LINE_CHARS_MAX = 200,       /* A text that may be longer gets several lines. */
    FORM_PAGE_BYTES_MAX = 512 << 10, /* A longer page is not written. */
    TICKS_DEFAULT = 10,              /* For a schedule, in one answer … */
    TICKS_MAX = 100,
    TRY_ROWS_MAX = 100,       /* … and rows of values for a table. */
    ENTITY_LIST_MAX = 100000, /* Entities in one request … */
    ENTITY_WINDOW_DEFAULT = 100,
    ENTITY_WINDOW_MAX = 1000, /* … and in one transaction. */
    ENTITY_MODEL_NAME_BYTES_MAX = 256,
    ENTITY_MODELS_LISTED_MAX = 1000,
    ENTITY_PAGE_DEFAULT = 20, /* Entities on a page. */
    ENTITY_PAGE_MAX = 10000,
    ENTITY_AUDIT_DEFAULT = 20, /* Events on a page. */
    ENTITY_AUDIT_MAX = 1000,
    ENTITY_STATES_MAX = 1000,            /* States that a question names. */
    ENTITY_CHANGES_MAX = 1000,           /* For one entity, the newest. */
    RUN_VARIABLES_BYTES_MAX = 256 << 10, /* Data of a run that its page shows. */
    VISIT_VALUE_BYTES_MAX = 1 << 20,     /* The input of a visit, and its output. */
    VISIT_CHANGE_BYTES_MAX = 16 << 10,   /* A value that a visit changed, before or after. */
    ROUTE_PARAMS_MAX = 8,              /* Parameters in a path. A test checks that the patterns keep to it. */
    SHORT_ANSWER_BYTES_MAX = 64 << 10, /* The longest answer while clients do not read theirs. */
    STREAM_PAUSE_BYTES_MAX = 64 << 10, /* A stream of changes goes on when its client has read up to here. */
    ERROR_NAME_BYTES_MAX = 256,        /* The name that a worker gives to an error. */
    MESSAGE_DEPTH_MAX = 3 * JSON_DEPTH_MAX + 8, /* Protobuf messages inside each other: an object is three. */
    MESSAGE_MEMORY_MAX = 128 << 20,             /* For a protobuf message while it is unpacked. */
    MESSAGE_ANSWER_BYTES_MAX =
        (4 << 20) - (64 << 10), /* Clients of gRPC take 4 MiB unless they are told otherwise. */
    MESSAGE_ANSWER_TEXT_MAX =
        MESSAGE_ANSWER_BYTES_MAX / 6, /* JSON that fits into it, whatever it is: "0," takes 11 bytes. */
    /* Other nodes of the store. */
    FORWARDING_WAIT_MS = 2000,             /* A database that does not answer holds nobody longer. */
    FORWARDING_LOAD_MS = 200,              /* So often others hear what members have to do, */
    FORWARDING_LOAD_BYTE_US = 10,          /* and so much later for each byte of it. */
    FORWARDING_ANSWER_KEEP_MS = 60 * 1000, /* An answer that nobody takes is dropped, */
    FORWARDING_CALL_KEEP_MS = 600 * 1000,  /* and a call. */
    FORWARDING_ROUND_MAX = 64,             /* Node messages that are taken in one round of the loop, */
    FORWARDING_ROUND_BYTES = 4 << 20,      /* and their bytes. */
    FORWARDING_HEAD_BYTES = 4 << 10,       /* The bytes of a node message besides its texts. */
    FORWARDING_DOUBTED_TOLD_US = 60000000, /* Texts that are not believed are logged no more often. */
    FORWARDING_HEADERS_MAX = 128,          /* In a request that another node has sent. */
    SESSION_AGENT_BYTES_MAX = 256,         /* The User-Agent that a session remembers. */
    HASHINGS_MAX = 2,                      /* Passwords that are looked at at once, each 19 MiB, */
    HASHINGS_WAITING_MAX = 64,             /* and that wait, of all clients, */
    HASHINGS_PEER_MAX = 8,                 /* and from one address. */
    ACCESS_PAGE_MAX = 1000,                /* Records that one answer names. */
    AUDIT_PAGE_DEFAULT = 100,              /* Rows of the audit on a page whose size nobody has said. */
    AUDIT_PAGE_MAX = 1000,                 /* Rows of the audit in one answer. */
    CALL_WAITING_BYTES_MAX =
        256 << 10,      /* A gRPC call keeps so many while its caller is read from the store. */
    TURN_MS_MAX = 3000, /* A longer turn means that the engine hangs, or its disk does. */

    /* Agents. */
    MCP_ANSWER_BYTES_MAX = 128 << 10, /* The answer of a request that a tool makes. */
    MCP_RESULT_BYTES_MAX =
        256 << 10,              /* The result of a tool: an answer or two, which may be whole documents. */
    MCP_KEY_BYTES_MIN = 16,     /* A request's id that is so long is like no other. */
    MCP_WAIT_SECONDS_MAX = 20,  /* A tool waits so long for the run that it has started. */
    MCP_TASK_WAIT_SECONDS = 2,  /* The same, if its client can come back for the result. */
    MCP_POLL_MS = 5000,         /* Clients ask for a task so often. */
    MCP_PUBLISHED_PAGE = 20,    /* Definitions that are tools, on a page. */
    MCP_LINES_MAX = 400,        /* Lines of a test run that a tool tells. */
    MCP_SIMULATED_MAX = 50,     /* Runs by chance in one call of a tool, */
    MCP_SIMULATED_DEFAULT = 20, /* if it does not say so, */
    MCP_SIMULATED_MS_MAX = 15 * 1000, /* and no more begin after this time. */

    /* Access. */
    ISSUERS_MAX = 1000,                  /* Records that are read. */
    GRACE_SECONDS_MAX = 366 * 24 * 3600, /* A key of cyoda's calls counts on so long. */
    CLIENTS_MAX = 1000,                  /* Clients of cyoda in a list. */
    TOKEN_CHECKS_MAX = 4,                /* Signatures that are checked at one time, … */
    TOKEN_CHECKS_PER_SOURCE_MAX = 2,     /* … and of one address. Others wait. */
    LOOPBACK_BYTES_MAX = 512,            /* The place on a person's machine where a login leads. */
    LOGIN_CODE_BYTES_MAX = 256,

    /* Tests of connections. */
    CONNECTION_TESTS_MAX = 16,           /* At one time, … */
    CONNECTION_TESTS_PER_TENANT_MAX = 2, /* … and of one tenant. */
    CONNECTION_TEST_MS = 20 * 1000,      /* For one. */
    MAIL_ADDRESS_BYTES_MAX = 254,        /* A test writes to an address so long (RFC 5321). */
};

#endif
