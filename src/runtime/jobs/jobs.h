/* runtime/jobs/jobs.h — the door to jobs: everything that workers ask and report. */
#ifndef RUNTIME_JOBS_JOBS_H
#define RUNTIME_JOBS_JOBS_H

#include "runtime/call/call.h"

struct error;
struct turn;

/* ---- job_calls.c: what workers say about jobs ---- */

/* COMPLETE_JOB, FAIL_JOB. */
enum status job_call_run(struct turn *turn, struct call *call, struct error *err);

/* ---- modify.c: repair by hand ---- */

enum status modify_call(struct turn *turn, struct call *call, struct error *err);

/* ---- poll.c: workers take jobs, from memory and after the commit ---- */

/* ST_INVALID if the call polls for types that are not for everybody. */
enum status poll_check_types(const struct call *call, struct error *err);

/* Answers new polls for which there are jobs, and those that ask for what they must not have. */
void poll_serve_at_once(struct turn *turn);

/* Answers the other polls of this turn, or lets them wait, and gives jobs to polls that waited before. */
void poll_serve(struct turn *turn);

/* ---- extend.c: a worker keeps a job for longer ---- */

void extend_job(struct turn *turn, struct call *call);

/* ---- list.c: open jobs ---- */

void list_jobs(struct turn *turn, struct call *call);

/* ---- explain.c: why an instance does not move ---- */

void explain_instance(struct turn *turn, struct call *call);
/* Names the workers that hold jobs of a run, or of a list of runs. The query thread has told the rest. */
void explain_run(struct turn *turn, struct call *call);
void explain_runs(struct turn *turn, struct call *call);

#endif
