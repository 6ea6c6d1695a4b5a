/* tests/fuzz/documents.h — definitions whose instances the stored forms are about. The first
 * byte of an input chooses one, so their order is part of the corpora. Written with ' for ". */
#ifndef TESTS_FUZZ_DOCUMENTS_H
#define TESTS_FUZZ_DOCUMENTS_H

#include "fuzz.h"

#include "source/source.h"

enum { FLOW_DOCUMENT = 3 }; /* The first whose data may be anything. */

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
    "{'id':'s','name':'s','type':'TRANSFORMATION','transformations':{'n':'${n + "
    "1}','m':[1,{'k':null}]},'nextStep':'t'},"
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

    /* Regions inside regions, awaited and not; jobs of all performers; events with a token. */
    "{'id':'flow','name':'w','startsAt':'E','onError':[{'condition':'$.exception.name eq "
    "\\'E1\\'','transition':'L'}],"
    "'triggers':[{'name':'a','source':'/s','type':'a','correlationToken':'subject'},{'name':'b','source':'/"
    "s','type':'b'}],"
    "'functions':[{'name':'f','resource':'local:f'},{'name':'g','resource':'http://x/"
    "{n}'},{'name':'h','resource':'http://x/','type':'emit'}],"
    "'states':[{'name':'E','type':'EVENT','eventActions':[{'condition':'a and "
    "b','timeout':'PT1S','actions':[],'transition':'P'},"
    "{'condition':'a and not "
    "b','timeout':'PT2S','actions':[{'functionref':{'refname':'f'}}],'transition':'P'}],"
    "'onError':[{'condition':'$.exception != null','transition':'P'}]},"
    "{'name':'P','type':'PARALLEL','branches':[{'name':'x','waitForCompletion':true,'startsAt':'X','states':["
    "{'name':'X','type':'OPERATION',"
    "'actionMode':'PARALLEL','actions':[{'functionref':{'refname':'f'},'timeout':'PT5S','retry':[{'condition'"
    ":'$.exception != null',"
    "'interval':'PT1S','max':2},{'condition':'$.again == "
    "true','max':1}]},{'functionref':{'refname':'g'}}],'end':true}]},"
    "{'name':'y','startsAt':'Y','states':[{'name':'Y','type':'PARALLEL','branches':[{'name':'p','startsAt':'"
    "D','states':["
    "{'name':'D','type':'DELAY','timeDelay':'PT1H','end':true}]},{'name':'q','startsAt':'W','states':[{'name'"
    ":'W','type':'EVENT',"
    "'eventActions':[{'condition':'b','actions':[]}],'end':true}]}],'end':true}]}],'transition':'L'},"
    "{'name':'L','type':'SUBFLOW','workflowId':'kid','waitForCompletion':true,'loop':{'inputCollection':'$."
    "list','outputCollection':'$.out',"
    "'timeDelay':'PT1S'},'transition':{'nextState':'H','condition':'$.n != 7'}},"
    "{'name':'H','type':'OPERATION','actions':[{'functionref':{'refname':'h','parameters':{'all':'$','n':['$."
    "n']}}}],'end':true}]}",

    /* A circle that retries, decides and waits. */
    "{'id':'circle','name':'c','startsAt':'S','functions':[{'name':'f','resource':'local:f'}],'states':["
    "{'name':'S','type':'OPERATION','actions':[{'functionref':{'refname':'f'},'retry':[{'condition':'$.n == "
    "1','interval':'R1/PT1S',"
    "'transition':'T'},{'condition':'$.exception.name eq "
    "\\'E1\\'','interval':'R/PT1S'}]},{'functionref':{'refname':'f'},"
    "'filter':{'resultPath':'$.r.s','outputPath':'$.r'}}],'transition':'T'},"
    "{'name':'T','type':'SWITCH','choices':[{'path':'$.n','operator':'GreaterThan','value':'3','transition':'"
    "U'}],'default':'V',"
    "'onError':[{'condition':'$.exception != null','transition':'V'}]},"
    "{'name':'U','type':'DELAY','timeDelay':'PT1M','transition':'S'},"
    "{'name':'V','type':'RELAY','inject':{'n':4},'filter':{'inputPath':'$.o','outputPath':'$..b'},'end':true}"
    "]}",
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
