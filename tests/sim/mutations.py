"""Proves that the simulation finds mistakes, by making some.

usage: mutations.py [--seeds N] [--only NAME] [--from ROW] OUT
       mutations.py --check

Each mutation is an edit of one production source. It quotes a text that must be in the source exactly
once (line breaks and indentation do not matter), and names the text that replaces it. The changed file is
compiled by itself and linked in front of the archives into a simulator of its own; the seeds must catch
it. A mutation that survives is a hole in the checker. `make mutants` sets the environment with the
compiler, its flags and what is linked. `make test` runs --check, which only looks for the quoted texts.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path.cwd()  # The Makefile runs us from the top.
RUN_SECONDS_MAX = 300

# name, file, text, replacement: runs in which instances migrate catch these.
OF_MIGRATIONS = [
    ("migrate-jobs-of-another-type", "src/core/on_migrate.c", "    TRY(check_jobs(migrating));\n", ""),
    ("migrate-and-follow-the-old-version", "src/core/apply_migrate.c",
     "if (entry->moved_to) instance->definition = (int64_t)entry->moved_to;", ""),
    ("migrate-what-no-longer-fits", "src/runtime/bulk/bulk_request.c",
     'return "it is of another version of the definition";', "return NULL;"),
    ("migrate-and-say-nothing-to-lists-of-tasks", "src/runtime/transact/effects.c",
     "(has_migrated || !same_details(&a[i], &b[k]))", "(!same_details(&a[i], &b[k]))"),
    ("migrate-and-keep-the-failure-of-before", "src/runtime/transact/effects.c",
     "if (was && (!is || moved)) effects->mended", "if (was && !is) effects->mended"),
    ("forget-a-refused-migration", "src/runtime/transact/transact_step.c",
     "    if (loaded->now == before) loaded->definition = old;\n", ""),
    ("retry-nothing-on-the-way", "src/core/on_migrate.c",
     "step->rests = !asked->retries || step->instance->status != INSTANCE_FAILED;", "step->rests = true;"),
    ("start-what-is-retired", "src/runtime/transact/starts.c", "    if (!latest->retired_ms) return ST_OK;\n", "    if (latest) return ST_OK;\n"),
    ("migrate-to-what-is-retired", "src/runtime/bulk/bulk_migrate.c",
     "    if (request->action == BULK_MIGRATE) TRY(start_check_retired(turn, to, err));\n", ""),
    ("publish-what-is-being-deleted", "src/runtime/definitions/publish.c", "    TRY(retire_check_leaving(turn, ns, program->id, err));\n", ""),
    ("forget-what-is-being-deleted", "src/runtime/deletion.c",
     "struct changeset changeset = { .record_put = &record, .record_put_count = 1 };\n    if (!row->retired_ms)",
     "struct changeset changeset = { .record_put = &record, .record_put_count = 0 };\n    if (!row->retired_ms)"),
]

# name, file, text, replacement: runs with entities catch these.
OF_ENTITIES = [
    ("remember-a-key-that-waits", "src/runtime/commands.c",
     "if (!keyed || call->unfinished_ || units_hold(turn, call)) return status;", "if (!keyed || call->unfinished_) return status;"),
    ("go-on-after-the-store-has-failed", "src/runtime/transact/units_write.c",
     "    if (turn->failed == ST_OK) transact_failed(turn, why);", ""),
    ("ask-a-processor-before-the-commit", "src/runtime/transact/units_wait.c",
     "if (job_holds(after, &after->job[i], program))", "if (job_holds(after, &after->job[i], program) || i < after->job_count)"),
    ("write-one-entity-less", "src/runtime/transact/units_write.c",
     "for (size_t i = 0; staged->unit && i < staged->unit->member_count; i++)\n        TRY(write_member(",
     "for (size_t i = 1; staged->unit && i < staged->unit->member_count; i++)\n        TRY(write_member("),
    ("ignore-if-match", "src/runtime/entities/entities.c",
     "if (!item->if_match.n || str_equal(item->if_match, now)) return ST_OK;", "if (item->if_match.n < 1000) return ST_OK;"),
    ("move-without-saying-so", "src/runtime/entities/entities.c", "    *ret_moved = latest->number;", "    *ret_moved = 0;"),
    ("answer-before-the-run-is-over", "src/runtime/transact/units_runs.c",
     "if (!unit_is_running(loaded->now)) end_run(", "end_run("),
    ("settle-no-cause-of-a-dropped-unit", "src/runtime/transact/units_settle.c",
     "    if (staged->cause == UNIT_OF_CALL) return ST_OK;", "    if (staged->cause <= UNIT_OF_TIMER) return ST_OK;"),
    ("call-a-dropped-unit-a-success", "src/runtime/transact/units_wait.c",
     "    unit_answer_call(turn, unit->call, staged->why.status, &staged->why);", "    unit_answer_call(turn, unit->call, ST_OK, NULL);"),
    ("leave-the-jobs-of-a-dropped-unit", "src/runtime/transact/units_wait.c",
     "    if (!unit) return;\n    withdraw_jobs(turn, unit);", "    if (!unit) return;"),
    ("leave-the-jobs-of-a-written-unit", "src/runtime/transact/units_wait.c",
     "    if (unit) withdraw_jobs(turn, unit);", ""),
    ("keep-a-unit-of-a-turn-that-failed", "src/runtime/transact/units_wait.c",
     "struct staged_unit *first = committed ? turn->first_unit : NULL;", "struct staged_unit *first = turn->first_unit;"),
    ("fire-another-transition", "src/core/on_fire.c",
     "if (!home->edge[i].by_timer && str_equal(home->edge[i].name, name))", "if (!home->edge[i].by_timer && home->edge[i].name.n == name.n)"),
    ("fire-without-a-stamp", "src/core/on_fire.c",
     "    token_stamp(step, execution);\n    const struct token token", "    const struct token token"),
    ("store-what-holds", "src/runtime/transact/transact_step.c",
     "if (unit || outcome.holds) return unit_keep(", "if (unit) return unit_keep("),
    ("drop-a-timer-of-an-entity-that-waits", "src/runtime/work_due.c",
     "effects_fire_again(turn, row, turn->now_ms + TIMER_OF_UNIT_RETRY_MS);", ""),
    ("never-give-up-a-unit", "src/runtime/transact/units_settle.c", "        if (!unit->is_late || (staged && staged->fate > UNIT_WAITS)) continue;", "        if (unit) continue;"),
    ("join-with-a-transaction-of-its-own", "src/runtime/entities/entities.c",
     "    call->as.entities.transaction = arena_str(call->arena, entity_mark(instance, ENTITY_TRANSACTION));\n", ""),
    ("leave-an-index-row", "src/runtime/transact/index_rows.c", "        if (order < 0) a[a_kept++] = a[i];\n", ""),
    ("give-a-unique-key-twice", "src/runtime/transact/unique.c", "        if (!is_among(freed, row)) return refuse_taken(row, err);\n", ""),
    ("free-no-unique-key", "src/runtime/transact/unique.c", "        if (had) add_row(turn, freed, change, key, was);\n", ""),
    ("search-an-index-that-is-built", "src/runtime/entities/search_plan.c", "if (field->state == INDEX_READY && str_equal(", "if (str_equal("),
    ("call-an-index-ready-too-early", "src/runtime/entities/index_build.c",
     "    uint64_t reached = is_whole ? INDEX_WHOLE : last;", "    uint64_t reached = INDEX_WHOLE;"),
    ("close-no-timers-when-fired", "src/core/fire.c", "        timer_close_all(step, token->execution);", ""),
    ("leave-out-an-entity-that-cannot-be-read", "src/runtime/entities/search_run.c",
     "    TRY(found_intact(catalogue_get(&query->catalogue, row.definition, &definition, err), &is_there));",
     "    is_there = found_hint(catalogue_get(&query->catalogue, row.definition, &definition, err));"),
]

# The same: any runs.
OF_OTHERS = [
    # ---- what takes several turns ----
    ("lose-the-place-of-an-event", "src/runtime/events/routings.c",
     "    return write_row(turn, routing, ROW_PLACE, err);\n}\n\nbool routings_waiting",
     "    return ST_OK;\n}\n\nbool routings_waiting"),
    ("count-a-part-that-was-rolled-back", "src/runtime/events/routings.c",
     "    if (!committed) {\n        heap_free(&routing->next_place);", "    if (!committed && !routing->next_place.p) {\n        heap_free(&routing->next_place);"),
    # ---- tenants ----
    ("change-an-instance-of-another-tenant", "src/runtime/transact/transact_load.c", "if (tenant_fits(ns, (*ret_definition)->ns)) return", "if (ns >= 0) return"),
    ("show-a-row-of-another-tenant", "src/store/store.c", "if (status != ST_OK || tenant_fits(asked, tenant)) return status;", "(void)asked, (void)tenant;\n    if (status != ST_OK || status == ST_OK) return status;"),
    # ---- schedules ----
    ("fire-a-slot-without-a-mark", "src/runtime/arrivals/ticks.c",
     "    return save_mark(turn, scheduled, slot_ms, &record, err);", "    return ST_OK;"),
    ("forget-a-slot-that-was-rolled-back", "src/runtime/arrivals/ticks.c",
     "    else schedules_arm(schedules, scheduled);\n}", "    else if (committed) schedules_arm(schedules, scheduled);\n}"),
    ("tell-nobody-of-missed-slots", "src/runtime/arrivals/ticks.c", "    return trigger_route.paused || !view.note.n ? ST_OK", "    return !trigger_route.paused || !view.note.n ? ST_OK"),
    ("tell-twice-of-missed-slots", "src/runtime/arrivals/ticks.c",
     "if (record.mark_ms < scheduled->missed_until_ms) record.mark_ms = scheduled->missed_until_ms;", ""),
    ("forget-missed-slots-when-one-fires", "src/runtime/arrivals/ticks.c", "    if (scheduled->missed_until_ms) {\n", "    if (scheduled->missed_until_ms == 1) {\n"),
    ("tell-of-a-slot-that-fires", "src/runtime/memory/schedules.c", "in_time ? *ret_slot_ms - 1 : now_ms);", "in_time ? *ret_slot_ms : now_ms);"),
    ("make-up-for-every-missed-slot", "src/runtime/memory/schedules.c",
     "    bool found = slot_newest(schedule, scheduled->mark_ms, now_ms, ret_slot_ms);", "    bool found = true;"),
    # ---- flow graphs: joins ----
    ("open-a-join-with-an-edge-missing", "src/core/node_join.c",
     "node->as.join.mode == JOIN_ALL ? found.arrivals : node->as.join.count;",
     "node->as.join.mode == JOIN_ALL ? found.arrivals - (found.arrivals > 2) : node->as.join.count;"),
    ("open-a-quorum-late", "src/core/node_join.c",
     "found.arrivals : node->as.join.count;",
     "found.arrivals : node->as.join.count + (node->as.join.count < found.arrivals);"),
    ("open-an-inclusive-join-early", "src/core/node_join.c",
     "if (!found->by[edge] && can_come(step, found->scope, found->node, edge)) return false;\n    return found->edge_count",
     "(void)can_come;\n    return found->edge_count"),
    ("look-at-inclusive-joins-only-on-arrival", "src/core/node_join.c",
     "    return open_inclusive(step) || break_stuck(step);", "    return (step->running && open_inclusive(step)) || break_stuck(step);"),
    ("use-two-tokens-of-one-edge", "src/core/node_join.c",
     "        if (found.by[edge]) continue;", "        if (found.by[edge] && found.edge_count + 1 >= found.arrivals) continue;"),
    ("let-go-on-who-is-cancelled", "src/core/node_join.c",
     "if (node->as.join.cancels) cancel_others(step, found);", "if (node->as.join.cancels) (void)cancel_others;"),
    ("absorb-nobody", "src/core/node_join.c", "        else owe_others(step, found);", "        else (void)owe_others;"),
    ("absorb-in-the-next-round", "src/core/node_join.c",
     "    if (step->instance->owed_count && drop_owed(step)) return true;", "    (void)drop_owed;"),
    ("deadlock-for-ever", "src/core/node_join.c", "        if (!is_stuck(step, looked_at)) continue;", "        if (looked_at || !is_stuck(step, looked_at)) continue;"),
    # ---- flow graphs: ways, loops, errors ----
    ("take-the-default-way-too", "src/core/node_fork.c",
     "    if (!choice->count && otherwise)", "    if (otherwise)"),
    ("begin-one-item-too-many", "src/core/node_each.c", "        if (open >= window ||", "        if (open > window ||"),
    ("end-a-loop-before-its-last-item", "src/core/node_each.c",
     "        bool over = !open && each->begun == count,", "        bool over = open < 2 && each->begun == count,"),
    ("fail-a-loop-that-goes-on", "src/core/raise.c",
     "    if (!each || (!each->goes_on && !is_left)) return false;", "    if (!each || (!each->goes_on && !is_left) || each->window > 1) return false;"),
    # ---- flow graphs: undoing ----
    ("undo-the-first-visit-first", "src/core/undo.c",
     "    for (size_t i = instance->undo_item_count; i-- > 0;)\n        if (instance->undo_item[i].state == state)",
     "    for (size_t i = 0; i < instance->undo_item_count; i++)\n        if (instance->undo_item[i].state == state)"),
    ("undo-several-visits-at-a-time", "src/core/undo.c",
     "        if (busy && (!at_once ||", "        if (busy && ("),
    ("undo-again-what-could-not-be-undone", "src/core/undo.c",
     "                                .undo_state = state });", "                                .undo_state = state == UNDO_FAILED && instance->undo_item_count > 1 && i ? UNDO_POSSIBLE : state });"),
    ("forget-to-undo-in-a-loop", "src/core/undo.c",
     "program_is_undoable(node) || step->instance->undo.error) return ST_OK;",
     "program_is_undoable(node) || token->scope || step->instance->undo.error) return ST_OK;"),
    ("undo-more-than-a-command-can", "src/core/undo.c",
     "        if (budget_is_half_spent(step)) timer_yield", "        if (false) timer_yield"),
    ("let-tokens-in-while-undoing", "src/core/on_arrive.c",
     "arrival->start != NODE_NONE && !step->instance->undo.error)", "arrival->start != NODE_NONE)"),
    # ---- locks ----
    ("grant-one-lock-too-many", "src/runtime/transact/locks_grant.c",
     "has_holders(granting, lock->size - granting->granted,", "has_holders(granting, lock->size + 1 - granting->granted,"),
    ("let-others-overtake-the-first-who-waits-for-a-lock", "src/runtime/transact/locks_grant.c",
     "        if (is_full) return ST_OK; /* The first", "        if (is_full) continue; /* The first"),
    ("forget-that-a-lock-was-given-up", "src/runtime/transact/locks.c",
     "        if (!is_granted(now, &before[i])) add_due", "        if (false) add_due"),
    ("keep-the-lock-of-a-visit-that-failed", "src/core/apply.c",
     "    if (change->instance->lock_count) apply_lock_dropped(change, entry->execution);\n    if (change->instance->taken_count)", "    if (change->instance->taken_count)"),
    # ---- arrivals ----
    ("wake-the-newest-token", "src/core/on_arrive.c",
     "    for (size_t i = 0; i < instance->token_count; i++) {\n        const struct token *token = &instance->token[i];\n        if (token->state == TOKEN_ARRIVAL",
     "    for (size_t i = instance->token_count; i-- > 0;) {\n        const struct token *token = &instance->token[i];\n        if (token->state == TOKEN_ARRIVAL"),
    ("wake-a-token-and-let-one-in", "src/core/on_arrive.c",
     "        exit_with(step, execution, &locals);\n        return ST_OK;", "        exit_with(step, execution, &locals);"),
    ("overshoot-the-cap", "src/runtime/transact/terms.c", "    *ret_has = living < most;", "    *ret_has = living <= most;"),
    ("let-a-start-by-hand-always-create", "src/runtime/arrivals/arrive.c",
     "policy = a->creates ? ARRIVAL_ALWAYS_CREATE", "policy = a->creates || a->by_hand ? ARRIVAL_ALWAYS_CREATE"),
    ("count-by-the-cap-of-an-old-version", "src/runtime/commands.c", "    if (asked->version > 0)\n        TRY(", "    if (asked->version < 0)\n        TRY("),
    ("let-a-hasty-start-wait", "src/runtime/arrivals/cap.c",
     "    may_wait = may_wait && (rules->overflow_waits || was_queued);", "    may_wait = rules->overflow_waits || was_queued;"),
    ("forget-in-the-queue-the-key-of-a-start", "src/runtime/transact/overflow.c", "    add_text(&builder, \"key\", given_key);\n", ""),
    ("jump-the-queue", "src/runtime/arrivals/cap.c",
     "    if (rules->overflow_waits && !was_queued) TRY(overflow_has(", "    if (false) TRY(overflow_has("),
    ("let-a-hasty-start-jump-the-queue", "src/runtime/arrivals/cap.c",
     "    if (rules->overflow_waits && !was_queued) TRY(overflow_has(", "    if (rules->overflow_waits && may_wait && !was_queued) TRY(overflow_has("),
    ("let-the-last-one-in-first", "src/runtime/transact/overflow.c",
     "    for (int i = 0; i < 8; i++) buf_add_char(&key, (char)(number >> (56 - 8 * i)));",
     "    for (int i = 0; i < 8; i++) buf_add_char(&key, (char)((number == UINT64_MAX ? number : UINT64_MAX - 1 - number) >> (56 - 8 * i)));"),
    ("lose-who-waits-for-a-place", "src/runtime/arrivals/queue.c",
     "        if (status != ST_OK || waits) break;", "        if (status != ST_OK) break;"),
    ("let-in-twice-who-waited", "src/runtime/arrivals/queue.c",
     "        TRY(overflow_remove(turn, ns, &queued, err));", "        if (run->taken > 1) TRY(overflow_remove(turn, ns, &queued, err));"),
    ("refuse-what-must-be-mapped", "src/runtime/arrivals/arrive.c",
     "    if (has_holder && policy != ARRIVAL_ALWAYS_CREATE) return update(a, holder, err);",
     "    if (has_holder && policy == ARRIVAL_MAP_OR_DISCARD) return update(a, holder, err);"),
    ("create-what-must-be-discarded", "src/runtime/arrivals/arrive.c",
     "    if (policy == ARRIVAL_MAP_OR_DISCARD && !a->is_test) {", "    if (policy == ARRIVAL_MAP_OR_DISCARD && a->is_test) {"),
    ("register-what-is-always-created", "src/runtime/arrivals/arrive.c",
     "    if (policy == ARRIVAL_ALWAYS_CREATE && !a->given_key.n) a->view->key = STR_NONE;",
     "    if (policy == ARRIVAL_ALWAYS_CREATE && a->view->key.n) addressed = true;"),
    ("keep-the-instance-that-is-replaced", "src/runtime/arrivals/arrive.c",
     "    if (follow_command(a->turn, definition, instance, &command, &transition, err) != ST_OK)\n        return transact_failed",
     "    if (command.kind != COMMAND_CANCEL)\n        return transact_failed"),
    ("replace-only-below-the-cap", "src/runtime/arrivals/arrive.c",
     "    if (has_holder && policy == ARRIVAL_MAP_OR_REPLACE) return replace(a, holder, err);",
     "    if (has_holder && policy == ARRIVAL_MAP_OR_REPLACE) {\n        TRY(check_cap(a, &over, err));\n        return over ? ST_OK : replace(a, holder, err);\n    }"),
    ("record-no-arrival-that-did-nothing", "src/runtime/arrivals/arrive.c",
     "    if (a->view->outcome == OUTCOME_REJECTED_AUTH) {",
     "    if (a->view->outcome == OUTCOME_DISCARDED) {"),
    ("forget-the-key-of-an-arrival", "src/runtime/arrivals/arrive.c",
     "    return a->idempotency_key.n && took_effect(a) ? put_seen(a, kind, a->idempotency_key, err) : ST_OK;",
     "    return ST_OK;"),
    ("number-arrivals-anew-after-a-restart", "src/runtime/arrivals/arrive_log.c",
     "    engine->arrivals.next_number = newest + 1;", "    engine->arrivals.next_number = 1;"),
    ("forget-the-queue-after-a-restart", "src/runtime/backlogs.c",
     "name != BACKLOG_TRANSIENT;", "name != BACKLOG_TRANSIENT && name != BACKLOG_OVERFLOW;"),
    ("miscount-who-waits-for-a-place", "src/runtime/transact/overflow.c", "view->definition_id, count + 1, priority) };",
     "view->definition_id, count + !count, priority) };"),
    # ---- paths of triggers ----
    ("give-a-path-to-two-definitions", "src/runtime/definitions/publish.c", "    TRY(trigger_routes_check(turn, &row, program, err));\n", ""),
    ("refuse-a-definition-that-is-written", "src/runtime/definitions/publish.c",
     "    TRY(trigger_routes_check(turn, &row, program, err));\n    TRY(transact_rows(turn, &changeset, err));\n",
     "    TRY(transact_rows(turn, &changeset, err));\n    TRY(trigger_routes_check(turn, &row, program, err));\n"),
    ("keep-the-paths-of-the-version-before", "src/runtime/arrivals/trigger_routes.c",
     ".record_remove = old, .record_remove_count = old_count\n    };", ".record_remove = old\n    };"),
    ("keep-trigger_routes-that-never-were", "src/runtime/transact/transact_end.c",
     "    if (turn->deployed || turn->moved_trigger_routes) trigger_routes_clear(&engine->memory.trigger_routes);\n", ""),
    ("forget-no-trigger_route-when-one-is-published", "src/runtime/arrivals/trigger_routes.c",
     "    TRY(transact_rows(turn, &changeset, err));\n    trigger_routes_clear(&turn->engine->memory.trigger_routes);", "    TRY(transact_rows(turn, &changeset, err));"),
    # ---- secrets ----
    ("find-a-secret-that-was-removed", "src/runtime/secrets.c", "    note_change(turn, call->ns, name, STR_NONE);\n", ""),
    ("tell-the-vault-before-the-commit", "src/runtime/secrets.c", "        if (committed) tell_vault(turn);\n        /*", "        if (committed || !turn->rekeys) tell_vault(turn);\n        /*"),
    ("drop-a-key-that-may-seal", "src/runtime/secrets.c",
     "        else if (turn->rekeys && !turn->engine->broken) vault_rekey_rollback", "        else if (turn->rekeys) vault_rekey_rollback"),
    ("seal-again-all-but-one", "src/runtime/secrets.c",
     "    TRY(put_row(turn, record->ns, record->key, &row, err));\n    resealing->count++;",
     "    if (resealing->count++ != 1) TRY(put_row(turn, record->ns, record->key, &row, err));"),
    # ---- the turn and its transaction ----
    ("reply-before-commit", "src/runtime/transact/transact_end.c",
     "committed && turn->wrote) committed = commit(turn);",
     "committed && turn->wrote) commit(turn);"),
    ("forget-to-drop-the-cache", "src/runtime/transact/transact_end.c",
     "    for (const struct loaded *loaded = turn->first_changed; loaded; loaded = loaded->next_changed)\n        cache_drop(&engine->memory.cache, loaded->instance);",
     "    (void)0;"),
    ("forget-to-drop-the-loaded", "src/runtime/transact/transact_end.c",
     "    transact_forget(turn);\n    /* The catalogue may",
     "    /* The catalogue may"),
    ("write-no-row-at-the-end", "src/runtime/transact/transact_write.c",
     "if (loaded->written != loaded->now) transact_write(turn, loaded, NULL, STR_NONE, &err);",
     "(void)err;"),
    ("write-the-end-of-an-instance-late", "src/runtime/transact/transact_apply.c", "    return !before || lives(before) != lives(after) || ",
     "    return !before || "),
    ("write-a-subscription-late", "src/runtime/transact/transact_apply.c",
     "lives(before) != lives(after) || !str_equal(before->correlation, after->correlation) ||",
     "lives(before) != lives(after) ||"),
    ("keep-definitions-that-never-were", "src/runtime/transact/transact_end.c",
     "if (turn->deployed) catalogue_clear(&engine->memory.catalogue);",
     "(void)engine;"),
    ("drop-a-timer", "src/runtime/transact/effects_apply.c",
     "(slow ? timers_add_slow : timers_add)(&engine->memory.timers, &effects->timer_set[i]);",
     "if (effects->timer_set[i].number % 3) (slow ? timers_add_slow : timers_add)(&engine->memory.timers, &effects->timer_set[i]);"),
    ("store-no-timer-row", "src/runtime/transact/transact_write.c",
     "changeset->timer_add_count = effects->timer_set_count;",
     "changeset->timer_add_count = effects->timer_set_count ? effects->timer_set_count - 1 : 0;"),
    ("keep-cancelled-timer-rows", "src/runtime/transact/transact_write.c",
     "changeset->timer_remove_count = effects->timer_cleared_count;",
     "changeset->timer_remove_count = 0;"),
    ("forget-a-task-row", "src/runtime/transact/transact_write.c",
     "changeset->task_add_count = effects->task_opened_count;",
     "changeset->task_add_count = effects->task_opened_count - (effects->task_opened_count > 1);"),
    ("leave-jobs-of-the-ended-in-the-queue", "src/runtime/transact/effects.c",
     "    effects->job_closed = arena_make_n(",
     "    if (!lives(b)) found.closed_count = 0;\n    effects->job_closed = arena_make_n("),
    ("lose-a-new-job", "src/runtime/transact/effects_apply.c",
     "        open = jobs_add(&engine->memory.jobs, effects->definition->ns, effects->instance, job,",
     "        if (job->number % 5 == 0) continue;\n        open = jobs_add(&engine->memory.jobs, effects->definition->ns, effects->instance, job,"),
    ("lose-the-jobs-of-a-retry", "src/runtime/transact/effects.c",
     "    effects->job_opened = arena_make_n(",
     "    if (a && !lives(a) && lives(b) && found.opened_count) found.opened_count--;\n    effects->job_opened = arena_make_n("),
    ("leave-closed-jobs-in-the-queue", "src/runtime/transact/effects.c",
     "    effects->job_closed = arena_make_n(",
     "    if (lives(b)) found.closed_count = 0;\n    effects->job_closed = arena_make_n("),
    ("start-a-pending-twice", "src/runtime/transact/pending.c",
     "    struct changeset changeset = { .pending_remove = row };",
     "    struct changeset changeset = { 0 };"),
    ("forget-the-chain", "src/runtime/transact/starts.c",
     "return put_pending(turn, transition, chain, ns, status == ST_OVERLOAD, err);",
     "return ST_OK;"),
    ("chain-without-its-key", "src/runtime/transact/starts.c",
     "                               .business_key = transition->after->business_key,\n",
     ""),
    ("ignore-the-business-key", "src/runtime/transact/starts.c", "    if (start->business_key.n && !start->replaces) {", "    if (false) {"),
    ("has-no-jobs", "src/runtime/transact/transact_write.c",
     ".has_jobs = has_jobs(instance),", ".has_jobs = has_jobs(instance) && instance->job_count == 1,"),
    ("keep-the-ended-in-the-cache", "src/runtime/transact/transact_load.c",
     "        cache_drop(&turn->engine->memory.cache, ended->instance);",
     "        (void)ended;"),
    ("never-put-a-timer-back", "src/runtime/work_due.c",
     "    timers_add_again(&turn->engine->memory.timers, timer, timer->due_ms);",
     "    (void)timer;"),
    ("do-everything-twice", "src/runtime/turn.c",
     "    bool done = run_together(turn);\n",
     "    bool done = run_together(turn);\n    done = false;\n    turn->failed = ST_OK;\n"),
    ("wake-no-watcher", "src/runtime/turn.c",
     "        answers_wake(turn, loaded);\n",
     ""),
    ("stop-without-an-answer", "src/runtime/turn.c",
     "    answers_release(turn);",
     ""),
    ("retry-in-spite-of-the-key", "src/runtime/transact/target.c",
     "    return is_taken && holder != instance->id ? start_fail_key_taken(err) : ST_OK;",
     "    return ST_OK;"),
    ("forget-pending-starts-of-a-failed-turn", "src/runtime/transact/backlog.c",
     "    backlog->due = !(again && waits);\n    backlog->left |= again && waits;\n", ""),
    # ---- jobs, leases, polls ----
    ("lose-a-job-that-cannot-be-read", "src/runtime/jobs/poll.c",
     "        jobs_delay(&turn->engine->memory.jobs, open, turn->now_ms + UNREADABLE_RETRY_MS);",
     "        jobs_remove(&turn->engine->memory.jobs, open->instance, open->number);"),
    ("hand-out-to-the-gone", "src/runtime/jobs/poll.c",
     "        bool found = !call->abandoned && fill_poll(turn, call);",
     "        bool found = fill_poll(turn, call);"),
    ("fail-by-anybody", "src/runtime/jobs/job_calls.c",
     "    return str_equal(job->worker, call->as.job.worker) ? CALLBACK_USED : CALLBACK_HELD;",
     "    return CALLBACK_USED;"),
    ("accept-failures-of-old-deliveries", "src/runtime/jobs/job_calls.c",
     "    if (job->delivery != call->as.job.id.delivery) return CALLBACK_EXPIRED;\n",
     ""),
    ("ignore-the-holder", "src/runtime/jobs/job_calls.c",
     "    if (job->state != JOB_LOCKED) return CALLBACK_USED;\n",
     "    if (job->state != JOB_LOCKED) return CALLBACK_EXPIRED;\n    if (job->priority == 5 && !call->as.job.retryable) return CALLBACK_HELD;\n"),
    ("drop-late-completions", "src/runtime/jobs/job_calls.c",
     "    call->late_ = call->dropped_ != CALLBACK_USED;\n    call->dropped_ = CALLBACK_USED;\n",
     ""),
    ("drop-completions-of-jobs-that-others-hold", "src/runtime/jobs/job_calls.c",
     "    call->late_ = call->dropped_ != CALLBACK_USED;\n    call->dropped_ = CALLBACK_USED;\n",
     "    if (call->dropped_ != CALLBACK_HELD) call->dropped_ = CALLBACK_USED;\n"),
    ("drop-completions-of-later-deliveries", "src/runtime/jobs/job_calls.c",
     "    call->late_ = call->dropped_ != CALLBACK_USED;\n    call->dropped_ = CALLBACK_USED;\n",
     "    if (!open || call->as.job.id.delivery <= open->delivery) call->dropped_ = CALLBACK_USED;\n"),
    ("forget-a-lease", "src/runtime/memory/jobs.c",
     "    deadline_set(jobs->deadlines, &job->deadline, DEADLINE_LEASE, now_ms + lease_ms);\n    add_untold(jobs, job);\n}\n\nvoid jobs_extend",
     "    add_untold(jobs, job);\n}\n\nvoid jobs_extend"),
    ("redeliver-under-the-old-id", "src/runtime/memory/jobs.c", "    job->delivery++;", ""),
    ("extend-nothing", "src/runtime/memory/jobs.c",
     "void jobs_extend(struct jobs *jobs, struct open_job *job, int64_t now_ms, int64_t lease_ms)\n{\n    must(job->state == JOB_LOCKED);\n    deadline_set(jobs->deadlines, &job->deadline, DEADLINE_LEASE, now_ms + lease_ms);",
     "void jobs_extend(struct jobs *jobs, struct open_job *job, int64_t now_ms, int64_t lease_ms)\n{\n    (void)jobs, (void)now_ms, (void)lease_ms;\n    must(job->state == JOB_LOCKED);"),
    ("hand-out-before-its-time", "src/runtime/memory/jobs.c", "    if (job->available_ms > now_ms) {", "    if (job->available_ms > now_ms + 1500) {"),
    ("hand-out-twice", "src/runtime/jobs/poll.c",
     "    jobs_lease(&turn->engine->memory.jobs, open, poll->worker, turn->now_ms,\n               poll_lease_ms(turn->engine, poll->lease_ms));",
     "    jobs_lease(&turn->engine->memory.jobs, open, poll->worker, turn->now_ms,\n               poll_lease_ms(turn->engine, poll->lease_ms));\n    if (open->number == 7) jobs_expire(&turn->engine->memory.jobs, open, turn->now_ms);"),
    ("answer-no-late-poll", "src/runtime/memory/polls.c",
     "    deadline_set_of_call(jobs->deadlines, &poll->deadline, DEADLINE_POLL, until_ms, call->serial_);",
     "    (void)until_ms;"),
    # ---- idempotency, timers, recovery ----
    ("forget-the-key", "src/runtime/commands.c",
     "    TRY(idempotency_remember(turn, call, err));\n", ""),
    ("replay-less-than-was-remembered", "src/runtime/call/answer_decode.c",
     "    READ_FIELDS(reader, from, instance_fields, view);",
     "    READ_FIELDS(reader, from, instance_fields, view);\n    view->revision = 0;"),
    ("replay-nothing", "src/runtime/commands.c",
     "    if (keyed && !call->done_ && !call->routing_) TRY(idempotency_replay(turn, call, err));",
     ""),
    ("fire-early", "src/runtime/memory/timers.c", "timers->waiting.row[0].due_ms <= now_ms)", "timers->waiting.row[0].due_ms <= now_ms + 20)"),
    ("window-without-an-end", "src/runtime/memory/timers.c",
     "    if (by_time(row, &timers->bound) > 0) return;\n", "    if (row->due_ms >= timers->bound.due_ms - 30000) return;\n"),
    ("recover-the-first-job-only", "src/runtime/engine.c",
     "    for (size_t i = 0; i < instance->job_count; i++)\n        if (reaches(instance, instance->job[i].execution))\n            jobs_add(",
     "    for (size_t i = 0; i < instance->job_count && i < 1; i++)\n        if (reaches(instance, instance->job[i].execution))\n            jobs_add("),
    ("recover-no-pending-start", "src/runtime/backlogs.c", "name != BACKLOG_TRANSIENT;", "name != BACKLOG_TRANSIENT && name > BACKLOG_CHILDREN;"),
    # ---- the core ----
    ("join-too-early", "src/core/change_int.h",
     "census->arrived_count >= census->branch_count &&\n           census->arrived_count + census->resting_count == census->token_count;",
     "census->arrived_count >= census->branch_count;"),
    ("join-never-misses", "src/core/change_int.h", "census->arrived_count >= census->branch_count &&", "census->arrived_count > 0 &&"),
    ("complete-twice", "src/core/on_complete_job.c", "    job_close(step, command->as.job.number, JOB_DONE, STR_NONE);", ""),
    ("lose-what-the-worker-sent", "src/core/on_complete_job.c",
     "    TRY(data_take(step, execution, data, node->as.task.merge, rejection));",
     "    if (json_count(data) < 4) TRY(data_take(step, execution, data, node->as.task.merge, rejection));"),
    ("merge-flatly", "src/core/on_complete_job.c", "node->as.task.merge, rejection", "MERGE_SHALLOW, rejection"),
    ("retry-for-ever", "src/core/attempt.c", "rule->counts_down ? job->retries_left - 1 : 0;", "rule->counts_down ? job->retries_left : 0;"),
    ("retry-without-delay", "src/core/attempt.c", "time_after(step->command->now_ms, delay_ms);", "time_after(step->command->now_ms, rule->counts_down ? delay_ms / 2 : delay_ms);"),
    ("interrupt-and-stay", "src/core/on_fire_timer.c", "    if (boundary->interrupting) {", "    if (boundary->interrupting && node->kind != NODE_WAIT) {"),
    ("leave-timers-behind", "src/core/exit.c",
     "    timer_close_all(step, token->execution);\n    switch (choice->is) {", "    switch (choice->is) {"),
    ("do-the-work-again", "src/core/on_retry.c", "if (at_exit) exit_again(step, execution, &stuck);", "(void)at_exit;"),
    ("take-what-leads-nowhere", "src/core/exit.c",
     "    if (choice.is == EDGE_FAILED)\n        return fail(", "    if (choice.is == EDGE_FAILED && !step)\n        return fail("),
    ("miss-the-signal-that-was-there", "src/core/node_wait.c",
     "what == WAIT_FOR_EVENT || what == WAIT_FOR_SIGNAL;", "what == WAIT_FOR_EVENT;"),
    ("serve-no-mail-after-a-retry", "src/core/on_retry.c", "    mail_serve_late(step);", "    (void)mail_serve_late;"),
    ("give-no-event-back", "src/core/apply.c",
     "    if (change->instance->taken_count) apply_taken_back(change, entry->execution);\n", ""),
    ("leave-jobs-behind-at-the-end", "src/core/node_end.c", "    interrupt_waits(step, false);", ""),
    ("end-all-with-a-branch", "src/core/node_end.c", "else if (others_remain(step->instance))", "else if (!others_remain(step->instance))"),
    ("never-end-with-a-branch", "src/core/node_end.c", "if (instance->token[i].state != TOKEN_RESTING) return true;", "return true;"),
    ("cancel-and-go-on", "src/core/on_cancel.c", "    interrupt_waits(step, true);", ""),
    ("take-the-last-edge", "src/core/edge.c", "        *ret_edge = edge;\n        return EDGE_TAKEN;",
     "        *ret_edge = &node->edge[node->edge_count - 1];\n        return EDGE_TAKEN;"),
    ("fork-one-branch-less", "src/core/node_fork.c", "for (; choice.count < node->edge_count; choice.count++)", "for (; choice.count + (node->edge_count > 3) < node->edge_count; choice.count++)"),
    ("forget-the-payload", "src/core/change.c", "        instance->job[i].payload = instance->data;", "        (void)0;"),
    ("signal-without-data", "src/core/on_signal.c", "TRY(data_take(step, execution, step->command->data, MERGE_SHALLOW, rejection));", ""),
    ("see-old-results", "src/core/node_set.c",
     "            show_results(&done, step->arena);",
     "            (void)show_results;"),
    ("unique-takes-the-first", "src/core/table_policy.c", "    if (policy == HIT_UNIQUE && hits->rule_count > 1) {", "    if (false) {"),
    ("smallest-for-largest", "src/core/table_policy.c", "collapse->policy == HIT_MAXIMUM ? order > 0 : order < 0", "order < 0"),
    ("forget-the-attempt-on-disk", "src/core/state_codec.c", "        job->attempt = read_varint32(reader);", "        read_varint32(reader);\n        job->attempt = 1;"),
    ("shift-times-on-disk", "src/core/state_codec.c",
     "        job->available_ms = codec_read_time(reader, job->created_ms);", "        job->available_ms = codec_read_time(reader, instance->created_ms);"),
    # ---- repair by hand ----
    ("modify-takes-a-branch-from-its-join", "src/core/on_modify.c", "    TRY(check_joins(modifying));", "    (void)check_joins;"),
    ("modify-asks-too-much-of-a-join", "src/core/on_modify.c",
     "arriving >= (before < branches ? before : branches)", "arriving >= before"),
    ("modify-leaves-a-failed-token", "src/core/on_modify.c", "    if (failed) TRY(check_revived(modifying));", "    (void)check_revived;"),
    ("modify-moves-into-the-wrong-scope", "src/core/on_modify.c", "    *ret_scope = 0;\n    return places_of", "    return places_of"),
    ("modify-forgets-why", "src/core/on_modify.c", "    if (command->as.modify.reason.n)\n", "    if (command->as.modify.reason.n > 1000)\n"),
    ("modify-takes-no-variable-away", "src/core/on_modify.c", "    TRY(unset_variables(step, rejection));", "    (void)unset_variables;"),
    # ---- events ----
    ("take-an-event-again", "src/runtime/events/events.c",
     "        status = event_recall(turn, call, event, &way, &event->error);\n        if",
     "        status = ST_NOT_FOUND;\n        (void)way;\n        if"),
    ("forget-that-an-event-was-here", "src/runtime/events/events.c",
     "    if (!sending.again) TRY(event_arrived(route, err));",
     "    if (!sending.again) (void)event;"),
    ("forget-one-of-many-subscribers", "src/runtime/events/route.c",
     "    while (route->place.next < route->target_count && may_go_on(route, to_the_end)) {",
     "    if (route->target_count > 2 && !route->place.next) route->place.next = 1;\n    while (route->place.next < route->target_count && may_go_on(route, to_the_end)) {"),
    ("deliver-twice", "src/runtime/events/route.c",
     "    TRY(add_subscribers(route, version, version->key, err));",
     "    TRY(add_subscribers(route, version, version->key, err));\n    TRY(add_subscribers(route, version, version->key, err));"),
    ("deliver-under-any-key", "src/runtime/events/route.c",
     ".correlated = is_correlated(route, definition->program),", ".correlated = is_correlated(route, definition->program) && false,"),
    ("start-without-a-value", "src/runtime/events/route.c", "        ret_version->takes = false;", "        (void)ret_version;"),
    ("deliver-nothing-to-the-failed", "src/runtime/transact/effects.c",
     "has && instance_takes_mail(loaded->now) && !loaded->now->is_test ? loaded->now : NULL;",
     "has && lives(loaded->now) ? loaded->now : NULL;"),
    ("forget-those-without-a-key", "src/runtime/events/route.c",
     "    return add_subscribers(route, version, STR_NONE, err);",
     "    return ST_OK;"),
    ("start-beside-those-who-wait", "src/runtime/events/route.c",
     "    if (is_taken(route, id) || !core_starts_by_event(version->definition->program, route->event))\n        return ST_OK;\n",
     "    if (!core_starts_by_event(version->definition->program, route->event)) return ST_OK;\n    if (is_taken(route, id)) return start_by_event(route, version, err);\n"),
    ("start-though-somebody-waits-by-now", "src/runtime/events/route.c",
     "    if (route->opened) TRY(route_deliver_late(route, id, err));", ""),
    ("keep-though-somebody-waits-by-now", "src/runtime/events/kept_events.c",
     "    TRY(look_once_more(route, waiting, count, err));\n", "    (void)look_once_more;\n"),
    ("take-what-is-kept-by-another-key", "src/runtime/events/kept_events.c",
     "    if (!concerns) return ST_OK;\n", "    (void)concerns;\n"),
    ("keep-for-nobody", "src/runtime/transact/kept.c", "    if (!has) return ST_OK;\n", "    return ST_OK;\n"),
    ("keep-what-was-taken", "src/runtime/arrivals/kept.c",
     "    turn->counts.kept_taken++;\n    return kept_remove(turn, kept, err);",
     "    turn->counts.kept_taken++;\n    return ST_OK;"),
    ("expire-too-early", "src/runtime/transact/kept.c",
     "    add_number(&now, (uint64_t)now_ms + 1);", "    add_number(&now, (uint64_t)now_ms + 500);"),
    ("stay-unmatched-when-taken", "src/runtime/events/events.c",
     "    TRY(event_remove_unmatched(route->turn, sending.unmatched, err));\n    return event_remember(route, event->outcome, 0, err);",
     "    return event_remember(route, event->outcome, 0, err);"),
    ("stay-unmatched-on-a-long-way", "src/runtime/events/events.c",
     "    TRY(event_remove_unmatched(route->turn, sending.unmatched, err));\n    return event_remember(route, EVENT_DELIVERED, call->routing_, err);",
     "    return event_remember(route, EVENT_DELIVERED, call->routing_, err);"),
    ("expire-unseen", "src/runtime/events/kept_events.c",
     "    TRY(event_put_unmatched(turn, kept->ns, kept->value, event_expired_reason, err));\n", ""),
    ("start-and-keep-the-event", "src/runtime/events/route.c",
     "        status = follow_command(turn, definition, instance, &command, &transition, err);\n    }\n",
     "        (void)command;\n    }\n"),
    ("throw-unmatched-away", "src/runtime/events/event_memory.c",
     "    struct changeset changeset = { .unmatched_add = &row };\n    return transact_rows(turn, &changeset, err);",
     "    (void)row;\n    (void)err;\n    return ST_OK;"),
    ("acknowledge-one-instance-less", "src/runtime/events/event_memory.c",
     "    json_add_int(&builder, (int64_t)route->applied);",
     "    json_add_int(&builder, (int64_t)route->applied - (route->applied > 1));"),
    ("the-newest-is-the-latest", "src/runtime/definitions/publish.c", ".rank = rank,", ".rank = 0,"),
    ("a-restored-version-keeps-its-rank", "src/runtime/definitions/publish.c", "    if (latest.rank > *rank) *rank = latest.rank;\n", ""),
    ("forget-what-is-restored", "src/runtime/deploy.c", ".restores = publishing.restores };", ".restores = 0 };"),
    ("forget-the-subscription", "src/runtime/transact/effects.c",
     "    effects->subscribed = b ? subscription_of(turn, b) : NULL;",
     "    effects->subscribed = b && !a ? subscription_of(turn, b) : NULL;"),
    ("keep-the-subscription-of-the-ended", "src/runtime/transact/effects.c",
     "    effects->unsubscribed = a ? subscription_of(turn, a) : NULL;",
     "    effects->unsubscribed = a && b ? subscription_of(turn, a) : NULL;"),
    ("keep-an-expired-case", "src/core/mail.c", "    if (!timed) return true;", "    return true;"),
    ("miss-the-mail-that-was-there", "src/core/mail.c",
     "if (at != SIZE_MAX && at >= limit &&",
     "if (at != SIZE_MAX && at > limit &&"),
    ("use-the-newest-event", "src/core/mail.c",
     "            size_t i = 0;\n            while (i < instance->mail_count && !mail_is_of(&instance->mail[i], &program->trigger[t])) i++;\n            step->first_mail[t] = i < instance->mail_count ? i : SIZE_MAX;",
     "            size_t i = instance->mail_count;\n            while (i > 0 && !mail_is_of(&instance->mail[i - 1], &program->trigger[t])) i--;\n            step->first_mail[t] = i ? i - 1 : SIZE_MAX;"),
    ("adopt-every-key", "src/core/on_event.c", "    if (command->as.event.correlation.n && !instance->correlation.n)", "    if (command->as.event.correlation.n)"),
    ("lose-the-mail-on-disk", "src/core/state_codec.c",
     "    instance->mail_count = instance->mail_cap = count;", "    instance->mail_count = count - (count > 1);\n    instance->mail_cap = count;"),
    # ---- children ----
    ("start-a-child-again", "src/runtime/transact/children.c",
     "    if (!is_there) {\n        bool cancelled;",
     "    if (!is_there || row.instance % 7 == 0) {\n        bool cancelled;"),
    ("lose-the-end-of-a-child", "src/runtime/transact/children.c",
     "        push(turn, b->parent, b->parent_job);",
     "        (void)turn;"),
    ("leave-children-behind", "src/runtime/transact/children.c",
     "            push_front(turn, b->id, closed->number);",
     "            (void)closed;"),
    ("forget-a-child-that-has-to-wait", "src/runtime/transact/children.c",
     "        TRY(put_off(turn, job, err));",
     "        (void)put_off;"),
    ("put-off-for-ever", "src/runtime/backlogs.c", "backlog[i].due |= backlog[i].left;",
     "backlog[i].due |= i != BACKLOG_CHILDREN && backlog[i].left;"),
    ("a-failed-child-is-a-result", "src/runtime/transact/children.c",
     "    case INSTANCE_FAILED:\n",
     "    case INSTANCE_FAILED: return complete_work(turn, work, child->data, err);\n"),
    ("await-what-nobody-awaits", "src/runtime/transact/children.c",
     "    bool awaited = !task_of(work)->as.task.detached;",
     "    bool awaited = true;"),
    ("go-on-with-all-data", "src/runtime/transact/starts.c",
     "    return chain->kind == ENTRY_KIND_CONTINUE ? chain->data : last->after->data;",
     "    return chain->kind == ENTRY_KIND_CHAIN ? chain->data : last->after->data;"),
    # ---- regions, retries ----
    ("go-on-with-the-first-awaited", "src/core/node_scope.c", "    else if (!all_done(step->instance, host.execution))", "    else if (false)"),
    ("await-every-branch", "src/core/node_scope.c", "        if (awaits && !region->awaited) region_end(", "        if (false) region_end("),
    ("end-detached-work", "src/core/node_end.c", "    interrupt_waits(step, false);", "    interrupt_waits(step, true);"),
    ("purge-what-lingers", "src/runtime/transact/transact_write.c",
     ".ended_ms = is_over(instance) && by_age ? instance->ended_ms : 0,",
     ".ended_ms = instance_status_ended(instance->status) && by_age ? instance->ended_ms : 0,"),
    ("queue-no-detached-job", "src/runtime/engine.c",
     "        if (reaches(instance, instance->job[i].execution))\n            jobs_add(", "        if (!instance_status_ended(instance->status))\n            jobs_add("),
    ("try-once-too-often", "src/core/attempt.c", "    return rule->unlimited || retries_used(attempt, index) < rule->count;",
     "    return rule->unlimited || retries_used(attempt, index) <= rule->count;"),
    ("forget-how-often-it-was-tried", "src/core/apply_wait.c", "        .used_count = before.used_count,", "        .used_count = 0,"),
    ("try-again-at-once", "src/core/attempt.c",
     "    int64_t from_ms = time_after(step->command->now_ms, delay_ms);",
     "    int64_t from_ms = rule->counts_down ? time_after(step->command->now_ms, delay_ms) : step->command->now_ms;"),
    ("let-anybody-perform", "src/runtime/jobs/poll.c", "        if (performer_queue_is_reserved(poll->type[i]) && !call->performs)", "        if (false)"),
    ("let-anybody-answer-for-the-engine", "src/runtime/jobs/job_calls.c",
     "    if (*ret_job && performer_place((*ret_job)->performer) != PERFORMED_OUTSIDE && !call->performs)\n        return call_not_found(call->as.job.id, \"job\", err);\n", ""),
    # ---- bulks ----
    ("bulk-begins-again-after-a-restart", "src/runtime/bulk/bulk.c", "    int64_t first = slice->row.done;", "    int64_t first = slice->row.done -= slice->row.done % 2;"),
    ("bulk-looks-at-nobody-twice", "src/runtime/bulk/bulk.c",
     "        const char *why = misfit(slice, instance, definition);",
     "        const char *why = 0 && misfit(slice, instance, definition) ? \"\" : NULL;"),
    ("bulk-leaves-one-out", "src/runtime/bulk/bulk_find.c", "        if (!bulk_mismatch(filter, &subject))\n",
     "        if (!bulk_mismatch(filter, &subject) && row[i].instance % 7)\n"),
    ("bulk-is-for-everybody", "src/runtime/bulk/bulk_find.c", "    if (bulk_mismatch(filter, &subject)) return ST_OK;", "    (void)bulk_mismatch;"),
    ("bulk-is-not-looked-for-after-a-restart", "src/runtime/backlogs.c", "name != BACKLOG_TRANSIENT;", "name != BACKLOG_TRANSIENT && name != BACKLOG_BULK;"),
    ("bulk-counts-what-was-refused", "src/runtime/bulk/bulk.c", "    if (status == ST_OK) note_result(slice, target, BULK_SUCCEEDED, STR_NONE);\n    else note_result",
     "    if (status != ST_NOT_FOUND) note_result(slice, target, BULK_SUCCEEDED, STR_NONE);\n    else note_result"),
    ("bulk-forgets-why-an-instance-failed", "src/runtime/transact/effects.c",
     "    if (is) effects->failed =",
     "    if (is && !was && !(b->id % 5)) return;\n    if (is) effects->failed ="),
    ("bulk-goes-on-when-cancelled", "src/runtime/bulk/bulk.c",
     "        if (state == BULK_STATE_CANCELLED) row.ended_ms = turn->now_ms;\n",
     "        if (state == BULK_STATE_CANCELLED) row.state = BULK_STATE_RUNNING;\n"),

    # ---- the store ----
    ("commit-nothing", "src/store/memory/memory.c",
     "        drop_tables(&store->common->committed);\n        store->common->committed = store->working;\n        store->common->changes++;",
     "        if (store->working.next_history % 64 == 0) {\n            drop_tables(&store->working);\n        } else {\n            drop_tables(&store->common->committed);\n            store->common->committed = store->working;\n        }\n        store->common->changes++;"),
    ("roll-back-nothing", "src/store/memory/memory.c",
     "    drop_tables(&store->working);\n    forget_transaction(store);\n    memory_unlock(store);\n}",
     "    drop_tables(&store->common->committed);\n    store->common->committed = store->working;\n    forget_transaction(store);\n    memory_unlock(store);\n}"),
    ("reuse-ids", "src/store/memory/write.c", "    if (id > store->working.instance_high) store->working.instance_high = id;", ""),
    ("purge-the-living", "src/store/memory/write.c", "key_str(&ended), row->ended_ms != 0 };", "key_str(&ended), true };"),
    ("lose-a-history-row", "src/store/memory/write.c", "        .prev = after->row.last_history,", "        .prev = after->revision == 4 ? 0 : after->row.last_history,"),
    ("keep-finished-tasks", "src/store/memory/write.c", "    for (size_t i = 0; i < change->task_remove_count; i++)",
     "    for (size_t i = 1; i < change->task_remove_count; i++)"),
    ("answer-not-found-for-not-now", "src/runtime/operate/instance_reads.c",
     "if (found_is(found) == NOT_THERE || (found_is(found) == FOUND && ret_row->created_ms != id.ms))",
     "if (found_is(found) != FOUND || ret_row->created_ms != id.ms)"),
    ("miss-the-target-of-a-command", "src/runtime/transact/target.c",
     "if (found_is(found) == NOT_THERE || (found_is(found) == FOUND && (*ret_instance)->created_ms != id.ms))",
     "if (found_is(found) != FOUND || (*ret_instance)->created_ms != id.ms)"),
]

# The same, in runs with several nodes.
OF_NODES = [
    ("an-old-configuration-commits", "src/store/memory/nodes.c", "    if (common->generation != store->generation)\n", "    if (common->generation < store->generation)\n"),
    ("claims-of-the-dead-stay", "src/runtime/takeover.c",
     "        TRY(store_free_claims(engine->store, nodes->seen[i].id, &freed, err));", "        freed = 0;\n        (void)freed;"),
    ("what-a-dead-node-held-is-lost", "src/runtime/takeover.c", "    TRY(offer_held(engine, id, count, &last, err));", "    (void)offer_held, last = id[count - 1];"),
    ("a-lost-claim-is-not-asked-again", "src/runtime/nodes/claim.c", "    engine->nodes.offers.is_unsure |= status != ST_OK;", "    engine->nodes.offers.is_unsure = false;"),
    ("trigger-routes-of-another-node-are-not-read", "src/runtime/takeover.c", "    trigger_routes_clear(&engine->memory.trigger_routes);\n", ""),
    ("secrets-of-another-node-are-not-read", "src/runtime/takeover.c",
     "    enum status status = engine->secrets.vault ? secrets_open(engine, engine->secrets.vault, err) : ST_OK;", "    enum status status = ST_OK;"),
    ("held-jobs-have-no-node", "src/runtime/nodes/shared_jobs.c", "    row->holder = holds ? self : keeps ? loaded->holder : 0;", "    row->holder = keeps ? loaded->holder : 0;"),
]

# Runs in which access changes catch these, …
OF_ACCESS = [
    ("accept-a-revoked-key", "src/runtime/access/resolve.c",
     """    if (!str_equal(json_text(record, STR("state")), STR("active"))) return refuse(resolution, "revoked");""", ""),
    ("tell-nobody-of-a-revocation", "src/runtime/access/access_state.c",
     "    directory_advance(directory, news->generation);\n    note_seen", "    note_seen"),
    ("keep-a-secret-that-was-reset", "src/runtime/access/change_key.c",
     "    if (!ends && !is_same) record = keep_old(", "    if (!is_same) record = keep_old("),
    ("forget-the-secret-before-a-rotation", "src/runtime/access/change_key.c",
     "    if (!ends && !is_same) record = keep_old(", "    if (ends && is_same) record = keep_old("),
    ("do-the-same-rotation-twice", "src/runtime/access/change_key.c",
     "is_same = is_hash_of(changes, old, &change->hash);", "is_same = false;"),
    ("leave-out-a-row-of-the-audit", "src/runtime/access/change_access.c",
     "        if (answer->is_same[i]) continue;", "        if (answer->is_same[i] || change->action == ACCESS_RESET) continue;"),
    ("forget-the-block-before", "src/runtime/access/audit_note.c",
     "                                       .before = chain->head.hash };", "                                     };"),
    ("leave-the-chain-of-the-audit-ahead", "src/runtime/access/audit_note.c",
     "        if (!committed) chain->head = chain->committed;", ""),
    ("lose-a-suspension", "src/runtime/access/access_state.c",
     "        else directory_keep_tenant(directory, &one->tenant);", ""),
    ("give-a-tenants-number-twice", "src/runtime/access/change_tenant.c",
     "    *ret_number = (int32_t)last + 1;", "    *ret_number = (int32_t)(last > 3 ? 3 : last + 1);"),
    ("remove-a-tenant-that-is-not-empty", "src/runtime/access/change_tenant.c",
     "{ tenant->number, RECORD_DRAFT, STR_NONE, \"drafts\" },", "{ tenant->number, RECORD_SECRET, STR_NONE, \"drafts\" },"),
    ("forget-to-narrow-a-key", "src/runtime/access/resolve.c",
     "    if (json_count(scopes)) grant.scope_count = read_scopes(resolution, scopes, &grant.scope);", ""),
    ("accept-a-key-that-has-expired", "src/runtime/access/resolve.c",
     "    if (principal->expires_ms && principal->expires_ms <= resolution->now_ms)", "    if (principal->expires_ms < 0)"),
    ("replace-a-grant-of-another-tenant", "src/runtime/access/change_grant.c",
     "    TRY(check_id_is_free(changes, to, named.name, err));", ""),
    ("revoke-a-key-of-another-tenant", "src/runtime/access/change_key.c",
     "    if (old && elsewhere && change->action != ACCESS_PUT)", "    if (old && elsewhere && change->action == ACCESS_REMOVE)"),
    ("leave-the-grants-of-a-key", "src/runtime/access/change_key.c",
     """    TRY(change_grant_remove_all(changes, arena_printf(changes->arena, "key:%.*s", STR_ARG(change->name)),
                                err));""", ""),
    ("let-sessions-come-back", "src/runtime/access/change_user.c",
     """    if (!str_equal(json_text(record, STR("state")), STR("active")))
        TRY(change_session_end_all(changes, change->name, STR_NONE, err));""", ""),
    ("write-a-draft-into-another-tenant", "src/runtime/definitions/drafts.c",
     "        .ns = call->ns, .kind = RECORD_DRAFT, .key = asked->id, .value = encode(view, &turn->arena)",
     "        .ns = TENANT_DEFAULT, .kind = RECORD_DRAFT, .key = asked->id, .value = encode(view, &turn->arena)"),
    ("read-a-draft-of-another-tenant", "src/runtime/definitions/drafts.c",
     "    TRY(found_asked(reader_find_record(reader, call->ns, RECORD_DRAFT, id, call->arena, &row, err),",
     "    TRY(found_asked(reader_find_record(reader, TENANT_DEFAULT, RECORD_DRAFT, id, call->arena, &row, err),"),
]

# … and these need several nodes besides.
OF_ACCESS_NODES = [
    ("take-a-change-of-ones-own-for-all-changes", "src/runtime/access/access_state.c",
     "    if (generation == engine->access.seen_generation) return ST_OK;",
     "    if (generation == directory_generation(directory)) return ST_OK;"),
    ("never-look-for-changes-of-access", "src/runtime/takeover.c",
     "    look_at_access(engine);\n    usage_beat", "    usage_beat"),
    ("look-for-no-tenants", "src/runtime/access/access_state.c",
     "    TRY(read_tenants(engine, err));\n", ""),
]

MUTATIONS = OF_ENTITIES + OF_OTHERS + OF_NODES + OF_ACCESS + OF_ACCESS_NODES + OF_MIGRATIONS


def places_of(mutation):
    """The source's text, and where the quoted text is in it."""
    _, source, old, _ = mutation
    path = ROOT / source
    text = path.read_text() if path.exists() else ""
    quoted = r"\s+".join(re.escape(word) for word in old.split())
    return text, list(re.finditer(quoted, text))


def check():
    """Every mutation has its place. A mechanism that moves takes its mutations along."""
    failed = 0
    for mutation in MUTATIONS:
        count = len(places_of(mutation)[1])
        if count != 1:
            print(f"{mutation[0]}: the text to change is {count} times in {mutation[1]}, not once")
            failed += 1
    print(f"{len(MUTATIONS) - failed} passed, {failed} failed")
    return 1 if failed else 0


def patch(mutation, out):
    name, source, _, new = mutation
    text, places = places_of(mutation)
    if len(places) != 1:
        raise SystemExit(f"{name}: the text to change is {len(places)} times in {source}, not once")
    target = out / "mutants" / name / source
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text[:places[0].start()] + new + text[places[0].end():])
    return target


def users_of(header):
    """Sources that include a header, directly: a mutation of it needs all of them."""
    folder, line = header.split("/")[1], f'#include "{header[4:]}"'
    return [p.relative_to(ROOT).as_posix() for p in sorted((ROOT / "src" / folder).glob("*.c")) if line in p.read_text()]


def build(mutation, out, flags):
    name, source, _, _ = mutation
    folder = out / "mutants" / name
    patched = patch(mutation, out)
    sources = users_of(source) if source.endswith(".h") else [source]
    objects = []
    for each in sources:
        target = folder / (each.replace("/", "_") + ".o")
        path = patched if each == source else ROOT / each
        # The mutant's own tree comes first, so that a changed header is found before the true one.
        command = [*shlex.split(flags["CC"]), f"-I{folder}/src", *shlex.split(flags["CFLAGS_ALL"]), "-Wno-error", "-w", "-c", "-o", str(target), str(path)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{name}: does not compile\n{done.stderr}")
        objects.append(str(target))
    program = folder / "sim"
    command = [*shlex.split(flags["CC"]), *shlex.split(flags["MODE"]), "-o", str(program), *shlex.split(flags["SIM_OBJECTS"]), *objects,
               *shlex.split(flags["ARCHIVES"]), *shlex.split(flags["LIBS_ALL"])]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{name}: does not link\n{done.stderr}")
    return program


def judge(mutation, out, flags, seeds):
    """(name, caught, after how many seeds, how)"""
    program = build(mutation, out, flags)
    begin = time.monotonic()
    try:
        profile = ["--profile", "entity"] if mutation in OF_ENTITIES else ["--profile", "migrate"] if mutation in OF_MIGRATIONS else []
        if mutation in OF_NODES + OF_ACCESS_NODES:
            profile += ["--nodes", "3"]
        if mutation in OF_ACCESS + OF_ACCESS_NODES:
            profile += ["--access"]
        done = subprocess.run([str(program), *profile, "--seeds", str(seeds), "--stop"], cwd=ROOT, capture_output=True,
                              timeout=RUN_SECONDS_MAX)
        text = (done.stdout + done.stderr).decode("utf-8", "replace")
        caught = done.returncode != 0
    except subprocess.TimeoutExpired:
        text, caught = "", False
    seed = re.search(r"FAILED seed (\d+)", text)
    words = re.search(r"^  (at .*)$|(must hold and does not: .*)$|(the run hangs)", text, re.M)
    how = next((g for g in words.groups() if g), "") if words else "it crashed" if caught else ""
    return mutation[0], mutation[1], caught, int(seed.group(1)) if seed else seeds, how, time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=4000)
    parser.add_argument("--only")
    parser.add_argument("--from", dest="first", type=int, default=1, help="the first row, to go on where a run ended")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("out", type=pathlib.Path, nargs="?")
    options = parser.parse_args()
    if options.check:
        return check()
    flags = {name: os.environ[name] for name in ("CC", "CFLAGS_ALL", "LIBS_ALL", "MODE", "ARCHIVES", "SIM_OBJECTS")}
    chosen = [m for m in MUTATIONS[options.first - 1:] if not options.only or options.only in m[0]]
    survivors = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, source, caught, seed, how, seconds in pool.map(lambda m: judge(m, options.out, flags, options.seeds), chosen):
            survivors += not caught
            print(f"{'caught  ' if caught else 'SURVIVED'} {name:38} {source:28} seed {seed:5} {seconds:6.1f} s  {how[:110]}", flush=True)
    print(f"{len(chosen) - survivors} passed, {survivors} failed")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
