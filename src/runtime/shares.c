#include "runtime/shares.h"

#include "base/list.h"
#include "base/must.h"

#include <stdlib.h>

struct share {
    uint64_t key;
    struct call_list calls; /* Never empty. */
    struct share *next;
};

void shares_init(struct shares *shares)
{
    *shares = (struct shares){ 0 };
    map_init(&shares->by_key);
}

void shares_done(struct shares *shares)
{
    must(!shares->first);
    map_done(&shares->by_key);
}

bool shares_hold(const struct shares *shares, uint64_t key)
{
    return shares->first && map_get(&shares->by_key, key);
}

size_t shares_count(const struct shares *shares, uint64_t key)
{
    const struct share *share = shares->first ? map_get(&shares->by_key, key) : NULL;
    return share ? share->calls.count : 0;
}

void shares_add(struct shares *shares, uint64_t key, struct call *call)
{
    struct share *share = map_get(&shares->by_key, key);
    if (!share) {
        share = calloc(1, sizeof *share);
        must(share);
        share->key = key;
        map_put(&shares->by_key, key, share);
        list_append(shares, share, next);
    }
    call_list_add(&share->calls, call);
    shares->call_count++;
}

struct call *shares_take(struct shares *shares)
{
    struct share *share = shares->first;
    if (!share) return NULL;
    list_drop_first(shares, next);
    struct call *call = call_list_take(&share->calls);
    shares->call_count--;
    if (share->calls.first) {
        list_append(shares, share, next);
        return call;
    }
    map_take(&shares->by_key, share->key);
    free(share);
    return call;
}
