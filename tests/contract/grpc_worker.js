// A worker as the original's SDK for Node is in gRPC mode: polls with maxJobs = concurrency and leaseSeconds = 0, completes or
// fails each job, and rejects when an answer is not OK. It prints what it saw as one line of JSON.
//
//     node grpc_worker.js MODULES PROTO TARGET JOB_TYPE ROUNDS
'use strict'
const [modules, protoDir, target, jobType, rounds] = process.argv.slice(2)
const load = (name) => require(require.resolve(name, { paths: [modules] }))
const grpc = load('@grpc/grpc-js')
const loader = load('@grpc/proto-loader')

const description = loader.loadSync('workflow/v1/engine.proto', {
  includeDirs: [protoDir], keepCase: false, longs: Number, enums: String, defaults: true, oneofs: true,
})
const stub = new (grpc.loadPackageDefinition(description).workflow.v1.WorkflowEngine)(target, grpc.credentials.createInsecure())
const call = (method, request) =>
  new Promise((resolve, reject) => stub[method](request, (error, answer) => (error ? reject(error) : resolve(answer))))

// ---- plain objects and google.protobuf.Struct ----

function toValue(value) {
  if (value === null) return { nullValue: 'NULL_VALUE' }
  if (typeof value === 'number') return { numberValue: value }
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (Array.isArray(value)) return { listValue: { values: value.map(toValue) } }
  return { structValue: toStruct(value) }
}

function toStruct(object) {
  return { fields: Object.fromEntries(Object.entries(object).map(([name, value]) => [name, toValue(value)])) }
}

function fromValue(value) {
  if (value.kind === 'listValue') return value.listValue.values.map(fromValue)
  if (value.kind === 'structValue') return fromStruct(value.structValue)
  return value.kind === 'nullValue' ? null : value[value.kind]
}

function fromStruct(object) {
  return Object.fromEntries(Object.entries(object.fields).map(([name, value]) => [name, fromValue(value)]))
}

// ---- the worker ----

async function work() {
  const seen = []
  for (let round = 0; round < Number(rounds); round++) {
    const { jobs } = await call('pollJobs', { workerId: 'node-1', jobTypes: [jobType], maxJobs: 64, leaseSeconds: 0 })
    for (const job of jobs) {
      const variables = fromStruct(job.variables)
      seen.push({ variables, stepId: job.stepId, retriesRemaining: job.retriesRemaining })
      if (variables.fail) {
        const errorMessage = `no luck with ${job.retriesRemaining}`
        await call('failJob', { jobId: job.id, workerId: 'node-1', retryable: true, errorMessage })
      } else {
        await call('completeJob', { jobId: job.id, workerId: 'node-1', variablesToSet: toStruct({ doubled: variables.n * 2, list: [null, 'x', { y: true }] }) })
        await call('completeJob', { jobId: job.id, workerId: 'node-1' }) // Stale: it must not kill the worker.
      }
    }
  }
  return seen
}

// ---- a client ----

// Maps keep their order in this language, so branches are tried in the order in which they are written.
async function deploy(id) {
  const steps = [
    { id: 'work', name: 'Work', type: 'STEP_TYPE_SERVICE_TASK', jobType, retryCount: 1, nextStep: 'choose' },
    { id: 'choose', name: 'Choose', type: 'STEP_TYPE_DECISION', conditionalNextSteps: { 'doubled > 4': 'much', 'true': 'little', 'doubled > 100': 'never' } },
    ...['much', 'little', 'never'].map((name) => ({ id: name, name, type: 'STEP_TYPE_END' })),
  ]
  const { version } = await call('uploadDefinition', { definition: { id, name: id, steps } })
  const { document } = await call('getDefinition', { id })
  return { version, branches: Object.keys(JSON.parse(document).steps[1].conditionalNextSteps) }
}

async function start(definitionId, variables) {
  const { instance } = await call('startInstance', { definitionId, variables: toStruct(variables) })
  return instance.id
}

async function ended(id) {
  const { instance } = await call('getInstance', { id })
  const { executions } = await call('getInstanceHistory', { id })
  return { status: instance.status, failureReason: instance.failureReason, variables: fromStruct(instance.variables), last: executions[executions.length - 1].stepId }
}

async function main() {
  const definition = jobType + '-flow'
  const deployed = await deploy(definition)
  const ids = []
  for (const variables of [{ n: 1 }, { n: 3 }, { fail: true }]) ids.push(await start(definition, variables))
  const seen = await work()
  const { instances, total } = await call('listInstances', { definitionId: definition, pageSize: 2 })
  const code = await call('getInstance', { id: 'nobody' }).catch((error) => `${error.code} ${error.details}`)
  console.log(JSON.stringify({ deployed, seen, ended: await Promise.all(ids.map(ended)), listed: instances.length, total, code }))
  stub.close()
}

main().catch((error) => { console.error(error); process.exit(1) })
