/* app/routes.ts — a line per page: its pattern, its code (loaded when it is first shown), its place in the navigation.
 * Addresses that other pages link to are built by ui/addresses.ts. */
import { type ComponentType, lazy, type LazyExoticComponent } from 'react';

import type { IconName } from '../ui/icon';

export interface Route {
  readonly pattern: string;
  readonly page: LazyExoticComponent<ComponentType>;
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
    page: lazy(() => import('../pages/builder/gallery-page').then((it) => ({ default: it.GalleryPage }))),
  },
  {
    pattern: '/builder/:id',
    page: lazy(() => import('../pages/builder/builder-page').then((it) => ({ default: it.BuilderPage }))),
  },
  {
    pattern: '/',
    page: lazy(() => import('../pages/home/home-page').then((it) => ({ default: it.HomePage }))),
  },
  {
    pattern: '/flows',
    page: lazy(() => import('../pages/flows/flows-page').then((it) => ({ default: it.FlowsPage }))),
  },
  {
    pattern: '/flows/:id',
    page: lazy(() => import('../pages/flows/flow-page').then((it) => ({ default: it.FlowPage }))),
  },
  {
    pattern: '/flows/:id/compare',
    page: lazy(() => import('../pages/flows/compare-page').then((it) => ({ default: it.ComparePage }))),
  },
  {
    pattern: '/runs',
    page: lazy(() => import('../pages/runs/runs-page').then((it) => ({ default: it.RunsPage }))),
  },
  {
    pattern: '/runs/:id',
    page: lazy(() => import('../pages/run/run-page').then((it) => ({ default: it.RunPage }))),
  },
  {
    pattern: '/inbox/:task?',
    page: lazy(() => import('../pages/inbox/inbox-page').then((it) => ({ default: it.InboxPage }))),
  },
  {
    pattern: '/entities',
    page: lazy(() => import('../pages/entities/entities-page').then((it) => ({ default: it.EntitiesPage }))),
  },
  {
    pattern: '/entities/id/:id',
    page: lazy(() => import('../pages/entities/entity-page').then((it) => ({ default: it.EntityPage }))),
  },
  {
    pattern: '/entities/:name/:version',
    page: lazy(() => import('../pages/entities/model-page').then((it) => ({ default: it.ModelPage }))),
  },
  {
    pattern: '/triggers',
    page: lazy(() => import('../pages/triggers/triggers-page').then((it) => ({ default: it.TriggersPage }))),
  },
  {
    pattern: '/tables',
    page: lazy(() => import('../pages/tables/tables-page').then((it) => ({ default: it.TablesPage }))),
  },
  {
    pattern: '/tables/:id/:step',
    page: lazy(() => import('../pages/tables/table-page').then((it) => ({ default: it.TablePage }))),
  },
  {
    pattern: '/workers',
    page: lazy(() => import('../pages/workers/workers-page').then((it) => ({ default: it.WorkersPage }))),
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
