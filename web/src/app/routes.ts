/* app/routes.ts — a line per page: its pattern, its code (loaded when it is first shown), its place in the navigation.
 * Addresses that other pages link to are built by ui/addresses.ts. */
import type { IconName } from '../ui/icon';
import { type PageCode, pageCode } from './page-code';

export interface Route {
  readonly pattern: string;
  readonly code: PageCode;
}

export interface NavItem {
  readonly href: string;
  readonly word: string;
  readonly icon: IconName;
  readonly group: '' | 'Work' | 'Set-up';
}

export const ROUTES: readonly Route[] = [
  {
    pattern: '/builder',
    code: pageCode(() => import('../pages/builder/gallery-page').then((it) => it.GalleryPage)),
  },
  {
    pattern: '/builder/:id',
    code: pageCode(() => import('../pages/builder/builder-page').then((it) => it.BuilderPage)),
  },
  {
    pattern: '/',
    code: pageCode(() => import('../pages/home/home-page').then((it) => it.HomePage)),
  },
  {
    pattern: '/flows',
    code: pageCode(() => import('../pages/flows/flows-page').then((it) => it.FlowsPage)),
  },
  {
    pattern: '/flows/:id',
    code: pageCode(() => import('../pages/flows/flow-page').then((it) => it.FlowPage)),
  },
  {
    pattern: '/flows/:id/compare',
    code: pageCode(() => import('../pages/flows/compare-page').then((it) => it.ComparePage)),
  },
  {
    pattern: '/runs',
    code: pageCode(() => import('../pages/runs/runs-page').then((it) => it.RunsPage)),
  },
  {
    pattern: '/runs/:id',
    code: pageCode(() => import('../pages/run/run-page').then((it) => it.RunPage)),
  },
  {
    pattern: '/inbox/:task?',
    code: pageCode(() => import('../pages/inbox/inbox-page').then((it) => it.InboxPage)),
  },
  {
    pattern: '/entities',
    code: pageCode(() => import('../pages/entities/entities-page').then((it) => it.EntitiesPage)),
  },
  {
    pattern: '/entities/id/:id',
    code: pageCode(() => import('../pages/entities/entity-page').then((it) => it.EntityPage)),
  },
  {
    pattern: '/entities/:name/:version',
    code: pageCode(() => import('../pages/entities/model-page').then((it) => it.ModelPage)),
  },
  {
    pattern: '/triggers',
    code: pageCode(() => import('../pages/triggers/triggers-page').then((it) => it.TriggersPage)),
  },
  {
    pattern: '/tables',
    code: pageCode(() => import('../pages/tables/tables-page').then((it) => it.TablesPage)),
  },
  {
    pattern: '/tables/:id/:step',
    code: pageCode(() => import('../pages/tables/table-page').then((it) => it.TablePage)),
  },
  {
    pattern: '/workers',
    code: pageCode(() => import('../pages/workers/workers-page').then((it) => it.WorkersPage)),
  },
];

export const NAV: readonly NavItem[] = [
  { href: '/', word: 'Home', icon: 'home', group: '' },
  { href: '/flows', word: 'Flows', icon: 'flows', group: 'Work' },
  { href: '/runs', word: 'Runs', icon: 'runs', group: 'Work' },
  { href: '/inbox', word: 'Inbox', icon: 'inbox', group: '' },
  { href: '/entities', word: 'Entities', icon: 'entity', group: 'Work' },
  { href: '/triggers', word: 'Triggers', icon: 'trigger', group: 'Set-up' },
  { href: '/tables', word: 'Decision tables', icon: 'table', group: 'Set-up' },
  { href: '/workers', word: 'Workers', icon: 'worker', group: 'Set-up' },
];
