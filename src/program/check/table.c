/* program/check/table.c — decision tables: rules that overlap or never count, inputs that no rule is for. */
#include "program/check/table_int.h"

void check_tables(struct check *check)
{
    for (uint32_t i = 0; i < check->program->node_count; i++) {
        const struct program_node *node = &check->program->node[i];
        if (node->kind != NODE_TABLE) continue;
        struct table table;
        check_table_read(&table, check, i);
        if (node->as.table.policy == HIT_UNIQUE) check_table_overlaps(&table);
        if (node->as.table.policy == HIT_FIRST) check_table_shadows(&table);
        check_table_gap(&table);
    }
}
