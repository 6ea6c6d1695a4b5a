/* scenario/rehearse.c — one definition, played to its end for somebody who watches.
 *
 * It is a trial (trial.c) in which everybody outside is pretended. Answers come from the caller's list, from
 * pins (which are mocks), or are made up; time goes from one due moment to the next. All steps of the run are
 * kept, so that a scenario file can do them again (script.c).
 */
#include "scenario/rehearse_int.h"

#include "base/must.h"
#include "dialect/entity/entity.h"
#include "source/source.h"

/* ---- limits ---- */

/* The engine has come to rest for a moment: a good one to tell, and to look whether it is enough. */
static bool rests(void *context, struct stage *stage)
{
    struct rehearsing *run = context;
    const struct rehearsal *asked = run->asked;
    run->stage = stage;
    rehearse_tell_news(run);
    const char *enough = asked->enough ? asked->enough(asked->context) : NULL;
    if (enough) return stage_stop(stage, "%s", enough);
    if (run->visit_count > REHEARSED_VISITS_MAX)
        return stage_stop(stage, "more than %d steps were entered (REHEARSED_VISITS_MAX)",
                          REHEARSED_VISITS_MAX);
    if (stage->actor_count > REHEARSED_INSTANCES_MAX)
        return stage_stop(stage, "more than %d instances were started (REHEARSED_INSTANCES_MAX)",
                          REHEARSED_INSTANCES_MAX);
    if (stage->now_ms - stage->start_ms > REHEARSED_MS_MAX)
        return stage_stop(stage, "more than ten years would pass (REHEARSED_MS_MAX)");
    if (run->line_bytes > REHEARSED_LINES_BYTES_MAX)
        return stage_stop(stage, "there is more to tell than %d bytes (REHEARSED_LINES_BYTES_MAX)",
                          REHEARSED_LINES_BYTES_MAX);
    return true;
}

/* ---- transitions of entities ---- */

static void note_action(struct rehearsing *run, struct taken_action given)
{
    struct taken_action *action = arena_make(run->arena, struct taken_action);
    *action = given;
    action->at_ms = run->stage->now_ms;
    if (run->last_action) run->last_action->next = action;
    else run->first_action = action;
    run->last_action = action;
}

/* Fires the transitions of the answers, one after the other, while the entity rests. */
static void fire_transitions(struct rehearsing *run)
{
    struct stage *stage = run->stage;
    for (size_t i = 0; run->asked->answers && i < json_count(run->asked->answers); i++) {
        const struct json *answer = json_item(run->asked->answers, i),
                          *after = json_get(answer, STR("after"));
        str transition = json_text(answer, STR("transition"));
        int64_t ms = 0;
        if (!transition.n || !stage->actor_count) continue;
        if (after && read_span(after, &ms, NULL) == ST_OK && !work_until(stage, stage->now_ms + ms)) return;
        const struct json *data = json_get(answer, STR("variables"));
        note_action(run, (struct taken_action){ .transition = transition, .data = data });
        if (!writes_fire(stage, stage->actor[0], transition, data)) return;
        while (work_move(stage, INT64_MAX)) {
        }
    }
}

/* ---- the run ---- */

/* Somebody would have to decide now: time does not pass over his head. */
static bool awaits_person(const struct rehearsing *run, struct trial *trial)
{
    const struct trial_want *want;
    size_t count = run->asked->people_wait ? trial_wants(trial, &want) : 0;
    for (size_t i = 0; i < count; i++)
        if (want[i].person) return true;
    return false;
}

static void play_on(struct rehearsing *run, struct trial *trial)
{
    const struct rehearsal *asked = run->asked;
    size_t events = trial_events_left(trial);
    while (!trial_ended(trial) && !awaits_person(run, trial) && trial_pass_time(trial)) {
        size_t left = trial_events_left(trial);
        if (left < events)
            note_action(run, (struct taken_action){ .event = asked->event[asked->event_count - events] });
        events = left;
    }
    if (run->stage->actor_count && entities_has(run->stage->actor[0]->program)) fire_transitions(run);
    rehearse_tell_news(run);
}

static enum status read_program(const struct rehearsal *asked, struct arena *arena,
                                struct program **ret_program, struct error *err)
{
    struct problems problems;
    problems_init(&problems, arena);
    *ret_program = source_compile(asked->definition[0], SOURCE_ANY, 0, &problems, NULL);
    if (*ret_program) return ST_OK;
    return fail(err, ST_INVALID, "document", "the document does not compile");
}

enum status rehearse(const struct rehearsal *asked, struct arena *arena, struct error *err)
{
    struct rehearsing run = { .asked = asked, .arena = arena };
    const struct stage_hooks hooks = { .context = &run,
                                       .answer = rehearse_answer,
                                       .answered = rehearse_tell_answered,
                                       .history = rehearse_tell_history,
                                       .rests = rests };
    struct trial_setup setup = { .definition = asked->definition,
                                 .definition_count = asked->definition_count,
                                 .input = asked->input,
                                 .trigger = asked->trigger,
                                 .event = asked->event,
                                 .event_count = asked->event_count,
                                 .hooks = &hooks,
                                 .is_bounded = true };
    struct program *program;
    struct trial *trial = NULL;
    TRY(read_program(asked, arena, &program, err));
    arena_init(&run.scratch, 0);
    choices_init_random(&run.choices, asked->seed);
    enum status status = rehearse_read(&run, program, &setup.mocks, err);
    if (status == ST_OK) status = trial_open(&setup, arena, &trial, NULL, err);
    if (status == ST_OK) {
        play_on(&run, trial);
        rehearse_tell_end(&run, trial);
    }
    if (status != ST_OK && (run.begun || run.first_taken)) {
        rehearse_tell_refused(&run, err->message);
        status = ST_OK;
    }
    trial_close(trial);
    rehearse_tell_done(&run);
    choices_done(&run.choices);
    arena_done(&run.scratch);
    program_unref(program);
    return status;
}
