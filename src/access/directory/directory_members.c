/* access/directory/directory_members.c — is there anybody who could show a credential? */
#include "access/directory/directory_int.h"

bool directory_is_closed(const struct directory *directory)
{
    return atomic_load(&directory->has_root) || atomic_load(&directory->has_users) ||
           atomic_load(&directory->has_issuers) || directory->asks_always;
}

bool directory_has_users(const struct directory *directory) { return atomic_load(&directory->has_users); }
bool directory_has_issuers(const struct directory *directory) { return atomic_load(&directory->has_issuers); }
bool directory_has_root(const struct directory *directory) { return atomic_load(&directory->has_root); }

void directory_set_members(struct directory *directory, bool has_users, bool has_issuers)
{
    atomic_store(&directory->has_users, has_users);
    atomic_store(&directory->has_issuers, has_issuers);
}

/* The key "root" may do everything, as the one secret always could, and name the person that it acts for. */
static struct principal *root_principal(void)
{
    static const struct grant grant = { .role = ROLE_ADMIN,
                                        .tenant = TENANT_ANY,
                                        .source = STR_INIT("the token file") };
    struct principal *root = principal_new(PRINCIPAL_KEY);
    root->name = root->credential = STR("root");
    root->id = STR("key:root");
    root->grant = &grant;
    root->grant_count = 1;
    root->acts_for = true;
    root->generation = GENERATION_ALWAYS;
    return root;
}

void directory_set_root(struct directory *directory, str secret)
{
    struct credential_hash hash = credential_hash(secret);
    struct principal *root = secret.n ? root_principal() : NULL, *old;
    directory_lock(directory);
    bool same = root && directory->root && credential_hash_equal(&hash, &directory->root_hash);
    old = same ? root : directory->root;
    if (!same) {
        directory->root = root;
        directory->root_hash = hash;
    }
    atomic_store(&directory->has_root, directory->root != NULL);
    directory_unlock(directory);
    principal_unref(old);
}

struct principal *directory_members_root(struct directory *directory, const struct credential_hash *hash)
{
    struct principal *root = directory->root;
    return root && credential_hash_equal(hash, &directory->root_hash) ? root : NULL;
}
