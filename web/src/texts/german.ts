/* texts/german.ts — where the German texts of each area come from: a chunk each. */
import type { Area, EngineTexts, Tables } from './shape';

export const GERMAN_OF_ENGINE = (): Promise<EngineTexts> => import('./de/engine').then((it) => it.engine);

export const GERMAN: { readonly [A in Area]: () => Promise<Tables[A]> } = {
  access: () => import('./de/access').then((it) => it.access),
  account: () => import('./de/account').then((it) => it.account),
  app: () => import('./de/app').then((it) => it.app),
  audit: () => import('./de/audit').then((it) => it.audit),
  builder: () => import('./de/builder').then((it) => it.builder),
  connections: () => import('./de/connections').then((it) => it.connections),
  docs: () => import('./de/docs').then((it) => it.docs),
  entities: () => import('./de/entities').then((it) => it.entities),
  flow: () => import('./de/flow').then((it) => it.flow),
  flows: () => import('./de/flows').then((it) => it.flows),
  form: () => import('./de/form').then((it) => it.form),
  gallery: () => import('./de/gallery').then((it) => it.gallery),
  home: () => import('./de/home').then((it) => it.home),
  inbox: () => import('./de/inbox').then((it) => it.inbox),
  login: () => import('./de/login').then((it) => it.login),
  panel: () => import('./de/panel').then((it) => it.panel),
  run: () => import('./de/run').then((it) => it.run),
  runs: () => import('./de/runs').then((it) => it.runs),
  serverless: () => import('./de/serverless').then((it) => it.serverless),
  steps: () => import('./de/steps').then((it) => it.steps),
  tables: () => import('./de/tables').then((it) => it.tables),
  trial: () => import('./de/trial').then((it) => it.trial),
  triggers: () => import('./de/triggers').then((it) => it.triggers),
  ui: () => import('./de/ui').then((it) => it.ui),
  workers: () => import('./de/workers').then((it) => it.workers),
};
