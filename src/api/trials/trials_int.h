/* api/trials/trials_int.h — test runs, and tests made of runs: nothing durable, and nothing leaves the
 * process.
 *
 *     POST /api/trials ──► a thread of its own plays the definition ──► lines
 *                                                                         │
 *                                   the network's thread writes them ◄────┘
 *
 * The thread knows nothing of the request: its job has a copy of what was asked, and takes lines. So a client
 * that leaves, or an engine that stops, only tells it that it is enough.
 */
#ifndef API_TRIALS_TRIALS_INT_H
#define API_TRIALS_TRIALS_INT_H

#include "api/answer_int.h"
#include "api/request_int.h"
#include "api/route_int.h"
#include "scenario/scenario.h"

#include <pthread.h>

struct trial_job {
    /* The network's thread. */
    struct api *api;
    struct api_request *request;
    bool begun; /* The head of the answer was written. */
    struct trial_job *next;
    pthread_t thread;

    /* Both threads. */
    _Atomic bool unwanted; /* The client has left, or the engine stops. */
    pthread_mutex_t mutex; /* Guards the lines and `done`. */
    struct buf lines;      /* Not taken yet. */
    bool done;             /* The thread touches nothing more. */

    /* The thread; the network's thread before it was started and when it is done. */
    struct arena arena;
    const struct json *body;            /* A test run; … */
    const struct transcript_part *part; /* … else the scenario of these instances. */
    size_t part_count;
    const struct json *scenario;
    int64_t began_us;
    enum status status; /* Not ST_OK: there were no lines. */
    struct error error;
    const struct json *problems; /* The problems of a document that does not compile; NULL: it does. */
    str refusal;                 /* The problems in a sentence. */
};

/* ---- runner.c ---- */

/* The thread's function; its argument is the job. */
void *trials_run(void *context);

/* ---- trials.c ---- */

route_fn trials_start, trials_scenario;

/* A job that answers the request; it is not under way yet. ST_OVERLOAD: too many are. */
enum status trials_new(struct api_request *request, struct trial_job **ret_job, struct error *err);
/* Starts its thread. */
enum status trials_launch(struct trial_job *job, struct error *err);
/* Frees a job that is not under way; its request was answered. */
void trials_drop(struct trial_job *job);

/* Writes what the threads have to tell. */
void trials_look(struct api *api);
void trials_free(struct api *api);

#endif
