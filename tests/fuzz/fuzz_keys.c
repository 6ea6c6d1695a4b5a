/* tests/fuzz/fuzz_keys.c — texts that clients show or admins write: keys, hashes, scopes, networks, names of
 * tenants, hashes of passwords. A text, then perhaps a NUL and the name of an object. */

#include "fuzz.h"

#include "access/record/audit.h"
#include "access/directory/directory.h"
#include "access/secret/password.h"

/* The matcher that everybody would write. It is slow, so texts are short. */
static bool matches_slowly(str pattern, str text)
{
    if (!pattern.n) return !text.n;
    if (pattern.p[0] != '*')
        return text.n && text.p[0] == pattern.p[0] &&
               matches_slowly(str_slice(pattern, 1, pattern.n), str_slice(text, 1, text.n));
    for (size_t i = 0; i <= text.n; i++)
        if (matches_slowly(str_slice(pattern, 1, pattern.n), str_slice(text, i, text.n))) return true;
    return false;
}

static void check_key(str text, struct arena *arena)
{
    str id, other;
    struct credential_hash hash = credential_hash(text), back;
    must(credential_hash_parse(credential_hash_text(&hash, arena), &back) &&
         credential_hash_equal(&hash, &back));
    if (credential_hash_parse(text, &back))
        must(str_equal_ignoring_case(credential_hash_text(&back, arena), text));
    if (!key_parse(text, &id)) return;
    must(id.n == KEY_ID_BYTES && id.p > text.p && id.p < text.p + text.n);
    for (size_t i = 0; i < text.n; i++) { /* A key that is mistyped at one place is none. */
        str wrong = arena_str(arena, text);
        ((char *)(uintptr_t)wrong.p)[i] ^= 1;
        must(!key_parse(wrong, &other));
    }
}

static void check_scope(str text, str object)
{
    struct access_scope scope;
    struct error err = { 0 };
    if (scope_parse(text, &scope, &err) != ST_OK) {
        must(err.status == ST_INVALID && err.message[0]);
        return;
    }
    must(permission_roles(scope.permission));
    must(!scope_fits(&scope, MAY_NONE, object) && !scope_fits(&scope, MAY_OPEN, object));
    if (!scope.pattern.n) must(scope_fits(&scope, scope.permission, object));
}

static void check_network(str text, str address)
{
    struct error err = { 0 };
    if (directory_check_network(text, &err) != ST_OK) {
        must(err.status == ST_INVALID && err.message[0]);
        return;
    }
    struct trusted trusted = { .name = text, .roles = 1u << ROLE_VIEWER };
    struct directory *directory = directory_new(
        &(struct directory_config){ .network = &trusted, .network_count = 1, .root_secret = STR("secret") });
    struct principal *principal = directory_of_peer(directory, address, STR_NONE);
    must(principal->kind == PRINCIPAL_NETWORK || principal == principal_nobody(false));
    must(!principal_may(principal, TENANT_DEFAULT, MAY_JOBS_WORK, STR_NONE));
    principal_unref(principal);
    size_t slash = str_find(text, STR("/"), 0);
    principal = directory_of_peer(directory, str_slice(text, 0, slash), STR_NONE);
    must(principal->kind == PRINCIPAL_NETWORK); /* Its own address is in it. */
    principal_unref(principal);
    directory_free(directory);
}

static void check_audit(str text, struct arena *arena)
{
    struct audit_row row;
    struct audit_head head;
    struct audit_hash before, hash;
    uint64_t number;
    int64_t at_ms, node;
    if (audit_decode(text, arena, &row, &number, &before, &hash, NULL) == ST_OK)
        must(number && row.tenant > TENANT_ANY);
    if (audit_head_decode(text, &head, NULL) == ST_OK) audit_head_encode(&head, arena);
    if (audit_key_parse(text, &at_ms, &node, &number))
        must(str_equal(audit_key(at_ms, node, number, arena), text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    str input = { (const char *)data, size }, text, object;
    struct arena arena;
    arena_init(&arena, 0);
    fuzz_split(input, &text, &object);
    str block = fuzz_block(text), name = fuzz_block(object);
    check_key(block, &arena);
    check_scope(block, name);
    check_network(block, name);
    check_audit(block, &arena);
    password_hash_is_valid(block);
    access_check_name(ACCESS_TENANT, block, NULL);
    if (block.n <= 12 && name.n <= 24) must(scope_matches(block, name) == matches_slowly(block, name));
    must(scope_matches(STR("*"), block));
    fuzz_block_free(block);
    fuzz_block_free(name);
    arena_done(&arena);
    return 0;
}
