/* program/check/check.c — problems of a program that can be found without running it.
 *
 * Reachability is checked in any case. The other analyses need a whole graph, so they are left out if the
 * list already holds errors: in a graph with missing edges they would find those edges, and not the author's
 * mistakes.
 */
#include "program/check/check_int.h"

#include "base/must.h"
#include "program/limits.h"

void program_check(const struct program *program, struct problems *problems)
{
    must(program->by_name_);
    struct check check = {
        .program = program,
        .problems = problems,
        .arena = problems->arena,
        .work_left = CHECK_WORK_MAX,
    };
    check_reach(&check);
    if (problems->error_count) return;
    check_joins(&check);
    check_loops(&check);
    if (problems->errors_only) return;
    check_stops(&check);
    links_check_self(&check);
    check_tables(&check);
}
