/* core/job.c — jobs are opened and closed. */

#include "core/core_int.h"

void job_open(struct step *step, uint32_t execution, str type, uint32_t retries_left, uint32_t attempt,
              int64_t available_ms)
{
    note(step, &(struct entry){
                   .kind = ENTRY_KIND_JOB_OPEN,
                   .execution = execution,
                   .number = note_number(step),
                   .value = retries_left,
                   .from = attempt,
                   .time_ms = available_ms,
                   .text = type,
               });
}

void job_close(struct step *step, uint32_t number, enum job_verdict verdict, str error)
{
    note(step,
         &(struct entry){ .kind = ENTRY_KIND_JOB_CLOSE, .number = number, .value = verdict, .text = error });
}
