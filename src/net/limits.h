/* net/limits.h — bounds of this folder that no configuration changes. */
#ifndef NET_LIMITS_H
#define NET_LIMITS_H

enum {
    HTTP_HEADERS_MAX = 128,         /* Header fields of a request that the parser has room for. */
    HTTP_REMEMBERED_BYTES_MAX = 96, /* A credential that a connection remembers; a key is shorter. */
    LISTENERS_MAX = 4,              /* Addresses of one host name that a server listens at. */
    STALL_MS = 50,                  /* A round of the loop that takes longer is counted. */
    WORKERS_MAX = 2,                /* Threads beside the loop, for work that would hold it up. */
    SWEEP_MS_MAX = 1000,            /* Between two looks at the deadlines of all connections. */
    REFUSED_MAX = 64,               /* Connections that are told they are too many; others are just closed. */
    EXCHANGE_BYTES = 2048,       /* A request and its stream, without its arena, as counted for strangers. */
    TLS_SILENT_BYTES = 10 << 10, /* The same for the TLS of a connection before its first byte, */
    TLS_HANDSHAKE_BYTES = 48 << 10, /* during the handshake, */
    TLS_READY_BYTES = 18 << 10,     /* and behind it; */
    HTTP2_SESSION_BYTES = 16 << 10, /* for a session of HTTP/2, */
    HTTP2_FRAME_BYTES = 256,        /* with each frame that waits to be sent. All measured. */
    STRANGER_STREAMS_MAX = 64,      /* Requests in flight on one connection of a stranger: HTTP/2, */
    STRANGER_PIPELINE_MAX = 8,      /* and HTTP/1.1. */
    KNOWN_TURN_MAX = 64,   /* Requests of one connection in one round of the loop, of a known client, */
    STRANGER_TURN_MAX = 8, /* and of a stranger. */
    STRANGER_WRITTEN_MAX = 256 << 10,  /* Bytes that a stranger gets in one round. */
    ACCEPTS_TURN_MAX = 64,             /* Connections that are let in in one round. */
    TURNS_US_MAX = 5000,               /* Given in one round to all connections that wait for their turn. */
    UNREAD_BYTES_MAX = 1 << 20,        /* A client that leaves more of its answers unread may not ask more. */
    PIECES_MAX = 64,                   /* Buffers in one writev. */
    HEAD_FIXED_BYTES_MAX = 192,        /* An answer's head without the handler's own lines. */
    BODY_COPIED_BYTES_MAX = 4096,      /* Up to here a copy behind the head is cheaper than another piece. */
    STREAM_BEHIND_BYTES_MAX = 1 << 20, /* A client that is further behind with a stream loses it. */
    LOCAL_STREAM_BYTES_MAX = 32 << 20, /* An answer in pieces to a request without a connection. */
    POOL_MAX = 256,                    /* Exchanges kept for the next requests, */
    POOLED_ARENA_BYTES_MAX = 16 << 10, /* with arenas up to this size. */
    SIZE_LINE_BYTES_MAX = 1024,        /* A chunk's size and its extensions; no client sends long ones. */
    TRAILER_BYTES_MAX = 8192,          /* All fields behind a chunked body. */
    ANSWER_FIELDS_MAX = 64,            /* HTTP/2: fields of an answer's head, or of its trailers. */
    LATE_STREAMS_MAX = 16,    /* HTTP/2: answered streams whose clients may go on sending for a while. */
    OUT_BYTES_MAX = 64 << 10, /* HTTP/2: frames made before the socket has taken earlier ones. */
    HEAD_EXCESS_BYTES_MAX = 1 << 20,  /* HTTP/2: a head of this size, unpacked, ends the connection. */
    FLOOD_FRAMES_MAX = 1000,          /* HTTP/2: frames that bring nothing, or resets, in a burst, */
    FLOOD_SECOND_MAX = 100,           /* and in every second. */
    CONTINUATIONS_MAX = 8,            /* HTTP/2: frames of one head behind its first. */
    OUTBOUND_FRAMES_MAX = 10000,      /* HTTP/2: frames that wait because the client does not read. */
    GRPC_TIMEOUT_DIGITS_MAX = 8,      /* In grpc-timeout, as its specification says. */
    GRPC_TEXT_BYTES_MAX = 1024,       /* In a status's text. */
    TLS_STEP_BYTES_MAX = 256 << 10,   /* Encrypted before the socket has taken what was encrypted earlier. */
    CLIENT_HEAD_BYTES_MAX = 64 << 10, /* The client reads answers with heads and */
    CLIENT_ANSWER_BYTES_MAX = 256 << 20, /* bodies up to these sizes. */
};

/* Bodies and messages up to this size are kept in the arena of their request. Larger ones have a block of
 * their own, which is freed as soon as nobody needs it. AddressSanitizer notices only reads of a block that
 * is gone, so under it all bodies have one. */
#ifdef __SANITIZE_ADDRESS__
enum { ARENA_BODY_BYTES_MAX = 0 };
#else
enum { ARENA_BODY_BYTES_MAX = 16 << 10 };
#endif

#endif
