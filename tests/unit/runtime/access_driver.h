/* tests/unit/runtime/access_driver.h — an engine with a directory of principals. */
#ifndef TESTS_RUNTIME_ACCESS_DRIVER_H
#define TESTS_RUNTIME_ACCESS_DRIVER_H

#include "driver.h"

#include "access/directory/directory.h"

static inline void access_use(struct driver *driver, struct directory *directory)
{
    struct error err;
    assert_int_equal(engine_use_directory(&driver->engine, directory, &err), ST_OK);
    driver->query.directory = directory;
    driver->query.touched = driver->engine.access.touched;
    driver->query.clock = driver->engine.clock;
}

static inline struct directory *access_directory(const char *secret)
{
    return directory_new(&(struct directory_config){ .root_secret = secret ? str_of(secret) : STR_NONE });
}

static inline struct call *access_call(struct driver *driver, enum call_kind kind,
                                       const struct caller *caller)
{
    struct call *call = driver_call(driver, kind);
    call->caller = caller;
    if (caller) call->ns = caller->tenant;
    return call;
}

static inline struct call *access_change(struct driver *driver, const struct caller *caller,
                                         const struct access_change *change, size_t count)
{
    struct call *call = access_call(driver, CALL_CHANGE_ACCESS, caller);
    struct access_change *copy = arena_make_n(&driver->arena, struct access_change, count);
    memcpy(copy, change, count * sizeof *change);
    call->as.access = (struct call_access){ .change = copy, .count = count };
    return driver_run(driver, call);
}

/* One change that has to succeed, without a caller. */
static inline struct call *access_do(struct driver *driver, enum access_kind kind, enum access_action action,
                                     const char *name, const char *object)
{
    const struct access_change change = { .kind = kind,
                                          .action = action,
                                          .name = str_of(name),
                                          .object = object ? driver_json(driver, object) : NULL };
    return access_change(driver, NULL, &change, 1);
}

static inline void access_done(const struct call *call)
{
    if (call->status != ST_OK) fail_msg("%s: %s", call->error.where, call->error.message);
}

static inline void access_make(struct driver *driver, enum access_kind kind, const char *name,
                               const char *object)
{
    access_done(access_do(driver, kind, ACCESS_CREATE, name, object));
}

static inline struct credential_hash access_hash(const char *secret)
{
    return credential_hash(str_of(secret));
}

static inline void access_make_key(struct driver *driver, const char *id, const char *secret,
                                   const char *object)
{
    const struct access_change change = { .kind = ACCESS_KEY,
                                          .action = ACCESS_CREATE,
                                          .name = str_of(id),
                                          .object = driver_json(driver, object),
                                          .hash = access_hash(secret) };
    access_done(access_change(driver, NULL, &change, 1));
}

static inline struct call *access_resolve_as(struct driver *driver, const struct call_resolve *asked)
{
    struct call *call = driver_call(driver, CALL_RESOLVE);
    call->as.resolve = *asked;
    driver_run(driver, call);
    access_done(call);
    return call;
}

static inline struct call *access_resolve_key(struct driver *driver, const char *id, const char *secret)
{
    return access_resolve_as(
        driver,
        &(struct call_resolve){ .kind = CREDENTIAL_KEY, .id = str_of(id), .hash = access_hash(secret) });
}

/* The principal of a name, which the test drops. */
static inline struct principal *access_principal(struct driver *driver, const char *id)
{
    struct call *call =
        access_resolve_as(driver, &(struct call_resolve){ .kind = CREDENTIAL_NAME, .id = str_of(id) });
    if (!call->value.resolve.principal) fail_msg("%s: %s", id, call->value.resolve.why);
    return call->value.resolve.principal;
}

static inline struct call *access_list(struct driver *driver, const struct caller *caller,
                                       const struct call_access_list *asked)
{
    struct call *call = access_call(driver, CALL_LIST_ACCESS, caller);
    call->as.access_list = *asked;
    if (!asked->max) call->as.access_list.max = 10;
    return driver_run(driver, call);
}

/* The names of a list, with blanks between them. */
static inline const char *access_names(struct driver *driver, const struct call *call)
{
    struct buf out;
    buf_init(&out, &driver->arena);
    for (size_t i = 0; i < call->value.access_list.count; i++) {
        if (i) buf_add_char(&out, ' ');
        buf_add_str(&out, call->value.access_list.name[i]);
    }
    return arena_str(&driver->arena, buf_str(&out)).p;
}

#endif
