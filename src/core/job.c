/* core/job.c — jobs are opened and closed. */

#include "core/core_int.h"

void job_open(struct step *step, uint32_t execution, str type, uint32_t retries_left, uint32_t attempt,
              int64_t available_ms)
{
    note(step, &(struct entry){
                   .kind = ENTRY_KIND_JOB_OPEN,
                   .execution = execution,
                   .job = note_number(step),
                   .retries_left = retries_left,
                   .attempt = attempt,
                   .available_ms = available_ms,
                   .job_type = type,
               });
}

void job_close(struct step *step, uint32_t number, enum job_verdict verdict, str error)
{
    note(step,
         &(struct entry){ .kind = ENTRY_KIND_JOB_CLOSE, .job = number, .verdict = verdict, .reason = error });
}
