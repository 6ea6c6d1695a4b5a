/* program/check.c — what can be seen of a program without running it.
 *
 * Reachability is looked at in any case. The deeper analyses need a whole graph, so they
 * are left out while the list already holds errors: what they would find in a graph with
 * missing edges would be about those edges, not about the author's idea.
 */
#include "program/check_int.h"

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
