/* Claims of tokens whose signature is good: times, audiences, and the shapes of well-known providers. */
#include "token_test.h"

#define NOW_S 1800000000
static const int64_t now_ms = (int64_t)NOW_S * 1000;

static struct issuer issuer_of(const char *record)
{
    struct issuer issuer;
    struct error err = { 0 };
    if (issuer_read(STR("idp"), parsed(&bench.arena, record), &bench.arena, &issuer, &err) != ST_OK)
        fail_msg("%s: %s", err.where, err.message);
    return issuer;
}

static enum status read_claims(const struct issuer *issuer, const char *claims, const char *nonce,
                               struct token_bearer *ret_bearer, struct error *err)
{
    struct token_text token = { .claims = parsed(&bench.arena, claims) };
    return token_claims(issuer, &token, str_of(nonce), now_ms, &bench.arena, ret_bearer, err);
}

/* "ok", or the code of the refusal. */
static const char *outcome_of(const struct issuer *issuer, const char *claims, const char *nonce)
{
    struct token_bearer bearer;
    struct error err = { 0 };
    enum status status = read_claims(issuer, claims, nonce, &bearer, &err);
    if (status == ST_OK) return "ok";
    assert_int_equal(status, ST_UNAUTHORIZED);
    assert_true(err.code && err.message[0]);
    return err.code;
}

static void expect_outcome(const char *record, const char *claims, const char *nonce, const char *want)
{
    struct issuer issuer = issuer_of(record);
    const char *got = outcome_of(&issuer, claims, nonce);
    if (strcmp(got, want) != 0) fail_msg("%s: %s, not %s", claims, got, want);
}

/* ---- times ---- */

static void times_have_a_minute_of_skew(void **state)
{
    static const struct {
        const char *claims, *want;
    } cases[] = {
        { "'exp':1800000300,'iat':1799999999", "ok" },
        { "'exp':1799999941,'iat':1799999000", "ok" }, /* 59 s ago. */
        { "'exp':1799999940,'iat':1799999000", "expired" },
        { "'exp':1000000000,'iat':999999000", "expired" },
        { "'exp':0,'iat':0", "expired" },
        { "'exp':1800000300,'iat':1800000060", "ok" },
        { "'exp':1800000300,'iat':1800000061", "clock" },
        { "'exp':1800000300,'iat':1,'nbf':1800000060", "ok" },
        { "'exp':1800000300,'iat':1,'nbf':1800000061", "not-yet-valid" },
        { "'exp':1800000300,'iat':1,'nbf':1", "ok" },
        { "'exp':1800000300.0,'iat':1.0e0", "ok" }, /* Whole seconds, whatever way they are written. */
        /* None, or no whole seconds. */
        { "'iat':1799999999", "missing-claim" },
        { "'exp':1800000300", "missing-claim" },
        { "'exp':'1800000300','iat':1", "bad-claim" },
        { "'exp':1800000300,'iat':'1'", "bad-claim" },
        { "'exp':1800000300,'iat':1,'nbf':'1'", "bad-claim" },
        { "'exp':1800000300.5,'iat':1", "bad-claim" },
        { "'exp':1800000300,'iat':1.5", "bad-claim" },
        { "'exp':1800000300,'iat':1,'nbf':0.1", "bad-claim" },
        { "'exp':null,'iat':1", "bad-claim" },
        { "'exp':true,'iat':1", "bad-claim" },
        { "'exp':[1800000300],'iat':1", "bad-claim" },
        { "'exp':-1,'iat':1", "bad-claim" },
        { "'exp':1e400,'iat':1", "bad-claim" },
        { "'exp':9223372036854775807,'iat':1", "bad-claim" },
        { "'exp':9223372036854775,'iat':1", "bad-claim" },
        { "'exp':18000003000000,'iat':1", "bad-claim" }, /* Milliseconds. */
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        expect_outcome("{'issuer':'https://idp','audience':null}",
                       arena_printf(&bench.arena, "{'iss':'https://idp','sub':'a',%s}", cases[i].claims).p,
                       "", cases[i].want);
}

static void a_bearer_counts_until_the_token_ends(void **state)
{
    struct issuer issuer = issuer_of("{'issuer':'https://idp','audience':null}");
    struct token_bearer bearer;
    (void)state;
    assert_int_equal(
        read_claims(&issuer, "{'iss':'https://idp','sub':'a','exp':1800000300,'iat':1}", "", &bearer, NULL),
        ST_OK);
    assert_int_equal(bearer.expires_ms, INT64_C(1800000360000));
}

/* ---- for whom ---- */

static void the_issuer_is_equal_byte_for_byte(void **state)
{
    static const struct {
        const char *iss, *want;
    } cases[] = {
        { "'iss':'https://idp/realms/a',", "ok" },
        { "'iss':'https://idp/realms/a/',", "wrong-issuer" },
        { "'iss':'https://IDP/realms/a',", "wrong-issuer" },
        { "'iss':'http://idp/realms/a',", "wrong-issuer" },
        { "'iss':'https://idp/realms/a\\u0000',", "wrong-issuer" },
        { "'iss':['https://idp/realms/a'],", "wrong-issuer" },
        { "'iss':null,", "wrong-issuer" },
        { "", "wrong-issuer" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        expect_outcome("{'issuer':'https://idp/realms/a','audience':null}",
                       arena_printf(&bench.arena, "{%s'sub':'a','exp':1800000300,'iat':1}", cases[i].iss).p,
                       "", cases[i].want);
}

static void the_audience_is_one_of_ours(void **state)
{
    static const struct {
        const char *audience, *claims, *want;
    } cases[] = {
        { "'pawl'", "'aud':'pawl',", "ok" },
        { "['x','pawl']", "'aud':'pawl',", "ok" },
        { "'pawl'", "'aud':['account','pawl'],", "ok" },
        { "'pawl'", "'aud':['pawl'],'azp':'any-client',",
          "ok" }, /* A bearer's azp is the client that got it. */
        { "'pawl'", "'aud':'pawl2',", "wrong-audience" },
        { "'pawl'", "'aud':'Pawl',", "wrong-audience" },
        { "'pawl'", "'aud':'x pawl',", "wrong-audience" },
        { "'pawl'", "'aud':['x','y'],", "wrong-audience" },
        { "'pawl'", "'aud':[],", "wrong-audience" },
        { "'pawl'", "'aud':['pawl',1],", "wrong-audience" },
        { "'pawl'", "'aud':{'pawl':1},", "wrong-audience" },
        { "'pawl'", "'aud':null,", "wrong-audience" },
        { "'pawl'", "", "wrong-audience" },
        { "'pawl'", "'azp':'pawl','client_id':'pawl',", "wrong-audience" },
        { "null", "", "ok" },
        { "null", "'aud':'others',", "ok" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        expect_outcome(
            arena_printf(&bench.arena, "{'issuer':'https://idp','audience':%s}", cases[i].audience).p,
            arena_printf(&bench.arena, "{'iss':'https://idp','sub':'a','exp':1800000300,'iat':1,%s'x':1}",
                         cases[i].claims)
                .p,
            "", cases[i].want);
}

static void a_login_is_for_our_client_and_our_nonce(void **state)
{
    static const struct {
        const char *claims, *want;
    } cases[] = {
        { "'aud':'web','nonce':'n1'", "ok" },
        { "'aud':['web'],'azp':'web','nonce':'n1'", "ok" },
        { "'aud':['web','other'],'azp':'web','nonce':'n1'", "ok" },
        { "'aud':['web','other'],'nonce':'n1'", "wrong-audience" },
        { "'aud':['web','other'],'azp':'other','nonce':'n1'", "wrong-audience" },
        { "'aud':'web','azp':'other','nonce':'n1'", "wrong-audience" },
        { "'aud':'web','azp':1,'nonce':'n1'", "wrong-audience" },
        { "'aud':'api','nonce':'n1'", "wrong-audience" }, /* Good for a bearer, but not for a login. */
        { "'nonce':'n1'", "wrong-audience" },
        { "'aud':'web'", "wrong-nonce" },
        { "'aud':'web','nonce':'n2'", "wrong-nonce" },
        { "'aud':'web','nonce':''", "wrong-nonce" },
        { "'aud':'web','nonce':['n1']", "wrong-nonce" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        expect_outcome("{'issuer':'https://idp','audience':'api','clientId':'web'}",
                       arena_printf(&bench.arena,
                                    "{'iss':'https://idp','sub':'a','exp':1800000300,'iat':1,%s}",
                                    cases[i].claims)
                           .p,
                       "n1", cases[i].want);
    expect_outcome("{'issuer':'https://idp','audience':null}",
                   "{'iss':'https://idp','sub':'a','exp':1800000300,'iat':1,'aud':'','nonce':'n1'}", "n1",
                   "wrong-audience");
}

static void tokens_of_other_purposes_are_refused(void **state)
{
    static const struct {
        const char *type, *want;
    } cases[] = { { "", "ok" },
                  { "JWT", "ok" },
                  { "at+jwt", "ok" },
                  { "application/at+JWT", "ok" },
                  { "logout+jwt", "wrong-type" },
                  { "application/logout+jwt", "wrong-type" },
                  { "dpop+jwt", "wrong-type" },
                  { "secevent+JWT", "wrong-type" } };
    struct issuer issuer = issuer_of("{'issuer':'https://idp','audience':null}");
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct token_text token = {
            .type = str_of(cases[i].type),
            .claims = parsed(&bench.arena, "{'iss':'https://idp','sub':'a','exp':1800000300,'iat':1}"),
        };
        struct token_bearer bearer;
        struct error err = { .code = "ok" };
        token_claims(&issuer, &token, STR_NONE, now_ms, &bench.arena, &bearer, &err);
        assert_string_equal(err.code, cases[i].want);
    }
}

/* ---- who ---- */

static void a_user_has_a_name(void **state)
{
    static const struct {
        const char *claim, *claims, *want;
    } cases[] = {
        { "", "'sub':'s1'", "s1" },
        { "", "'sub':'s1','email':'a@b','preferred_username':'ada'", "ada" },
        { "", "'sub':'s1','email':'a@b'", "a@b" },
        { "", "'sub':'s1','email':'a@b','email_verified':true", "a@b" },
        { "", "'sub':'s1','email':'a@b','email_verified':'true'", "a@b" },
        { "", "'sub':'s1','email':'a@b','email_verified':false", "s1" },
        { "", "'sub':'s1','email':'a@b','email_verified':'false'", "s1" },
        { "", "'sub':'s1','email':'a@b','email_verified':null", "s1" },
        { "", "'sub':'s1','preferred_username':'a\\nb'", "s1" },
        { "", "'sub':'s1','preferred_username':7,'email':[]", "s1" },
        { "'userClaim':'$.upn',", "'sub':'s1','upn':'ada@x'", "ada@x" },
        { "'userClaim':'$.a.names',", "'sub':'s1','a':{'names':['ada']}", "ada" },
        { "'userClaim':'$.upn',", "'sub':'s1','preferred_username':'ada'", "missing-claim" },
        { "'userClaim':'$.upn',", "'sub':'s1','upn':['a','b']", "bad-claim" },
        { "'userClaim':'$.upn',", "'sub':'s1','upn':''", "bad-claim" },
        { "'userClaim':'$.upn',", "'sub':'s1','upn':'a\\u0000b'", "bad-claim" },
        { "'userClaim':'$.upn',", "'sub':'s1','upn':7", "missing-claim" },
        { "", "'x':1", "missing-claim" },
        { "", "'sub':''", "bad-claim" },
        { "", "'sub':7", "bad-claim" },
        { "", "'sub':'a\\r\\nb'", "bad-claim" },
        { "'tenantClaim':'$.org',", "'sub':'s1','org':'acme'", "s1" },
        { "'tenantClaim':'$.org',", "'sub':'s1'", "missing-claim" }, /* Not into another tenant. */
        { "'tenantClaim':'$.org',", "'sub':'s1','org':['acme','b']", "bad-claim" },
        { "'tenantClaim':'$.org',", "'sub':'s1','org':''", "bad-claim" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct issuer issuer = issuer_of(
            arena_printf(&bench.arena, "{'issuer':'https://idp',%s'audience':null}", cases[i].claim).p);
        struct token_bearer bearer = { 0 };
        struct error err = { 0 };
        const char *claims =
            arena_printf(&bench.arena, "{'iss':'https://idp','exp':1800000300,'iat':1,%s}", cases[i].claims)
                .p;
        bool good = read_claims(&issuer, claims, "", &bearer, &err) == ST_OK;
        str got = good ? bearer.user : str_of(err.code);
        if (!str_equal(got, str_of(cases[i].want))) fail_msg("%s: %.*s", cases[i].claims, STR_ARG(got));
        if (good) assert_true(str_equal(bearer.subject, STR("s1")));
    }
    const char *longest = memset(arena_zero(&bench.arena, 300, 1), 'x', 256);
    expect_outcome(
        "{'issuer':'https://idp','audience':null}",
        arena_printf(&bench.arena, "{'iss':'https://idp','exp':1800000300,'iat':1,'sub':'%s'}", longest).p,
        "", "bad-claim");
}

/* The bearer in one line: user, tenant, groups, roles. */
static const char *bearer_line(const struct token_bearer *bearer)
{
    struct buf text;
    buf_init(&text, &bench.arena);
    buf_printf(&text, "%.*s @%.*s [", STR_ARG(bearer->user), STR_ARG(bearer->tenant));
    for (size_t i = 0; i < bearer->group_count; i++)
        buf_printf(&text, "%s%.*s", i ? " " : "", STR_ARG(bearer->group[i]));
    buf_printf(&text, "]");
    for (int role = 0; role < ROLE_COUNT; role++)
        if (bearer->roles & (role_set)1 << role) buf_printf(&text, " %s", role_word((enum role)role));
    buf_add_char(&text, '\0');
    return text.p;
}

/* Tokens of these providers have such claims; the values are made up. */
static const struct {
    const char *provider, *record, *claims, *want;
} shapes[] = {
    { "Keycloak, roles of the realm",
      "{'issuer':'https://sso.example/realms/shop','audience':'pawl','groupsClaim':'$.groups',"
      "'rolesClaim':'$.realm_access.roles','roles':{'admin':['pawl-admins'],'viewer':['pawl-readers','staff']"
      "}}",
      "{'exp':1800000300,'iat':1800000000,'jti':'6f1c','iss':'https://sso.example/realms/"
      "shop','aud':['pawl','account'],"
      "'sub':'f:1c:ada','typ':'Bearer','azp':'portal','sid':'8d','acr':'1','allowed-origins':['https://"
      "portal.example'],"
      "'realm_access':{'roles':['offline_access','pawl-admins','staff','uma_authorization']},"
      "'resource_access':{'pawl':{'roles':['deploy']},'account':{'roles':['view-profile']}},'scope':'openid "
      "email profile',"
      "'email_verified':true,'name':'Ada "
      "L','groups':['/sre','/finance/eu'],'preferred_username':'ada','email':'ada@example.org'}",
      "ada @ [/sre /finance/eu] viewer admin" },
    { "Keycloak, roles of one client",
      "{'issuer':'https://sso.example/realms/"
      "shop','audience':'pawl','rolesClaim':'$.resource_access[\\'pawl\\'].roles',"
      "'roles':{'builder':['deploy'],'viewer':['view-profile']}}",
      "{'exp':1800000300,'iat':1800000000,'iss':'https://sso.example/realms/shop','aud':'pawl','sub':'u1',"
      "'resource_access':{'pawl':{'roles':['deploy']},'account':{'roles':['view-profile']}},'preferred_"
      "username':'ada'}",
      "ada @ [] builder" },
    { "Keycloak, clients count by their names",
      "{'issuer':'https://sso.example/realms/shop','audience':null,'groupsClaim':'$.resource_access',"
      "'roles':{'worker':['pawl']}}",
      "{'exp':1800000300,'iat':1800000000,'iss':'https://sso.example/realms/shop','sub':'u1',"
      "'resource_access':{'pawl':{'roles':['deploy']},'account':{'roles':['view-profile']}}}",
      "u1 @ [pawl account] worker" },
    { "Entra",
      "{'issuer':'https://login.microsoftonline.com/72f9/v2.0','audience':'api://pawl','userClaim':'$.oid',"
      "'tenantClaim':'$.tid','groupsClaim':'$.groups','rolesClaim':'$.roles','roles':{'operator':['Pawl."
      "Operate'],'person':['Pawl.Use']}}",
      "{'aud':'api://pawl','iss':'https://login.microsoftonline.com/72f9/"
      "v2.0','iat':1800000000,'nbf':1800000000,"
      "'exp':1800003900,'aio':'AVQ','azp':'11a2','azpacr':'1','groups':['5f0e-aa','77c1-bb'],'name':'Ada L',"
      "'oid':'0b3d-01','preferred_username':'ada@example.org','rh':'0.AQ','roles':['Pawl.Operate'],'scp':'"
      "access_as_user',"
      "'sub':'H4x','tid':'72f9','uti':'k1','ver':'2.0'}",
      "0b3d-01 @72f9 [5f0e-aa 77c1-bb] operator" },
    { "Zitadel, the roles are the names of an object's members",
      "{'issuer':'https://acme.zitadel.cloud','audience':['2468','1357'],"
      "'tenantClaim':'$[\\'urn:zitadel:iam:user:resourceowner:id\\']',"
      "'rolesClaim':'$[\\'urn:zitadel:iam:org:project:roles\\']','roles':{'sender':['pawl-send'],'viewer':['"
      "pawl-read'],'admin':['acme.zitadel.cloud']}}",
      "{'iss':'https://"
      "acme.zitadel.cloud','sub':'1777','aud':['1357@shop','1357'],'exp':1800000300,'iat':1800000000,"
      "'nbf':1800000000,'client_id':'1357@shop','jti':'V2','urn:zitadel:iam:user:resourceowner:id':'org-1',"
      "'urn:zitadel:iam:org:project:roles':{'pawl-send':{'org-1':'acme.zitadel.cloud'},'pawl-read':{'org-1':'"
      "acme.zitadel.cloud'}}}",
      "1777 @org-1 [] viewer sender" },
    { "Cognito, whose access tokens have a client_id and no aud",
      "{'issuer':'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Ab','audience':null,"
      "'userClaim':'$.username','groupsClaim':'$[\\'cognito:groups\\']','requireGroup':'pawl','roles':{'"
      "person':['approvers']}}",
      "{'sub':'aa-bb','cognito:groups':['approvers','pawl'],'iss':'https://"
      "cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Ab',"
      "'version':2,'client_id':'7abc','origin_jti':'o','token_use':'access','scope':'openid','auth_time':"
      "1799999000,"
      "'exp':1800000300,'iat':1799999000,'jti':'j','username':'ada'}",
      "ada @ [approvers pawl] person" },
    { "cyoda, a client",
      "{'issuer':'cyoda','audience':null,'jwksFile':'/"
      "k','userClaim':'$.caas_user_id','tenantClaim':'$.caas_org_id',"
      "'rolesClaim':'$[\\'user_roles\\',\\'scopes\\']','roles':{'admin':['ROLE_ADMIN'],'worker':['ROLE_M2M'],"
      "'sender':['ROLE_M2M'],'builder':['ROLE_M2M']}}",
      "{'sub':'C1','iss':'cyoda','exp':1800000300,'iat':1800000000,'jti':'j','caas_org_id':'acme','caas_user_"
      "id':'C1',"
      "'scopes':['ROLE_M2M'],'caas_tier':'unlimited'}",
      "C1 @acme [] worker sender builder" },
    { "cyoda, a person",
      "{'issuer':'cyoda','audience':null,'jwksFile':'/"
      "k','tenantClaim':'$.caas_org_id','rolesClaim':'$[\\'user_roles\\',\\'scopes\\']',"
      "'roles':{'admin':['ROLE_ADMIN'],'person':['ROLE_USER']}}",
      "{'sub':'ada','iss':'cyoda','exp':1800000300,'iat':1800000000,'caas_org_id':'acme','user_roles':['ROLE_"
      "USER','ROLE_ADMIN'],"
      "'act':{'sub':'C1'}}",
      "ada @acme [] person admin" },
    { "a text of roles with blanks, as scopes have them",
      "{'issuer':'https://"
      "idp','audience':null,'rolesClaim':'$.scope','roles':{'viewer':['pawl:read'],'sender':['pawl:send'],'"
      "admin':['pawl']}}",
      "{'iss':'https://idp','sub':'a','exp':1800000300,'iat':1,'scope':' openid pawl:read  pawl:send '}",
      "a @ [] viewer sender" },
    { "a group with a blank is one group", "{'issuer':'https://idp','audience':null,'groupsClaim':'$.group'}",
      "{'iss':'https://idp','sub':'a','exp':1800000300,'iat':1,'group':'Domain Admins'}",
      "a @ [Domain Admins]" },
    { "values that are no names",
      "{'issuer':'https://"
      "idp','audience':null,'groupsClaim':'$.groups','rolesClaim':'$.roles','roles':{'admin':['1','true','"
      "root']}}",
      "{'iss':'https://"
      "idp','sub':'a','exp':1800000300,'iat':1,'groups':[1,null,['x'],{'y':1},'z'],'roles':1}",
      "a @ [z]" },
    { "role words of ours mean nothing without a map",
      "{'issuer':'https://idp','audience':null,'rolesClaim':'$.roles'}",
      "{'iss':'https://idp','sub':'a','exp':1800000300,'iat':1,'roles':['admin','operator']}", "a @ []" },
};

static void well_known_providers_fit(void **state)
{
    struct jwk_set *set = set_of_keys(jwk_of(bench.rsa, "'kid':'k1','use':'sig','alg':'RS256',"), NULL);
    (void)state;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        str text = token_of(bench.rsa, "RS256", "{'alg':'RS256','typ':'JWT','kid':'k1'}", shapes[i].claims);
        struct issuer issuer = issuer_of(shapes[i].record);
        struct token_text token;
        struct token_bearer bearer;
        struct error err = { 0 };
        bool good = token_parse(text, &bench.arena, &token, &err) == ST_OK &&
                    token_verify(&token, set, &err) == ST_OK &&
                    token_claims(&issuer, &token, STR_NONE, now_ms, &bench.arena, &bearer, &err) == ST_OK;
        if (!good) fail_msg("%s: %s", shapes[i].provider, err.message);
        if (strcmp(bearer_line(&bearer), shapes[i].want) != 0)
            fail_msg("%s: %s, not %s", shapes[i].provider, bearer_line(&bearer), shapes[i].want);
    }
    jwk_set_free(set);
}

static void a_required_group_must_be_there(void **state)
{
    const char *record =
        "{'issuer':'https://idp','audience':null,'groupsClaim':'$.groups','requireGroup':'pawl'}";
    const char *claims = "{'iss':'https://idp','sub':'a','exp':1800000300,'iat':1,'groups':%s}";
    static const struct {
        const char *groups, *want;
    } cases[] = { { "['a','pawl']", "ok" },
                  { "'pawl'", "ok" },
                  { "{'pawl':1}", "ok" },
                  { "['a']", "missing-group" },
                  { "'a pawl'", "missing-group" },
                  { "['pawl ']", "missing-group" },
                  { "[['pawl']]", "missing-group" },
                  { "null", "missing-group" } };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf text;
        buf_init(&text, &bench.arena);
        buf_printf(&text, "%.*s%s}", (int)strlen(claims) - 3, claims, cases[i].groups);
        buf_add_char(&text, '\0');
        expect_outcome(record, text.p, "", cases[i].want);
    }
    expect_outcome(
        record, "{'iss':'https://idp','sub':'a','exp':1800000300,'iat':1,'_claim_names':{'groups':'src1'}}",
        "", "missing-group");
}

/* ---- records ---- */

static void records_of_a_wrong_form_name_their_place(void **state)
{
    static const struct {
        const char *record, *where;
    } cases[] = {
        { "[]", "" },
        { "{}", "/audience" },
        { "{'audience':null}", "/issuer" },
        { "{'issuer':'','audience':null}", "/issuer" },
        { "{'issuer':7,'audience':null}", "/issuer" },
        { "{'issuer':'cyoda','audience':null}", "/issuer" },
        { "{'issuer':'https://idp'}", "/audience" }, /* Any audience has to be said. */
        { "{'issuer':'https://idp','audience':''}", "/audience" },
        { "{'issuer':'https://idp','audience':[]}", "/audience" },
        { "{'issuer':'https://idp','audience':['a','']}", "/audience" },
        { "{'issuer':'https://idp','audience':true}", "/audience" },
        { "{'issuer':'x','audience':null,'jwks':7}", "/jwks" },
        { "{'issuer':'x','audience':null,'jwks':''}", "/jwks" },
        { "{'issuer':'x','audience':null,'jwks':{},'jwksFile':'/k'}", "/jwksFile" },
        { "{'issuer':'https://idp','audience':null,'clientId':[]}", "/clientId" },
        { "{'issuer':'https://idp','audience':null,'userClaim':'sub'}", "/userClaim" },
        { "{'issuer':'https://idp','audience':null,'tenantClaim':'$.['}", "/tenantClaim" },
        { "{'issuer':'https://idp','audience':null,'rolesClaim':{}}", "/rolesClaim" },
        { "{'issuer':'https://idp','audience':null,'roles':{'admin':['a']}}", "/roles" },
        { "{'issuer':'https://idp','audience':null,'rolesClaim':'$.r','roles':['admin']}", "/roles" },
        { "{'issuer':'https://idp','audience':null,'rolesClaim':'$.r','roles':{'root':['a']}}", "/roles" },
        { "{'issuer':'https://idp','audience':null,'rolesClaim':'$.r','roles':{'admin':'a'}}", "/roles" },
        { "{'issuer':'https://idp','audience':null,'rolesClaim':'$.r','roles':{'admin':['']}}", "/roles" },
        { "{'issuer':'https://idp','audience':null,'requireGroup':'a'}", "/requireGroup" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct issuer issuer;
        struct error err = { 0 };
        assert_int_equal(
            issuer_read(STR("x"), parsed(&bench.arena, cases[i].record), &bench.arena, &issuer, &err),
            ST_INVALID);
        if (strcmp(err.where, cases[i].where) != 0) fail_msg("%s: %s", cases[i].record, err.where);
    }
}

static void a_record_is_read_whole(void **state)
{
    struct issuer issuer =
        issuer_of("{'issuer':'x','label':'SSO','clientId':'web','clientSecretRef':'vault:sso',"
                  "'audience':['a','b'],'jwks':{'keys':[]},'userClaim':null}");
    (void)state;
    assert_true(str_equal(issuer.name, STR("idp")) && str_equal(issuer.label, STR("SSO")));
    assert_true(str_equal(issuer.client_id, STR("web")) &&
                str_equal(issuer.client_secret_ref, STR("vault:sso")));
    assert_true(issuer.audience_count == 2 && str_equal(issuer.audience[1], STR("b")) &&
                !issuer.any_audience);
    assert_true(str_equal(issuer.jwks, STR("{\"keys\":[]}")) && !issuer.jwks_file.n && !issuer.user_claim.n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        token_test(times_have_a_minute_of_skew),
        token_test(a_bearer_counts_until_the_token_ends),
        token_test(the_issuer_is_equal_byte_for_byte),
        token_test(the_audience_is_one_of_ours),
        token_test(a_login_is_for_our_client_and_our_nonce),
        token_test(tokens_of_other_purposes_are_refused),
        token_test(a_user_has_a_name),
        token_test(well_known_providers_fit),
        token_test(a_required_group_must_be_there),
        token_test(records_of_a_wrong_form_name_their_place),
        token_test(a_record_is_read_whole),
    };
    return cmocka_run_group_tests(tests, make_signers, free_signers);
}
