/* runtime/arrivals/arrive.h — arrivals: what comes from outside to a trigger, and what becomes of it.
 *
 * An arrival is addressed to a trigger: by path and method (HTTP), by topic (MQTT: every trigger whose filter
 * selects it), or by the ids of definition and trigger (schedules, polling, people). Starts by hand go this
 * way, too (arrive_by_hand()); ARCHITECTURE.md lists all ways in. The latest version of the definition
 * decides, in this order, and the first step that says no ends it:
 *
 *     1  authenticate    HTTP, over the raw bytes: REJECTED_AUTH, of which there is no record
 *     2  paused          the trigger takes nothing for now but tests: PAUSED
 *     3  seen before     under the same Idempotency-Key, in a day: DUPLICATE, with the first answer
 *     4  decode          DECODE_ERROR
 *     5  filter          false, or not to be evaluated: FILTERED
 *     6  schema          the payload, if there is one: REJECTED_SCHEMA
 *     7  seen before     under the same deduplicationKey: DUPLICATE
 *     8  key             none is fine
 *     9  route           the living instance that has the key, whatever its version, and the trigger's
 *                        policy: UPDATED, REPLACED, DISCARDED, or a new instance:
 *    10  cap             no place for one more: QUEUED (overflow.c) or REJECTED_LIMIT
 *    11  create          CREATED
 *
 * The key of an instance is its business key, so a unique look-up over all versions of the definition exists
 * already. Steps 7 to 11 are in one transaction with the instance, and the engine is its only writer: of many
 * arrivals with one key that come at once the first creates the instance and the others update it, in order.
 *
 * Every arrival with an outcome but REJECTED_AUTH and NO_ROUTE is recorded (arrive_log.c), also those that
 * started nothing. If a pause refuses several, or a polled row comes again unchanged, only the first is. An
 * arrival of a schedule or the queue has no outcome yet while the engine has no room for it: the call fails
 * with a status that may pass, and it comes again.
 */
#ifndef RUNTIME_ARRIVALS_ARRIVE_H
#define RUNTIME_ARRIVALS_ARRIVE_H

#include "runtime/call/call.h"

const char *arrive_outcome_word(enum arrival_outcome outcome); /* "created" */
const char *arrive_outcome_meaning(enum arrival_outcome outcome);
bool arrive_outcome_of(str word, enum arrival_outcome *ret_outcome);

#endif
