/* api/access/provider_choice.c — which provider of which tenant is a token of?
 *
 *     candidates     providers whose pinned issuers fit, or whose issuer is still unknown
 *     1  new ones    those that nobody has asked yet are asked first: they might be a better fit
 *     2  all         if none fits, also those that could not be reached before
 *     3  new keys    if still none fits, those with this issuer are asked for new keys
 *
 * A provider fits if the token's iss is its issuer and one of its keys has the token's kid. Tenants may share
 * a provider: then the audience has to tell them apart, and a token that fits several of them is refused.
 */
#include "api/access/issuers_int.h"

enum choice_pass { ASK_NEW_ONES, ASK_ALL, ASK_FOR_KEYS, ASK_NOBODY };

struct provider_choice {
    struct token_check *check;
    net_fn *done;
    str iss;
    struct known_issuer **candidate;
    struct issuer_wait *wait; /* One for each candidate. */
    size_t count, waiting;
    enum choice_pass pass;
};

static bool may_be_of(const struct known_issuer *known, str iss)
{
    if (known->issuer.pinned_count) return provider_has_pinned(&known->issuer, iss);
    return !known->provider.issuer.n || str_equal(known->provider.issuer, iss);
}

static bool is_of(const struct known_issuer *known, str iss)
{
    return known->keys && known->provider.issuer.n && may_be_of(known, iss);
}

/* ---- the choice ---- */

static bool fits(const struct provider_choice *choice, const struct known_issuer *known)
{
    str kid = choice->check->token.kid;
    return is_of(known, choice->iss) && kid.n && jwk_set_has(known->keys->set, kid);
}

/* Counts the candidates that fit, and finds one of them. */
static size_t find_fitting(const struct provider_choice *choice, bool by_audience,
                           struct known_issuer **ret_known)
{
    const struct token_check *check = choice->check;
    size_t count = 0;
    for (size_t i = 0; i < choice->count; i++) {
        struct known_issuer *known = choice->candidate[i];
        if (!fits(choice, known)) continue;
        if (by_audience && !token_names_audience(&known->issuer, &check->token, check->arena)) continue;
        *ret_known = known;
        count++;
    }
    return count;
}

static void finish(struct provider_choice *choice, struct known_issuer *chosen, const char *code,
                   const char *why)
{
    struct token_check *check = choice->check;
    if (chosen) check->known_ = access_issuer_ref(chosen);
    else check->status = fail_code(&check->err, ST_UNAUTHORIZED, code, "%s", why);
    for (size_t i = 0; i < choice->count; i++) access_issuer_unref(choice->candidate[i]);
    choice->done(check);
}

static void ask(struct provider_choice *choice);

static void choose(struct provider_choice *choice)
{
    struct known_issuer *known = NULL;
    size_t count = find_fitting(choice, false, &known);
    if (count > 1) count = find_fitting(choice, true, &known);
    if (count == 1) finish(choice, known, NULL, NULL);
    else if (count > 1 || known)
        finish(choice, NULL, "ambiguous-provider", "providers of several tenants fit the token");
    else if (++choice->pass < ASK_NOBODY) ask(choice);
    else {
        choice->check->may_change = true;
        finish(choice, NULL, "unknown-signing-key", "no provider has the token's issuer and key");
    }
}

/* ---- asking ---- */

static void answered(void *context)
{
    struct provider_choice *choice = context;
    if (!--choice->waiting) choose(choice);
}

static bool is_asked(const struct provider_choice *choice, const struct known_issuer *known)
{
    bool is_new = !known->keys && !known->why[0];
    if (choice->pass == ASK_NEW_ONES) return is_new;
    if (choice->pass == ASK_ALL) return !is_of(known, choice->iss) && may_be_of(known, choice->iss);
    return is_of(known, choice->iss);
}

/* One is counted for this function itself: answers may come at once. */
static void ask(struct provider_choice *choice)
{
    enum issuer_want want = choice->pass == ASK_FOR_KEYS ? ISSUER_NEW_KEYS : ISSUER_KEYS;
    choice->waiting = 1;
    for (size_t i = 0; i < choice->count; i++) {
        if (!is_asked(choice, choice->candidate[i])) continue;
        choice->waiting++;
        choice->wait[i] = (struct issuer_wait){ .done = answered, .context = choice };
        issuer_want(choice->check->api_, choice->candidate[i], want, &choice->wait[i]);
    }
    answered(choice);
}

void provider_choose(struct token_check *check, net_fn *done)
{
    struct provider_choice *choice = arena_make(check->arena, struct provider_choice);
    size_t count = 0;
    *choice = (struct provider_choice){ .check = check,
                                        .done = done,
                                        .iss = json_text(check->token.claims, STR("iss")) };
    for (struct known_issuer *known = issuers_providers(check->api_); known; known = known->next_)
        count += may_be_of(known, choice->iss);
    choice->candidate = arena_make_n(check->arena, struct known_issuer *, count);
    choice->wait = arena_make_n(check->arena, struct issuer_wait, count);
    for (struct known_issuer *known = issuers_providers(check->api_); known; known = known->next_)
        if (may_be_of(known, choice->iss)) choice->candidate[choice->count++] = access_issuer_ref(known);
    if (count) {
        ask(choice);
        return;
    }
    finish(choice, NULL, "unknown-issuer", "no issuer has this iss");
}
