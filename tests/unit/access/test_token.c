/* Tokens that attackers write: each is refused, and for the right reason. */
#include "token_test.h"

static void each_algorithm_has_its_key(void **state)
{
    struct jwk_set *set =
        set_of(arena_printf(&bench.arena, "{\"keys\":[%s,%s,%s]}", jwk_of(bench.rsa, "'kid':'r',"),
                            jwk_of(bench.ec, "'kid':'c',"), jwk_of(bench.ed, "'kid':'d',"))
                   .p);
    (void)state;
    const struct {
        EVP_PKEY *key;
        const char *how, *header, *want;
    } cases[] = {
        { bench.rsa, "RS256", "{'alg':'RS256','kid':'r'}", "ok" },
        { bench.rsa, "PS256", "{'alg':'PS256','kid':'r'}", "ok" },
        { bench.ec, "ES256", "{'alg':'ES256','kid':'c'}", "ok" },
        { bench.ed, "EdDSA", "{'alg':'EdDSA','kid':'d'}", "ok" },
        { bench.rsa, "RS256", "{'alg':'RS256'}", "ok" }, /* One key has the algorithm. */
        { bench.ed, "EdDSA", "{'alg':'EdDSA'}", "ok" },
        { bench.rsa, "RS256", "{'alg':'PS256','kid':'r'}", "bad-signature" },
        { bench.rsa, "PS256", "{'alg':'RS256','kid':'r'}", "bad-signature" },
        /* The algorithm does not fit the key that the token names. */
        { bench.rsa, "RS256", "{'alg':'RS256','kid':'c'}", "wrong-algorithm" },
        { bench.rsa, "RS256", "{'alg':'ES256','kid':'r'}", "wrong-algorithm" },
        { bench.ec, "ES256", "{'alg':'ES256','kid':'d'}", "wrong-algorithm" },
        { bench.ed, "EdDSA", "{'alg':'EdDSA','kid':'r'}", "wrong-algorithm" },
        { bench.ed, "EdDSA", "{'alg':'ES256','kid':'c'}", "bad-signature" },
        /* Names and algorithms that we do not have. */
        { bench.rsa, "RS256", "{'alg':'RS256','kid':'x'}", "unknown-signing-key" },
        { bench.rsa, "RS256", "{'alg':'RS256','kid':'R'}", "unknown-signing-key" },
        { bench.rsa, "RS256", "{'alg':'RS384','kid':'r'}", "wrong-algorithm" },
        { bench.rsa, "RS256", "{'alg':'rs256','kid':'r'}", "wrong-algorithm" },
        { bench.rsa, "RS256", "{'alg':'RS256 ','kid':'r'}", "wrong-algorithm" },
        { bench.rsa, "RS256", "{'alg':'none','kid':'r'}", "wrong-algorithm" },
        { bench.rsa, "RS256", "{'alg':'None'}", "wrong-algorithm" },
        { bench.rsa, "RS256", "{'alg':'HS256','kid':'r'}", "wrong-algorithm" },
        { bench.other_rsa, "RS256", "{'alg':'RS256','kid':'r'}", "bad-signature" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *got = checked(token_of(cases[i].key, cases[i].how, cases[i].header, "{'sub':'a'}"), set);
        if (strcmp(got, cases[i].want) != 0) fail_msg("%s: %s", cases[i].header, got);
    }
    jwk_set_free(set);
}

static void a_token_without_a_signature_is_refused(void **state)
{
    static const char *const headers[] = { "{'alg':'none'}", "{'alg':'NONE'}", "{'alg':'RS256'}",
                                           "{'alg':''}" };
    struct jwk_set *set = set_of_keys(jwk_of(bench.rsa, ""), NULL);
    (void)state;
    for (size_t i = 0; i < COUNT(headers); i++) {
        str text = text_to_sign(headers[i], "{'sub':'admin'}");
        assert_string_equal(checked(text, set), "malformed");
        assert_string_equal(checked(with_signature(text, STR_NONE), set), "malformed");
    }
    jwk_set_free(set);
}

/* The public key is known to everybody: a checker that takes it as a shared secret believes anybody. */
static void the_public_key_is_no_secret(void **state)
{
    struct jwk_set *set = set_of_keys(jwk_of(bench.rsa, "'kid':'r',"), NULL);
    str secrets[] = { pem_of(bench.rsa), str_trim(pem_of(bench.rsa)), str_of(jwk_of(bench.rsa, "")) };
    (void)state;
    for (size_t i = 0; i < COUNT(secrets); i++) {
        str text = text_to_sign("{'alg':'HS256','kid':'r'}", "{'sub':'admin'}");
        unsigned char mac[32];
        assert_non_null(HMAC(EVP_sha256(), secrets[i].p, (int)secrets[i].n, (const unsigned char *)text.p,
                             text.n, mac, NULL));
        assert_string_equal(checked(with_signature(text, (str){ (char *)mac, sizeof mac }), set),
                            "wrong-algorithm");
    }
    jwk_set_free(set);
}

static void a_key_that_says_its_algorithm_has_no_other(void **state)
{
    struct jwk_set *set = set_of_keys(jwk_of(bench.rsa, "'kid':'r','alg':'RS256',"), NULL);
    (void)state;
    assert_string_equal(checked(token_of(bench.rsa, "RS256", "{'alg':'RS256'}", "{}"), set), "ok");
    assert_string_equal(checked(token_of(bench.rsa, "PS256", "{'alg':'PS256'}", "{}"), set),
                        "wrong-algorithm");
    jwk_set_free(set);
}

/* Keys that a token brings along, or addresses where they are, prove nothing. */
static void embedded_keys_are_not_looked_at(void **state)
{
    struct jwk_set *set = set_of_keys(jwk_of(bench.rsa, "'kid':'r',"), NULL);
    const char *jwk = jwk_of(bench.other_rsa, "'kid':'r',");
    (void)state;
    const char *headers[] = {
        arena_printf(&bench.arena, "{'alg':'RS256','kid':'r','jwk':%s}", jwk).p,
        "{'alg':'RS256','kid':'r','jku':'http://127.0.0.1:1/keys'}",
        "{'alg':'RS256','kid':'r','x5u':'http://127.0.0.1:1/cert','x5c':['MIIB']}",
        "{'alg':'RS256','kid':'../../dev/null'}",
    };
    for (size_t i = 0; i < COUNT(headers); i++) {
        str forged = token_of(bench.other_rsa, "RS256", headers[i], "{'sub':'admin'}");
        assert_string_equal(checked(forged, set), i < 3 ? "bad-signature" : "unknown-signing-key");
        if (i == 3) continue;
        assert_string_equal(checked(token_of(bench.rsa, "RS256", headers[i], "{}"), set), "ok");
    }
    jwk_set_free(set);
}

/* Without a kid a few keys are tried, and only those of the algorithm. */
static void a_token_without_a_kid_tries_a_few_keys(void **state)
{
    struct buf text;
    (void)state;
    for (size_t others = 1; others <= TOKEN_TRIES_MAX; others++) {
        buf_init(&text, &bench.arena);
        buf_printf(&text, "{\"keys\":[%s", jwk_of(bench.ec, "'kid':'c',"));
        for (size_t i = 0; i < others; i++)
            buf_printf(&text, ",%s",
                       jwk_of(bench.other_rsa, arena_printf(&bench.arena, "'kid':'o%zu',", i).p));
        buf_printf(&text, ",%s]}", jwk_of(bench.rsa, "'kid':'r',"));
        struct jwk_set *set = set_of(arena_str(&bench.arena, buf_str(&text)).p);
        str token = token_of(bench.rsa, "RS256", "{'alg':'RS256'}", "{}");
        assert_string_equal(checked(token, set), others < TOKEN_TRIES_MAX ? "ok" : "unknown-signing-key");
        assert_string_equal(checked(token_of(bench.rsa, "RS256", "{'alg':'RS256','kid':'r'}", "{}"), set),
                            "ok");
        jwk_set_free(set);
    }
}

/* A provider may name keys of two kinds alike. The algorithm tells them apart. */
static void keys_of_one_name_are_told_apart(void **state)
{
    struct jwk_set *set = set_of_keys(jwk_of(bench.ec, "'kid':'k',"), jwk_of(bench.rsa, "'kid':'k',"));
    (void)state;
    assert_string_equal(checked(token_of(bench.rsa, "RS256", "{'alg':'RS256','kid':'k'}", "{}"), set), "ok");
    assert_string_equal(checked(token_of(bench.ec, "ES256", "{'alg':'ES256','kid':'k'}", "{}"), set), "ok");
    jwk_set_free(set);
}

/* Keys in PEM have no names, so that any name may mean them. */
static void keys_without_a_name_are_tried_for_any(void **state)
{
    struct jwk_set *set =
        set_of(arena_printf(&bench.arena, "%s\n%s", pem_of(bench.other_rsa).p, pem_of(bench.rsa).p).p);
    (void)state;
    assert_int_equal(jwk_set_count(set), 2);
    assert_string_equal(checked(token_of(bench.rsa, "RS256", "{'alg':'RS256','kid':'any'}", "{}"), set),
                        "ok");
    assert_string_equal(checked(token_of(bench.rsa, "PS256", "{'alg':'PS256'}", "{}"), set), "ok");
    assert_string_equal(checked(token_of(bench.ec, "ES256", "{'alg':'ES256'}", "{}"), set),
                        "wrong-algorithm");
    jwk_set_free(set);
}

static void every_changed_character_is_noticed(void **state)
{
    struct jwk_set *set = set_of_keys(jwk_of(bench.ec, ""), NULL);
    str token = token_of(bench.ec, "ES256", "{'alg':'ES256'}", "{'sub':'ada','exp':1}");
    (void)state;
    assert_string_equal(checked(token, set), "ok");
    for (size_t i = 0; i < token.n; i++) {
        char *copy = memcpy(arena_alloc(&bench.arena, token.n), token.p, token.n);
        copy[i] = copy[i] == 'A' ? 'B' : 'A';
        assert_string_not_equal(checked((str){ copy, token.n }, set), "ok");
    }
    for (size_t n = 0; n < token.n; n++) assert_string_not_equal(checked(str_slice(token, 0, n), set), "ok");
    jwk_set_free(set);
}

static void signatures_of_the_wrong_length_are_refused(void **state)
{
    struct jwk_set *set =
        set_of(arena_printf(&bench.arena, "{\"keys\":[%s,%s,%s]}", jwk_of(bench.rsa, "'kid':'r',"),
                            jwk_of(bench.ec, "'kid':'c',"), jwk_of(bench.ed, "'kid':'d',"))
                   .p);
    static const char *const headers[] = { "{'alg':'RS256'}", "{'alg':'PS256'}", "{'alg':'ES256'}",
                                           "{'alg':'EdDSA'}" };
    static const size_t lengths[] = { 1, 31, 32, 63, 64, 65, 72, 255, 256, 257, 1024 };
    char bytes[1024] = "";
    (void)state;
    for (size_t i = 0; i < COUNT(headers); i++)
        for (size_t k = 0; k < COUNT(lengths); k++) {
            str text = text_to_sign(headers[i], "{}");
            assert_string_equal(checked(with_signature(text, (str){ bytes, lengths[k] }), set),
                                "bad-signature");
        }
    /* r = s = 0, which careless checkers of ECDSA took for a signature of anything, is among them. */
    jwk_set_free(set);
}

static void other_forms_of_base64_are_refused(void **state)
{
    struct jwk_set *set = set_of_keys(jwk_of(bench.rsa, ""), NULL);
    str token = token_of(bench.rsa, "RS256", "{'alg':'RS256'}", "{'sub':'ada1'}");
    (void)state;
    assert_string_equal(checked(token, set), "ok");
    size_t first = str_find(token, STR("."), 0), second = str_find(token, STR("."), first + 1);
    const struct {
        size_t at;
        const char *added;
    } cases[] = { { first, "=" },      { first, "==" }, { second, "=" }, { token.n, "=" },
                  { token.n, "==" },   { 0, " " },      { first, "\n" }, { second, " " },
                  { token.n, "\r\n" }, { 0, "\t" },     { second, "." }, { token.n, "." },
                  { token.n, ".e30" }, { 0, "." },      { 0, "Bearer " } };
    for (size_t i = 0; i < COUNT(cases); i++) {
        str text = arena_printf(&bench.arena, "%.*s%s%s", (int)cases[i].at, token.p, cases[i].added,
                                token.p + cases[i].at);
        assert_string_equal(checked(text, set), "malformed");
    }
    /* 256 bytes leave four bits over in the last character: an encoder writes them as 0. */
    char *copy = memcpy(arena_alloc(&bench.arena, token.n), token.p, token.n);
    copy[token.n - 1]++;
    assert_string_equal(checked((str){ copy, token.n }, set), "malformed");
    jwk_set_free(set);
}

static void headers_and_claims_of_a_wrong_form_are_refused(void **state)
{
    static const struct {
        const char *header, *claims;
    } cases[] = {
        { "{'alg':'RS256','alg':'none'}", "{}" },
        { "{'alg':'RS256','kid':'a','kid':'b'}", "{}" },
        { "{'alg':'RS256','\\u0061lg':'none'}", "{}" },
        { "{'alg':'RS256'}", "{'sub':'ada','sub':'admin'}" },
        { "{'alg':'RS256'}", "{'a':{'roles':1,'roles':2}}" },
        { "{'alg':'RS256','crit':['exp']}", "{}" },
        { "{'alg':'RS256','crit':[]}", "{}" },
        { "{'alg':'RS256','crit':null}", "{}" },
        { "{'alg':'RS256','crit':['b64'],'b64':false}", "{}" },
        { "{'alg':['RS256']}", "{}" },
        { "{'alg':null}", "{}" },
        { "{'typ':'JWT'}", "{}" },
        { "{'alg':'RS256','kid':1}", "{}" },
        { "{'alg':'RS256','kid':null}", "{}" },
        { "{'alg':'RS256','typ':{}}", "{}" },
        { "['alg','RS256']", "{}" },
        { "'RS256'", "{}" },
        { "", "{}" },
        { "{'alg':'RS256'} {}", "{}" },
        { "{'alg':'RS256'}", "[]" },
        { "{'alg':'RS256'}", "'ada'" },
        { "{'alg':'RS256'}", "" },
        { "{'alg':'RS256'}", "{'sub':'\xff'}" },
        { "{'alg':'RS256'}", "{'sub':'\\ud800'}" },
        { "{'alg':'RS256'}", "\xEF\xBB\xBF{}" },
    };
    struct jwk_set *set = set_of_keys(jwk_of(bench.rsa, ""), NULL);
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *got = checked(token_of(bench.rsa, "RS256", cases[i].header, cases[i].claims), set);
        if (strcmp(got, "malformed") != 0) fail_msg("%s %s: %s", cases[i].header, cases[i].claims, got);
    }
    jwk_set_free(set);
}

static void large_and_deep_tokens_are_refused(void **state)
{
    struct jwk_set *set = set_of_keys(jwk_of(bench.rsa, ""), NULL);
    (void)state;
    for (int depth = 1; depth <= 2000; depth = depth < 64 ? depth + 1 : depth * 4) {
        struct buf claims;
        buf_init(&claims, &bench.arena);
        for (int i = 0; i < depth; i++) buf_add_str(&claims, i ? STR("[") : STR("{'a':"));
        buf_add_char(&claims, '1');
        for (int i = depth; i--;) buf_add_str(&claims, i ? STR("]") : STR("}"));
        buf_add_char(&claims, '\0');
        assert_string_equal(checked(token_of(bench.rsa, "RS256", "{'alg':'RS256'}", claims.p), set),
                            depth <= TOKEN_DEPTH_MAX ? "ok" : "malformed");
    }
    char *fill = memset(arena_alloc(&bench.arena, TOKEN_BYTES_MAX), 'x', TOKEN_BYTES_MAX);
    for (int n = 11000; n < TOKEN_BYTES_MAX; n += 500) {
        str token = token_of(bench.rsa, "RS256", "{'alg':'RS256'}",
                             arena_printf(&bench.arena, "{'a':'%.*s'}", n, fill).p);
        assert_string_equal(checked(token, set), token.n <= TOKEN_BYTES_MAX ? "ok" : "malformed");
    }
    jwk_set_free(set);
}

/* A refusal goes to the list that admins read: it must not have parts of the token. */
static void messages_do_not_quote_the_token(void **state)
{
    struct jwk_set *set = set_of_keys(jwk_of(bench.rsa, "'kid':'r',"), NULL);
    str token = token_of(bench.rsa, "RS256", "{'alg':'planted','kid':'planted'}", "{'sub':'planted'}");
    struct token_text parts;
    struct error err = { 0 };
    (void)state;
    assert_int_equal(token_parse(token, &bench.arena, &parts, &err), ST_OK);
    assert_int_equal(token_verify(&parts, set, &err), ST_UNAUTHORIZED);
    assert_null(strstr(err.message, "planted"));
    assert_int_equal(token_parse(str_slice(token, 0, 40), &bench.arena, &parts, &err), ST_UNAUTHORIZED);
    assert_int_equal(str_find(str_of(err.message), str_slice(token, 0, 8), 0), SIZE_MAX);
    jwk_set_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        token_test(each_algorithm_has_its_key),
        token_test(a_token_without_a_signature_is_refused),
        token_test(the_public_key_is_no_secret),
        token_test(a_key_that_says_its_algorithm_has_no_other),
        token_test(embedded_keys_are_not_looked_at),
        token_test(a_token_without_a_kid_tries_a_few_keys),
        token_test(keys_of_one_name_are_told_apart),
        token_test(keys_without_a_name_are_tried_for_any),
        token_test(every_changed_character_is_noticed),
        token_test(signatures_of_the_wrong_length_are_refused),
        token_test(other_forms_of_base64_are_refused),
        token_test(headers_and_claims_of_a_wrong_form_are_refused),
        token_test(large_and_deep_tokens_are_refused),
        token_test(messages_do_not_quote_the_token),
    };
    return cmocka_run_group_tests(tests, make_signers, free_signers);
}
