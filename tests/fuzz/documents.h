/* tests/fuzz/documents.h — definitions whose instances the stored forms are about. The first
 * byte of an input chooses one, so their order is part of the corpora. Written with ' for ". */
#ifndef TESTS_FUZZ_DOCUMENTS_H
#define TESTS_FUZZ_DOCUMENTS_H

#include "fuzz.h"

#include "source/source.h"

static const char *const documents[] = {
    /* Everything that a state can hold: a scope, a join, jobs, timers, a person, a signal. */
    "{'id':'fork','name':'f','steps':["
    "{'id':'f','name':'f','type':'PARALLEL_GATEWAY','parallelNextSteps':['a','b','p','w'],'joinStep':'j'},"
    "{'id':'a','name':'a','type':'SERVICE_TASK','jobType':'a','nextStep':'j','retryCount':3,"
    "'retryBackoff':{'initial':'PT1S','factor':2,'max':'PT1M'}},"
    "{'id':'b','name':'b','type':'SERVICE_TASK','jobType':'b','nextStep':'j','boundaryEvents':["
    "{'type':'TIMER','duration':'PT1H','interrupting':true,'targetStepId':'x'},"
    "{'type':'TIMER','duration':'P1D','interrupting':false,'targetStepId':'x'}]},"
    "{'id':'x','name':'x','type':'SERVICE_TASK','jobType':'x','nextStep':'j'},"
    "{'id':'p','name':'p','type':'USER_TASK','nextStep':'j'},"
    "{'id':'w','name':'w','type':'WAIT','nextStep':'j'},"
    "{'id':'j','name':'j','type':'JOIN_GATEWAY','nextStep':'e'},"
    "{'id':'e','name':'e','type':'END'}]}",

    /* A loop that computes, decides, and can fail in each way. */
    "{'id':'loop','name':'l','autoStartNextWorkflow':true,'nextWorkflowId':'other','steps':["
    "{'id':'a','name':'a','type':'SERVICE_TASK','jobType':'a','nextStep':'s'},"
    "{'id':'s','name':'s','type':'TRANSFORMATION','transformations':{'n':'${n + 1}','m':[1,{'k':null}]},'nextStep':'t'},"
    "{'id':'t','name':'t','type':'DECISION_TABLE','hitPolicy':'F','decisionTable':{'rules':["
    "{'when':{'n':'n > 3'},'outputs':{'ok':true}},{'outputs':{'ok':'${n / (n - 2) > 0}'}}]},'nextStep':'d'},"
    "{'id':'d','name':'d','type':'DECISION','conditionalNextSteps':{'ok':'e','n < 9':'a'}},"
    "{'id':'e','name':'e','type':'END'}]}",

    /* A fork in a loop, and a timer that adds tokens. */
    "{'id':'again','name':'g','steps':["
    "{'id':'f','name':'f','type':'PARALLEL_GATEWAY','parallelNextSteps':['a','b'],'joinStep':'j'},"
    "{'id':'a','name':'a','type':'SERVICE_TASK','jobType':'a','nextStep':'j','boundaryEvents':["
    "{'type':'TIMER','duration':'PT1S','targetStepId':'b'}]},"
    "{'id':'b','name':'b','type':'USER_TASK','nextStep':'j'},"
    "{'id':'j','name':'j','type':'JOIN_GATEWAY','nextStep':'d'},"
    "{'id':'d','name':'d','type':'USER_TASK','conditionalNextSteps':{'n > 5':'e','true':'f'}},"
    "{'id':'e','name':'e','type':'END'}]}",
};

/* Compiled once and kept. */
static inline const struct program *document_program(size_t index)
{
    static struct program *programs[COUNT(documents)];
    if (programs[index]) return programs[index];
    struct arena arena;
    struct problems problems;
    arena_init(&arena, 0);
    problems_init(&problems, &arena);
    str text = arena_str(&arena, str_of(documents[index]));
    char *copy = arena_alloc(&arena, text.n);
    for (size_t i = 0; i < text.n; i++) copy[i] = text.p[i] == '\'' ? '"' : text.p[i];
    programs[index] = source_compile((str){ copy, text.n }, SOURCE_JSON, text.n, &problems, NULL);
    must(programs[index]);
    arena_done(&arena);
    return programs[index];
}

/* Behind the bytes goes the checksum that makes the decoder look at them. */
static inline str document_signed(str body, struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    uint64_t checksum = hash_bytes(body);
    buf_add_str(&out, body);
    buf_add(&out, &checksum, sizeof checksum);
    return buf_str(&out);
}

#endif
