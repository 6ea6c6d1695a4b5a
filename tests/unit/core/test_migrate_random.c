/* Random definitions, random changes of them, and instances that migrate somewhere on their way. A model that
 * knows nothing of the core says who can move, and where each of them stands after every command. */
#include "core/driver.h"

enum { STAGES = 4, BRANCHES = 3, CHAIN = 4, TASKS = 64 };

struct model_task {
    int id;       /* The same in both versions. */
    bool renamed; /* In the new version: it has another name, and the map says so … */
    bool retyped; /* … its jobs have another type. */
};

/* One chain of tasks or, behind a fork, several up to a join. */
struct model_stage {
    int branch_count;
    struct {
        struct model_task task[CHAIN];
        int count;
    } branch[BRANCHES];
};

struct model {
    struct model_stage stage[STAGES];
    int next_id;
};

/* Where an instance stands: in a stage, and in each of its branches before the end of the chain or at it. */
struct model_place {
    int stage;
    int at[BRANCHES];
};

static uint32_t dice(uint64_t *seed, uint32_t sides)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33) % sides;
}

/* ---- definitions ---- */

static struct model random_model(uint64_t *seed)
{
    struct model model = { .next_id = 1 };
    for (int i = 0; i < STAGES; i++) {
        model.stage[i].branch_count = dice(seed, 2) ? 1 : 2 + (int)dice(seed, BRANCHES - 2);
        for (int k = 0; k < model.stage[i].branch_count; k++) {
            model.stage[i].branch[k].count = 1 + (int)dice(seed, 2);
            for (int n = 0; n < model.stage[i].branch[k].count; n++)
                model.stage[i].branch[k].task[n].id = model.next_id++;
        }
    }
    return model;
}

static void change_once(struct model *model, uint64_t *seed)
{
    struct model_stage *stage = &model->stage[dice(seed, STAGES)];
    int k = (int)dice(seed, (uint32_t)stage->branch_count), count = stage->branch[k].count;
    int n = (int)dice(seed, (uint32_t)count);
    struct model_task *task = stage->branch[k].task;
    switch (dice(seed, 5)) {
    case 0: task[n].renamed = true; break;
    case 1: task[n].retyped = true; break;
    case 2: /* One more. */
        if (count == CHAIN) break;
        memmove(&task[n + 1], &task[n], (size_t)(count - n) * sizeof *task);
        task[n] = (struct model_task){ .id = model->next_id++ };
        stage->branch[k].count++;
        break;
    case 3: /* One less. */
        if (count == 1) break;
        memmove(&task[n], &task[n + 1], (size_t)(count - n - 1) * sizeof *task);
        stage->branch[k].count--;
        break;
    default: /* One more branch of a fork. */
        if (stage->branch_count == 1 || stage->branch_count == BRANCHES) break;
        stage->branch[stage->branch_count].count = 1;
        stage->branch[stage->branch_count++].task[0] = (struct model_task){ .id = model->next_id++ };
    }
}

static str name_of(struct arena *arena, struct model_task task)
{
    return arena_printf(arena, "%s%d", task.renamed ? "renamed" : "task", task.id);
}

static str type_of(struct arena *arena, struct model_task task)
{
    return arena_printf(arena, "%s%d", task.retyped ? "other" : "work", task.id);
}

/* The first node of a stage. */
static str entry_of(struct arena *arena, const struct model *model, int stage)
{
    if (stage == STAGES) return STR("end");
    if (model->stage[stage].branch_count > 1) return arena_printf(arena, "fork%d", stage);
    return name_of(arena, model->stage[stage].branch[0].task[0]);
}

static void put_chain(struct buf *out, struct arena *arena, const struct model *model, int stage, int k,
                      str behind)
{
    for (int n = 0; n < model->stage[stage].branch[k].count; n++) {
        const struct model_task *task = &model->stage[stage].branch[k].task[n];
        bool last = n + 1 == model->stage[stage].branch[k].count;
        str name = name_of(arena, task[0]), type = type_of(arena, task[0]);
        str next = last ? behind : name_of(arena, task[1]);
        buf_printf(out,
                   "{'id':'%.*s','name':'%.*s','type':'SERVICE_TASK','jobType':'%.*s','nextStep':'%.*s'}\n",
                   STR_ARG(name), STR_ARG(name), STR_ARG(type), STR_ARG(next));
    }
}

static void put_stage(struct buf *out, struct arena *arena, const struct model *model, int i)
{
    const struct model_stage *stage = &model->stage[i];
    str next = entry_of(arena, model, i + 1), join = arena_printf(arena, "join%d", i);
    if (stage->branch_count == 1) {
        put_chain(out, arena, model, i, 0, next);
        return;
    }
    buf_printf(
        out, "{'id':'fork%d','name':'f','type':'PARALLEL_GATEWAY','joinStep':'join%d','parallelNextSteps':[",
        i, i);
    for (int k = 0; k < stage->branch_count; k++)
        buf_printf(out, "%s'%.*s'", k ? "," : "", STR_ARG(name_of(arena, stage->branch[k].task[0])));
    buf_printf(out, "]}\n");
    for (int k = 0; k < stage->branch_count; k++) put_chain(out, arena, model, i, k, join);
    buf_printf(out, "{'id':'join%d','name':'j','type':'JOIN_GATEWAY','nextStep':'%.*s'}\n", i, STR_ARG(next));
}

static void begin(struct driver *d, const struct model *model)
{
    struct arena arena;
    struct buf steps;
    arena_init(&arena, 0);
    buf_init(&steps, &arena);
    for (int i = 0; i < STAGES; i++) put_stage(&steps, &arena, model, i);
    buf_printf(&steps, END("end"));
    buf_add_char(&steps, '\0');
    driver_begin(d, steps.p);
    arena_done(&arena);
}

/* ---- standing ---- */

static bool is_over(const struct model *model, const struct model_place *standing)
{
    for (int k = 0; k < model->stage[standing->stage].branch_count; k++)
        if (standing->at[k] < model->stage[standing->stage].branch[k].count) return false;
    return true;
}

static void go_on(const struct model *model, struct model_place *standing, int k)
{
    standing->at[k]++;
    if (!is_over(model, standing)) return;
    *standing = (struct model_place){ .stage = standing->stage + 1 };
}

/* The branches in which a job is open, with their tasks. */
static int open_branches(const struct model *model, const struct model_place *standing, int branch[BRANCHES])
{
    int count = 0;
    for (int k = 0; standing->stage < STAGES && k < model->stage[standing->stage].branch_count; k++)
        if (standing->at[k] < model->stage[standing->stage].branch[k].count) branch[count++] = k;
    return count;
}

static struct model_task task_at(const struct model *model, const struct model_place *standing, int k)
{
    return model->stage[standing->stage].branch[k].task[standing->at[k]];
}

static void assert_stands(struct driver *d, const struct model *model, const struct model_place *standing)
{
    int branch[BRANCHES], count = open_branches(model, standing, branch);
    if (standing->stage == STAGES) {
        assert_int_equal(d->instance->status, INSTANCE_COMPLETED);
        return;
    }
    assert_int_equal(d->instance->job_count, count);
    for (int i = 0; i < count; i++) {
        struct model_task task = task_at(model, standing, branch[i]);
        const struct job *job = job_of(d, type_of(&d->arena, task).p);
        const struct token *token = instance_find_token(d->instance, job->execution);
        if (!str_equal(token->node_name, name_of(&d->arena, task)))
            fail_msg("the job of task %d is at %.*s", task.id, STR_ARG(token->node_name));
    }
}

/* Where the standing is in the changed model; false: it is nowhere there. */
static bool stands_in(const struct model *before, const struct model *after, const struct model_place *was,
                      struct model_place *ret_is)
{
    const struct model_stage *old = &before->stage[was->stage], *now = &after->stage[was->stage];
    *ret_is = (struct model_place){ .stage = was->stage };
    if (old->branch_count != now->branch_count) return false;
    for (int k = 0; k < old->branch_count; k++) {
        ret_is->at[k] = now->branch[k].count;
        if (was->at[k] == old->branch[k].count) continue; /* It waits at the join. */
        int n = 0, id = old->branch[k].task[was->at[k]].id;
        while (n < now->branch[k].count && now->branch[k].task[n].id != id) n++;
        if (n == now->branch[k].count || now->branch[k].task[n].retyped) return false;
        ret_is->at[k] = n;
    }
    return true;
}

/* ---- one life ---- */

static size_t map_of(struct driver *d, const struct model *after, struct node_mapping ret_map[TASKS])
{
    size_t count = 0;
    for (int i = 0; i < STAGES; i++)
        for (int k = 0; k < after->stage[i].branch_count; k++)
            for (int n = 0; n < after->stage[i].branch[k].count; n++) {
                struct model_task task = after->stage[i].branch[k].task[n], old = { .id = task.id };
                if (!task.renamed) continue;
                ret_map[count++] = (struct node_mapping){ name_of(&d->arena, old), name_of(&d->arena, task) };
            }
    return count;
}

static void complete_one(struct driver *d, const struct model *model, struct model_place *standing,
                         uint64_t *seed)
{
    int branch[BRANCHES], count = open_branches(model, standing, branch);
    int k = branch[dice(seed, (uint32_t)count)];
    complete(d, type_of(&d->arena, task_at(model, standing, k)).p, NULL);
    go_on(model, standing, k);
    assert_stands(d, model, standing);
}

static void live(uint64_t seed, size_t *moved, size_t *refused)
{
    struct model before = random_model(&seed), after = before;
    struct model_place standing = { 0 }, next;
    struct driver d, other;
    struct node_mapping map[TASKS];
    for (uint32_t i = 1 + dice(&seed, 4); i > 0; i--) change_once(&after, &seed);
    begin(&d, &before);
    begin(&other, &after);
    struct program *old = d.program;
    start(&d, "{'n':1}");
    assert_stands(&d, &before, &standing);
    for (uint32_t i = dice(&seed, 8); i > 0 && standing.stage < STAGES - 1; i--)
        complete_one(&d, &before, &standing, &seed);
    bool can_move = stands_in(&before, &after, &standing, &next);
    struct command command = { .kind = COMMAND_MIGRATE,
                               .as.migrate = { .from = old, .definition = 9, .mapping = map } };
    command.as.migrate.mapping_count = map_of(&d, &after, map);
    d.program = other.program;
    bool has_moved = driver_do(&d, command) == ST_OK;
    if (has_moved != can_move)
        fail_msg("seed %llu: the model says %d, the core: %s", (unsigned long long)seed, can_move,
                 has_moved ? "it moves" : d.rejection.message);
    if (!has_moved) d.program = old;
    *(has_moved ? moved : refused) += 1;
    const struct model *model = has_moved ? &after : &before;
    if (has_moved) standing = next;
    assert_stands(&d, model, &standing);
    while (standing.stage < STAGES) complete_one(&d, model, &standing, &seed);
    d.program = old;
    driver_end(&other);
    driver_end(&d);
}

static void migrated_instances_end_where_the_model_says(void **state)
{
    size_t moved = 0, refused = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 3000; seed++) live(seed, &moved, &refused);
    assert_true(moved > 1000 && refused > 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(migrated_instances_end_where_the_model_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
