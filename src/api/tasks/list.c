/* api/tasks/list.c — pages of people's tasks.
 *
 * With a person, a group or a time the page is in the order of what is due first. Else it is in the order of
 * age, as /v1/user-tasks. A cursor is "due-id": the place where the page ended.
 */
#include "api/tasks/tasks_int.h"

#include "base/ascii.h"
#include "base/datetime.h"
#include "core/task.h"

#include <inttypes.h>

/* ---- a task as text ---- */

static void put_member(struct buf *out, const char *name, const struct json *value)
{
    buf_printf(out, ",\"%s\":", name);
    json_print(value, out);
}

static void put_names(struct buf *out, const char *member, const struct json *names)
{
    size_t cursor = 0, count = 0;
    buf_printf(out, ",\"%s\":[", member);
    for (str name; task_next_name(names, &cursor, &name); count++) {
        if (count) buf_add_char(out, ',');
        put_text(out, name);
    }
    buf_add_char(out, ']');
}

/* Details that the engine does not know are shown as they are. */
static void put_others(struct buf *out, const struct json *details, bool whole)
{
    static const char *const known[] = { "title",  "description", "assignee", "assignees",
                                         "groups", "due",         "followUp", "priority" };
    static const char *const long_ones[] = { "formSchema" };
    struct json_each each = json_each(details);
    while (json_next(&each)) {
        bool shown = true;
        for (size_t i = 0; i < COUNT(known); i++) shown = shown && !str_equal(each.name, str_of(known[i]));
        for (size_t i = 0; !whole && i < COUNT(long_ones); i++)
            shown = shown && !str_equal(each.name, str_of(long_ones[i]));
        if (!shown) continue;
        buf_add_char(out, ',');
        put_text(out, each.name);
        buf_add_char(out, ':');
        json_print(each.value, out);
    }
}

void tasks_put(struct buf *out, const struct task_view *view, bool whole)
{
    const struct task_row *row = &view->row;
    struct task_details task = task_read(view->details, row->created_ms);
    PUT(out, "{\"id\":");
    put_id(out, (struct id){ .ms = row->created_ms, .instance = row->instance, .number = row->execution });
    PUT(out, ",\"instanceId\":");
    put_id(out, (struct id){ .ms = row->instance_created_ms, .instance = row->instance });
    PUT(out, ",\"nodeId\":");
    put_text(out, row->node);
    PUT(out, ",\"title\":");
    put_text(out, row->title);
    if (task.description.n) put_member(out, "description", json_get(view->details, STR("description")));
    if (row->label.n) {
        PUT(out, ",\"jobType\":");
        put_text(out, row->label);
    }
    PUT(out, ",\"definitionId\":");
    put_text(out, row->definition_id);
    PUT(out, ",\"definitionVersion\":");
    put_int(out, row->definition_version);
    if (row->business_key.n) {
        PUT(out, ",\"businessKey\":");
        put_text(out, row->business_key);
    }
    PUT(out, ",\"createdAt\":");
    put_time(out, row->created_ms);
    if (task.assignee.n) put_member(out, "assignee", json_get(view->details, STR("assignee")));
    put_names(out, "assignees", task.assignees);
    put_names(out, "groups", task.groups);
    if (task.due_ms) {
        PUT(out, ",\"due\":");
        put_time(out, task.due_ms);
    }
    if (task.follow_up_ms) {
        PUT(out, ",\"followUp\":");
        put_time(out, task.follow_up_ms);
    }
    PUT(out, ",\"priority\":");
    put_int(out, task.priority);
    if (view->details) put_others(out, view->details, whole);
    if (!whole) buf_add_char(out, '}');
}

/* ---- pages ---- */

static void render_page(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_tasks *answer = &call->value.tasks;
    *ret_http_status = 200;
    PUT(out, "{\"items\":[");
    for (size_t i = 0; i < answer->count; i++) {
        if (i) buf_add_char(out, ',');
        tasks_put(out, &answer->view[i], false);
    }
    PUT(out, "],\"pageSize\":");
    put_int(out, (int64_t)call->as.worklist.filter.max);
    if (answer->next.instance) {
        char id[ID_CHARS + 1];
        id_print((struct id){ .instance = answer->next.instance, .number = answer->next.execution }, id);
        buf_printf(out, ",\"nextCursor\":\"%" PRId64 "-%s\"", answer->next.due_ms, id);
    }
    buf_add_char(out, '}');
}

static enum status read_cursor(struct api_request *request, struct worklist_place *ret_place,
                               struct error *err)
{
    str text = query_text(request, STR("cursor"));
    if (!text.n) return ST_OK;
    size_t dash = str_find(text, STR("-"), 0);
    struct id id;
    int64_t due_ms;
    if (dash == SIZE_MAX || !str_to_int64(str_slice(text, 0, dash), &due_ms) || due_ms < 0 ||
        !id_parse(str_slice(text, dash + 1, text.n), &id))
        return fail(err, ST_INVALID, "cursor", "cursor must be the nextCursor of an earlier page");
    *ret_place = (struct worklist_place){ due_ms, id.instance, id.number };
    return ST_OK;
}

static enum status read_name(struct api_request *request, const char *name, str *ret_name, struct error *err)
{
    *ret_name = query_text(request, str_of(name));
    if (ret_name->n <= TASKS_NAME_BYTES) return ST_OK;
    return fail(err, ST_LIMIT, name, "%s has more than %d bytes", name, TASKS_NAME_BYTES);
}

/* ---- whose tasks ---- */

bool tasks_may_see_all(const struct api_request *request)
{
    const struct caller *caller = &request->caller;
    return caller->principal->acts_for ||
           principal_may(caller->principal, caller->tenant, MAY_TASKS_ALL, STR_NONE) ||
           principal_may(caller->principal, caller->tenant, MAY_INSTANCES_READ, STR_NONE);
}

enum status tasks_check_person(const struct api_request *request, str person, struct error *err)
{
    if (str_equal(person, request->caller.principal->name)) return ST_OK;
    return principal_refuse(request->caller.principal, MAY_TASKS_ALL, person, err);
}

enum status tasks_check_group(const struct api_request *request, str group, struct error *err)
{
    if (principal_is_in(request->caller.principal, group)) return ST_OK;
    return principal_refuse(request->caller.principal, MAY_TASKS_ALL, group, err);
}

/* A person asks for tasks by their own name and groups. A list that names nobody has all that the person may
 * see: the engine leaves out the tasks of others. */
static enum status keep_to_own(struct api_request *request, const struct worklist_filter *filter,
                               struct error *err)
{
    const str names[] = { filter->person, filter->assignee, filter->candidate };
    if (tasks_may_see_all(request)) return ST_OK;
    for (size_t i = 0; i < COUNT(names); i++)
        if (names[i].n) TRY(tasks_check_person(request, names[i], err));
    return filter->group.n ? tasks_check_group(request, filter->group, err) : ST_OK;
}

enum status tasks_list(struct api_request *request, struct error *err)
{
    struct call_worklist asked = { 0 };
    struct worklist_filter *filter = &asked.filter;
    int64_t skip;
    TRY(query_page(request, &skip, &filter->max, err));
    filter->ns = request->caller.tenant;
    TRY(read_name(request, "person", &filter->person, err));
    TRY(read_name(request, "assignee", &filter->assignee, err));
    TRY(read_name(request, "candidate", &filter->candidate, err));
    TRY(read_name(request, "group", &filter->group, err));
    TRY(keep_to_own(request, filter, err));
    TRY(query_flag(request, STR("unassigned"), &filter->is_free, err));
    TRY(read_cursor(request, &filter->after, err));
    filter->definition_id = query_text(request, STR("definitionId"));
    filter->label = query_text(request, STR("jobType"));
    asked.instance = query_instance(request);
    str before = query_text(request, STR("dueBefore"));
    if (before.n && !datetime_parse(before, &filter->due_before_ms))
        return fail(err, ST_INVALID, "dueBefore", "dueBefore must be a time like 2026-11-16T09:00:00Z");
    bool somebody = filter->person.n || filter->assignee.n || filter->candidate.n || filter->group.n;
    asked.by_age = !somebody && !filter->due_before_ms;
    if (asked.instance && !asked.by_age)
        return fail(err, ST_INVALID, "instanceId", "instanceId goes with no person, group or dueBefore");
    TRY(read_name(request, "keyword", &asked.keyword, err));
    if (asked.keyword.n && !asked.by_age)
        return fail(err, ST_INVALID, "keyword", "keyword goes with no person, group or dueBefore");
    return request_submit(request, call_worklist(request_origin(request), &asked), render_page, err);
}
