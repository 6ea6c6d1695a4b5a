/* compute/requests.c — the life of a request: placed, sent, answered or given up. */
#include "compute/compute_int.h"

#include "base/utf8.h"

#include <string.h>

enum { NAME_SHOWN_BYTES = 200 };

/* ---- lists ---- */

static uint64_t key_of(struct uuid id)
{
    uint64_t key;
    memcpy(&key, id.byte, sizeof key);
    return key;
}

static void link_request(struct compute *compute, struct compute_request *request, bool waits)
{
    struct compute_request **list = waits ? &compute->waiting : &compute->under_way;
    request->before_ = NULL;
    request->after_ = *list;
    if (*list) (*list)->before_ = request;
    *list = request;
    if (waits) compute->stats.waiting++, compute->waiting_bytes += request->text.n;
    else compute->stats.under_way++, compute->bytes += request->text.n;
}

static bool is_looking(const struct compute_request *request)
{
    return request->look_ && request->look_ != UINT64_MAX;
}

/* Off its list, and away from its member if it has one. */
static void unlink_request(struct compute *compute, struct compute_request *request)
{
    struct compute_member *member = request->member_;
    if (request->before_) request->before_->after_ = request->after_;
    else if (member) compute->under_way = request->after_;
    else compute->waiting = request->after_;
    if (request->after_) request->after_->before_ = request->before_;
    if (!member) {
        compute->stats.waiting--;
        compute->waiting_bytes -= request->text.n;
        if (is_looking(request)) compute->looking--;
        if (request->is_patient_) compute->patient--;
        request->is_patient_ = false;
        return;
    }
    compute->stats.under_way--;
    compute->bytes -= request->text.n;
    member->under_way--;
    if (request->member_before_) request->member_before_->member_after_ = request->member_after_;
    else member->first = request->member_after_;
    if (request->member_after_) request->member_after_->member_before_ = request->member_before_;
    else member->last = request->member_before_;
    request->member_ = NULL;
}

/* ---- the end ---- */

/* The request is in no list any more. */
static void end(struct compute *compute, struct compute_request *request, enum compute_outcome outcome,
                str message)
{
    if (request->is_known_) map_take(&compute->by_id, key_of(request->id));
    compute->stats.outcome[outcome]++;
    request->outcome = outcome;
    request->message = message;
    request->done(request);
}

/* `detail` may come from outside and be of any length. */
static void end_with(struct compute *compute, struct compute_request *request, enum compute_outcome outcome,
                     const char *what, str detail)
{
    str name = utf8_cut(request->name, NAME_SHOWN_BYTES);
    struct buf text;
    buf_init(&text, NULL);
    buf_printf(&text, "%s \"%.*s\" %s", compute_kind_word(request->kind), STR_ARG(name), what);
    buf_add_str(&text, utf8_cut(detail, FAILURE_REASON_BYTES_MAX - 2 * NAME_SHOWN_BYTES));
    end(compute, request, outcome, buf_str(&text));
    buf_done(&text);
}

static void end_without_member(struct compute *compute, struct compute_request *request, bool busy)
{
    if (request->send_count_)
        end_with(compute, request, COMPUTE_LOST, "was lost: its calculation node has disconnected", STR_NONE);
    else if (busy)
        end_with(compute, request, COMPUTE_NO_MEMBER, "finds all calculation nodes busy that have the tags ",
                 request->tags);
    else if (request->tags.n)
        end_with(compute, request, COMPUTE_NO_MEMBER,
                 "finds no calculation node connected that has the tags ", request->tags);
    else end_with(compute, request, COMPUTE_NO_MEMBER, "finds no calculation node connected", STR_NONE);
}

/* ---- sending ---- */

/* The member of another node need not go on with it. */
static void drop_at_member(const struct compute_request *request)
{
    const struct compute_member *member = request->member_;
    if (member && request->is_sent_ && member->joining.drop)
        member->joining.drop(member->joining.context, request);
}

static void give(struct compute_member *member, struct compute_request *request)
{
    struct compute *compute = member->hub;
    int64_t now_ms = clock_now_ms(&compute->clock);
    request->member_ = member;
    request->is_sent_ = false;
    request->look_ = 0;
    request->sent_ms_ = now_ms;
    if (!request->deadline_ms_) request->deadline_ms_ = now_ms + request->timeout_ms;
    member->under_way++;
    member->given = ++compute->serial;
    request->member_after_ = NULL;
    request->member_before_ = member->last;
    if (member->last) member->last->member_after_ = request;
    else member->first = request;
    member->last = request;
    link_request(compute, request, false);
}

void compute_send_on(struct compute_member *member)
{
    if (member->is_gone) return;
    member->is_behind = false;
    struct compute_request *at = member->last;
    if (!at || at->is_sent_) return;
    while (at->member_before_ && !at->member_before_->is_sent_) at = at->member_before_;
    for (; at; at = at->member_after_) {
        enum compute_sent sent = member->joining.send(member->joining.context, at);
        member->is_gone = sent == COMPUTE_GONE;
        member->is_behind = sent == COMPUTE_LATER;
        if (sent != COMPUTE_SENT) return;
        at->is_sent_ = true;
        at->send_count_++;
    }
}

/* May it be given to a member? Not if a member has it, or may have done it, and it must not be done twice. */
static bool goes_out(const struct compute_request *request)
{
    if (request->is_pinned_) return false;
    bool only_asks = request->kind != COMPUTE_PROCESSOR;
    return !request->is_sent_ ||
           ((request->survives || only_asks) && request->send_count_ < COMPUTE_SENDS_MAX);
}

/* Nobody waits for the answer but the entity. A request that finds too many others waiting is offered again
 * later. */
static void wait_for_member(struct compute *compute, struct compute_request *request)
{
    request->deadline_ms_ = 0;
    request->is_sent_ = false;
    if (compute->stats.waiting - compute->patient < COMPUTE_WAITING_MAX &&
        compute->waiting_bytes + request->text.n <= COMPUTE_WAITING_BYTES_MAX)
        link_request(compute, request, true);
    else end_with(compute, request, COMPUTE_BROKEN_OFF, "waits for a calculation node later", STR_NONE);
}

/* True: a member may have joined another node, and the request waits until that is known. */
static bool seek(struct compute *compute, struct compute_request *request)
{
    uint64_t look = compute->seek && !request->look_ ? compute->seek(compute->seek_context) : 0;
    if (!look) return false;
    request->look_ = look;
    compute->looking++;
    link_request(compute, request, true);
    return true;
}

/* True: a member with the tags may be about to join, and the request waits for it. */
static bool wait_patiently(struct compute *compute, struct compute_request *request)
{
    int64_t now_ms = clock_now_ms(&compute->clock);
    if (!request->patience_ms_) request->patience_ms_ = now_ms + compute->wait_ms;
    if (now_ms >= request->patience_ms_ ||
        compute->waiting_bytes + request->text.n > COMPUTE_WAITING_BYTES_MAX)
        return false;
    request->deadline_ms_ = 0; /* It begins when the request is sent. */
    request->is_patient_ = true;
    compute->patient++;
    link_request(compute, request, true);
    return true;
}

static void give_and_send(struct compute_member *member, struct compute_request *request)
{
    give(member, request);
    if (!member->is_behind) compute_send_on(member);
}

void compute_place(struct compute *compute, struct compute_request *request)
{
    bool may_go = goes_out(request), busy = false;
    unlink_request(compute, request);
    struct compute_member *member = may_go ? compute_choose(compute, request, &busy) : NULL;
    if (member) give_and_send(member, request);
    else if (may_go && request->waits) wait_for_member(compute, request);
    else if (!may_go || (!seek(compute, request) && !wait_patiently(compute, request)))
        end_without_member(compute, request, busy);
}

/* One node has a job at a time. When another one asks for the same, whoever asked before has lost it. */
static void supersede(struct compute *compute, const struct compute_request *request)
{
    struct compute_request *before = map_get(&compute->by_id, key_of(request->id));
    if (before && uuid_equal(before->id, request->id) && (before->is_pinned_ || request->is_pinned_))
        compute_cancel(before);
}

/* `pinned`: another node asks. False: another request has its id. */
static bool begin(struct compute *compute, struct compute_request *request, bool pinned)
{
    request->hub_ = compute;
    request->member_ = NULL;
    request->send_count_ = 0;
    request->deadline_ms_ = 0;
    request->patience_ms_ = 0;
    request->look_ = 0;
    request->is_sent_ = false;
    request->is_patient_ = false;
    request->is_pinned_ = pinned;
    supersede(compute, request);
    request->is_known_ = !map_get(&compute->by_id, key_of(request->id));
    if (request->timeout_ms <= 0) request->timeout_ms = COMPUTE_TIMEOUT_MS_DEFAULT;
    if (request->is_known_) map_put(&compute->by_id, key_of(request->id), request);
    else end_with(compute, request, COMPUTE_BROKEN_OFF, "is under way already", STR_NONE);
    return request->is_known_;
}

void compute_ask(struct compute *compute, struct compute_request *request)
{
    if (!begin(compute, request, false)) return;
    link_request(compute, request, true); /* From there it is placed. */
    compute_place(compute, request);
}

void compute_ask_member(struct compute *compute, struct compute_request *request, struct uuid id)
{
    struct compute_member *at = compute->first;
    if (!begin(compute, request, true)) return;
    while (at && (at->joining.node || !uuid_equal(at->joining.id, id))) at = at->after;
    if (at && !at->is_gone && at->under_way < COMPUTE_MEMBER_REQUESTS_MAX) give_and_send(at, request);
    else end_without_member(compute, request, at && !at->is_gone);
}

void compute_set_seeker(struct compute *compute, compute_seek_fn *seek_with, void *context)
{
    compute->seek = seek_with;
    compute->seek_context = context;
}

void compute_looked(struct compute *compute, uint64_t look)
{
    for (struct compute_request *at = compute->looking ? compute->waiting : NULL, *next; at; at = next) {
        next = at->after_;
        if (!is_looking(at) || at->look_ > look) continue;
        compute->looking--;
        at->look_ = UINT64_MAX;
        compute_place(compute, at);
    }
}

void compute_cancel(struct compute_request *request)
{
    drop_at_member(request);
    unlink_request(request->hub_, request);
    end_with(request->hub_, request, COMPUTE_BROKEN_OFF, "is not wanted any more", STR_NONE);
}

void compute_break_off(struct compute *compute)
{
    while (compute->under_way) compute_cancel(compute->under_way);
    while (compute->waiting) compute_cancel(compute->waiting);
}

/* ---- answers ---- */

static void fail_misfit(struct compute *compute, struct compute_request *request,
                        const struct compute_answer *answer)
{
    bool other_kind = answer->kind != request->kind;
    end_with(compute, request, COMPUTE_FAILED,
             other_kind ? "has got an answer of another kind" : "has got an answer for another entity, ",
             other_kind ? STR_NONE : answer->entity);
}

static void take_answer(struct compute *compute, struct compute_request *request,
                        const struct compute_answer *answer)
{
    request->value = answer->value;
    if (answer->success) {
        end(compute, request, COMPUTE_ANSWERED, STR_NONE);
        return;
    }
    end_with(compute, request, COMPUTE_FAILED,
             "failed: ", answer->message.n ? answer->message : STR("its calculation node does not say why"));
}

/* The request of the member that an answer is for. */
static enum compute_ignored find_asked(const struct compute_member *member, struct uuid id,
                                       struct compute_request **ret_request)
{
    struct compute_request *request = map_get(&member->hub->by_id, key_of(id));
    *ret_request = request;
    if (!request || !uuid_equal(request->id, id)) return COMPUTE_IGNORED_UNKNOWN;
    if (request->member_ != member || !request->is_sent_) return COMPUTE_IGNORED_FOREIGN;
    return COMPUTE_IGNORED_NOT;
}

enum compute_ignored compute_take(struct compute_member *member, const struct compute_answer *answer)
{
    struct compute *compute = member->hub;
    struct compute_request *request;
    enum compute_ignored why = find_asked(member, answer->request, &request);
    if (why == COMPUTE_IGNORED_NOT &&
        (request->kind != answer->kind ||
         (answer->entity.n && !str_equal_ignoring_case(answer->entity, request->entity))))
        why = COMPUTE_IGNORED_MISFIT;
    compute->stats.ignored[why]++;
    if (why == COMPUTE_IGNORED_UNKNOWN || why == COMPUTE_IGNORED_FOREIGN) return why;
    unlink_request(compute, request);
    member->answered++;
    if (why == COMPUTE_IGNORED_MISFIT) fail_misfit(compute, request, answer);
    else take_answer(compute, request, answer);
    return why;
}

/* It goes elsewhere or comes to its end. Its member, which has refused or lost it, is probably about to go.
 */
static void place_again(struct compute_member *member, struct compute_request *request, bool was_sent)
{
    member->avoided_ms = clock_now_ms(&member->hub->clock) + COMPUTE_AVOIDED_MS;
    request->is_sent_ = was_sent;
    if (!was_sent) request->send_count_--;
    compute_place(member->hub, request);
}

enum compute_ignored compute_settle(struct compute_member *member, const struct compute_settled *settled)
{
    struct compute *compute = member->hub;
    struct compute_request *request;
    enum compute_ignored why = find_asked(member, settled->request, &request);
    compute->stats.ignored[why]++;
    if (why != COMPUTE_IGNORED_NOT) return why;
    /* A request that survives is offered again. For anything else its node has disappeared. */
    bool is_lost = settled->outcome == COMPUTE_BROKEN_OFF && !request->survives;
    switch (is_lost ? COMPUTE_LOST : settled->outcome) {
    case COMPUTE_NO_MEMBER: place_again(member, request, false); break;
    case COMPUTE_LOST: place_again(member, request, true); break;
    default:
        unlink_request(compute, request);
        request->value = settled->value;
        end(compute, request, settled->outcome, settled->message);
    }
    return why;
}

/* ---- time ---- */

/* Members that were busy may have room. One that has waited long enough looks elsewhere for the last time. */
static void look_at_patient(struct compute *compute, int64_t now_ms)
{
    for (struct compute_request *at = compute->patient ? compute->waiting : NULL, *next; at; at = next) {
        bool busy;
        next = at->after_;
        if (!at->is_patient_) continue;
        if (now_ms >= at->patience_ms_) at->look_ = 0;
        if (now_ms >= at->patience_ms_ || compute_choose(compute, at, &busy)) compute_place(compute, at);
    }
}

void compute_look(struct compute *compute)
{
    int64_t now_ms = clock_now_ms(&compute->clock);
    look_at_patient(compute, now_ms);
    for (struct compute_request *at = compute->under_way, *next; at; at = next) {
        next = at->after_;
        if (now_ms < at->deadline_ms_) continue;
        drop_at_member(at);
        unlink_request(compute, at);
        end_with(compute, at, COMPUTE_TIMED_OUT, "was not answered in time by its calculation node",
                 STR_NONE);
    }
}

int64_t compute_left_ms(const struct compute_request *request)
{
    int64_t left_ms = request->deadline_ms_ - clock_now_ms(&request->hub_->clock);
    return left_ms > 1 ? left_ms : 1;
}
