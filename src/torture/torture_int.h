/* torture/torture_int.h — the parts of a run. */
#ifndef TORTURE_TORTURE_INT_H
#define TORTURE_TORTURE_INT_H

#include "net/net.h"
#include "torture/frail_disk.h"
#include "torture/torture.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/types.h>

enum { PATIENCE_MS = 60000, ID_BYTES = 32, ENTITY_ID_BYTES = 40 };

/* ---- random numbers: the plan follows from the seed (lot.c) ---- */

struct lot {
    uint64_t state;
};
/* A number below `below`; 0: any number. */
uint64_t lot_draw(struct lot *lot, uint64_t below);
bool lot_hits(struct lot *lot, unsigned percent);
/* A generator of its own, for a thread. */
struct lot lot_split(struct lot *lot);

/* ---- the directory (directory.c) ---- */

struct torture_directory {
    char path[TORTURE_PATH_BYTES];
    char data[TORTURE_PATH_BYTES + 16]; /* The engine's directory. */
    char store[TORTURE_PATH_BYTES + 32];
    char log[TORTURE_PATH_BYTES + 16]; /* The engine's standard error. */
    int lock;
    bool made; /* We created it, and remove it at the end. */
    size_t kept;
};

enum status directory_open(const char *path, struct torture_directory *directory, struct error *err);
void directory_clear(struct torture_directory *directory);
/* Sets the data aside, so that a person can look into a finding. */
void directory_keep_files(struct torture_directory *directory);
void directory_close(struct torture_directory *directory);

/* ---- the engine in its process (server.c) ---- */

struct server {
    pid_t pid; /* 0: none. */
    int out;   /* Its standard output. */
    uint16_t port;
    int64_t began_us, ready_us;
};

void server_begin(struct server *server, const struct torture_config *config,
                  const struct torture_directory *directory, const struct frail_plan *plan);
/* False if it ended, or did not get ready in time. */
bool server_await_ready(struct server *server);
/* True if it has ended; `*ret_status` is then as from waitpid(). */
bool server_has_ended(struct server *server, int *ret_status);
/* The same, but waits. Kills an engine that does not end. */
int server_end(struct server *server);

/* ---- the ledger: requests and their answers (ledger.c) ---- */

enum effect_kind {
    EFFECT_START,
    EFFECT_COMPLETE,
    EFFECT_FAIL,
    EFFECT_RETRY,
    EFFECT_SIGNAL,
    EFFECT_TASK,
    EFFECT_CANCEL
};

/* A change that a client asked the engine for. Its number marks it: as a variable that only it writes ("m17")
 * or, if it ends an instance, as the reason. */
struct effect {
    uint8_t kind;
    char step;               /* For a start: the definition. */
    bool acked, cut;         /* At least once. Neither: it was refused, and did nothing. */
    bool binding;            /* It must have taken effect. */
    uint16_t seen;           /* How often the last verification found it. */
    char instance[ID_BYTES]; /* Empty: not known. */
};

/* A request that may be sent again. */
struct repeat {
    uint32_t effect;
    char *path, *body;
};

/* A step that waits for a person: 'p' for a task, 'w' for a signal. */
struct manual_step {
    char instance[ID_BYTES];
    char step;
};

/* An entity as its client knows it. */
struct book_entity {
    char id[ENTITY_ID_BYTES];
    uint32_t made, item; /* The request that created it, and its place there. */
    uint32_t step;       /* How often its document was written after that. */
    char state;
    bool deleted, seen; /* `seen`: by the verification that is running. */
};

/* A write of entities that is under way, or that was cut off; number 0: none. */
struct pending_write {
    uint32_t number;
    const char *method;
    char path[120];
    char *body;
    bool cut;       /* It may have happened. */
    int entity;     /* Its place in the book; less than 0: it creates. */
    uint32_t count; /* The number of those that it creates. */
    bool deletes;
    uint32_t step; /* Afterwards. */
    char state;
};

/* Only the thread that writes entities uses it, and between runs the verification. */
struct entity_book {
    struct book_entity *entity;
    size_t count, cap;
    uint32_t writes;
    struct pending_write pending;
};

struct ledger {
    pthread_mutex_t lock;
    struct effect *effect;
    size_t count, cap;
    struct repeat *repeats;
    size_t repeat_count, repeat_cap;
    struct manual_step *manual;
    size_t manual_count, manual_cap;
    size_t started, ended; /* Approximate. */
    struct entity_book entities;
};

void ledger_init(struct ledger *ledger);
void ledger_done(struct ledger *ledger);
uint32_t ledger_begin(struct ledger *ledger, enum effect_kind kind, char step, str instance);
enum effect_kind ledger_kind(struct ledger *ledger, uint32_t effect);
void ledger_acknowledge(struct ledger *ledger, uint32_t effect, bool binding, str instance);
void ledger_cut(struct ledger *ledger, uint32_t effect, const char *path, str body, bool may_repeat);
bool ledger_take_repeat(struct ledger *ledger, struct lot *lot,
                        struct repeat *ret_repeat); /* The caller frees. */
void ledger_add_manual(struct ledger *ledger, str instance, char step);
bool ledger_take_manual(struct ledger *ledger, struct lot *lot, struct manual_step *ret_step);
void ledger_note_end(struct ledger *ledger);
size_t ledger_live(struct ledger *ledger);

/* ---- the load (load.c) ---- */

struct load {
    struct torture *torture;
    struct ledger *ledger;
    uint16_t port;
    size_t run; /* The run of the engine. */
    atomic_size_t acknowledged, cut_off, repeated, refused_full;
    size_t kill_at; /* The engine is killed at this acknowledgement; 0: never. */
    pid_t victim;
    atomic_bool killed;
    atomic_bool over;    /* All threads stop. */
    bool starts, faults; /* False: no new instances; no failures and cancellations. */
    size_t live_max;
    size_t pad_bytes; /* Extra data in each instance. */
    bool may_be_full;
};

/* Counts an acknowledgement, at which the engine may have to be killed. */
static inline void load_acknowledged(struct load *load)
{
    size_t count = atomic_fetch_add(&load->acknowledged, 1) + 1;
    if (load->kill_at && count == load->kill_at) {
        atomic_store(&load->killed, true);
        kill(load->victim, SIGKILL);
    }
}

struct load_member {
    struct load *load;
    struct lot lot;
    struct http_client *client;
    struct arena arena;
    pthread_t thread;
    unsigned number;
    char worker[40];
};

enum status load_deploy(uint16_t port, struct error *err);
void load_begin(struct load *load, struct lot *lot, struct load_member *members);
void load_join(struct load *load, struct load_member *members);
/* For one thread: starts an instance of the definition. Returns the status of the answer, or 0. */
int load_start(struct load_member *member, char definition, char *ret_instance);
int load_cancel(struct load_member *member, const char *instance);
void load_member_init(struct load_member *member, struct load *load, struct lot lot);
void load_member_done(struct load_member *member);

/* ---- entities (entities.c) ---- */

enum status entities_deploy(struct http_client *client, struct arena *arena, struct error *err);
/* One write. False: it was cut off, and the thread ends. */
bool entities_turn(struct load_member *member);
/* Compares all entities with the book. */
void entities_verify(struct torture *torture, struct http_client *client);
void entity_book_done(struct entity_book *book);

/* ---- verification (verify.c) ---- */

/* Compares every instance with the ledger, over the API, and makes a new list of steps for people.
 * `*ret_live` counts the instances that have not ended. */
void verify_books(struct torture *torture, uint16_t port, size_t *ret_live);
/* Does the same as `pawl store check --deep`. */
void verify_store(struct torture *torture);

/* ---- the run (torture.c) ---- */

struct torture {
    const struct torture_config *config;
    struct torture_report *report;
    struct torture_directory directory;
    struct ledger ledger;
    struct server server;
    struct lot lot;
    pthread_mutex_t lock; /* Guards the findings. */
    const char *during;   /* The present phase of the cycle and the one before it, for findings. */
    const char *before;
    size_t cycle;
    bool store_found; /* There is a finding about the present store. */
    int64_t began_us;
};

/* findings.c: adds a finding, with the words of the format. Any thread may call it. */
__attribute__((format(printf, 2, 3))) void torture_find(struct torture *torture, const char *format, ...);

#endif
