/* app/routes.ts — a line per page: its pattern, its code (loaded when it is first shown), its place in the navigation.
 * Addresses that other pages link to are built by ui/addresses.ts. */
import type { IconName } from '../ui/icon';
import type { May } from '../ui/may';
import type { Permission } from '../ui/permissions';
import { t } from '../texts/app';
import { type PageCode, pageCode } from './page-code';

export interface Route {
  readonly pattern: string;
  /** With the texts of the page, which come first. */
  readonly code: PageCode;
  /** The permission that the page's first question needs; absent: everybody who is signed in has it. */
  readonly needs?: Permission;
}

export interface NavItem {
  readonly needs: Permission;
  readonly href: string;
  readonly word: string;
  readonly icon: IconName;
  readonly group: '' | 'work' | 'setUp';
}

export const ROUTES: readonly Route[] = [
  {
    pattern: '/builder',
    needs: 'definitions:write',
    code: pageCode(['builder', 'panel', 'steps', 'trial', 'gallery'], () =>
      import('../pages/builder/gallery-page').then((it) => it.GalleryPage),
    ),
  },
  {
    pattern: '/builder/:id',
    needs: 'definitions:write',
    code: pageCode(['builder', 'panel', 'steps', 'trial'], () =>
      import('../pages/builder/builder-page').then((it) => it.BuilderPage),
    ),
  },
  {
    pattern: '/',
    needs: 'metrics:read',
    code: pageCode(['home'], () => import('../pages/home/home-page').then((it) => it.HomePage)),
  },
  {
    pattern: '/flows',
    needs: 'definitions:read',
    code: pageCode(['flows'], () => import('../pages/flows/flows-page').then((it) => it.FlowsPage)),
  },
  {
    pattern: '/flows/:id',
    needs: 'definitions:read',
    code: pageCode(['flows'], () => import('../pages/flows/flow-page').then((it) => it.FlowPage)),
  },
  {
    pattern: '/flows/:id/compare',
    needs: 'definitions:read',
    code: pageCode(['flows'], () => import('../pages/flows/compare-page').then((it) => it.ComparePage)),
  },
  {
    pattern: '/runs',
    needs: 'instances:read',
    code: pageCode(['runs'], () => import('../pages/runs/runs-page').then((it) => it.RunsPage)),
  },
  {
    pattern: '/runs/:id',
    needs: 'instances:read',
    code: pageCode(['run'], () => import('../pages/run/run-page').then((it) => it.RunPage)),
  },
  {
    pattern: '/inbox/:task?',
    needs: 'tasks:read',
    code: pageCode(['inbox'], () => import('../pages/inbox/inbox-page').then((it) => it.InboxPage)),
  },
  {
    pattern: '/entities',
    needs: 'entities:read',
    code: pageCode(['entities'], () =>
      import('../pages/entities/entities-page').then((it) => it.EntitiesPage),
    ),
  },
  {
    pattern: '/entities/id/:id',
    needs: 'entities:read',
    code: pageCode(['entities'], () => import('../pages/entities/entity-page').then((it) => it.EntityPage)),
  },
  {
    pattern: '/entities/:name/:version',
    needs: 'entities:read',
    code: pageCode(['entities'], () => import('../pages/entities/model-page').then((it) => it.ModelPage)),
  },
  {
    pattern: '/triggers',
    needs: 'definitions:read',
    code: pageCode(['triggers'], () =>
      import('../pages/triggers/triggers-page').then((it) => it.TriggersPage),
    ),
  },
  {
    pattern: '/tables',
    needs: 'definitions:read',
    code: pageCode(['tables'], () => import('../pages/tables/tables-page').then((it) => it.TablesPage)),
  },
  {
    pattern: '/tables/:id/:step',
    needs: 'definitions:write',
    code: pageCode(['tables'], () => import('../pages/tables/table-page').then((it) => it.TablePage)),
  },
  {
    pattern: '/workers',
    needs: 'metrics:read',
    code: pageCode(['workers'], () => import('../pages/workers/workers-page').then((it) => it.WorkersPage)),
  },
  {
    pattern: '/connections',
    needs: 'secrets:use',
    code: pageCode(['connections'], () =>
      import('../pages/connections/connections-page').then((it) => it.ConnectionsPage),
    ),
  },
  {
    pattern: '/access/:part?',
    needs: 'access:admin',
    code: pageCode(['access'], () => import('../pages/access/access-page').then((it) => it.AccessPage)),
  },
  {
    pattern: '/audit',
    needs: 'audit:read',
    code: pageCode(['audit'], () => import('../pages/audit/audit-page').then((it) => it.AuditPage)),
  },
  {
    pattern: '/docs',
    code: pageCode(['docs'], () => import('../pages/docs/docs-page').then((it) => it.DocsPage)),
  },
  {
    pattern: '/docs/api',
    code: pageCode(['docs'], () => import('../pages/docs/api-page').then((it) => it.ApiPage)),
  },
  {
    pattern: '/account',
    code: pageCode(['account'], () => import('../pages/account/account-page').then((it) => it.AccountPage)),
  },
];

/** The one page without the frame: whoever sees it is not known yet. */
export const LOGIN: Route = {
  pattern: '/login',
  code: pageCode(['login'], () => import('../pages/login/login-page').then((it) => it.LoginPage)),
};

export const NAV: readonly NavItem[] = [
  { href: '/', word: t.home, icon: 'home', group: '', needs: 'metrics:read' },
  { href: '/flows', word: t.flows, icon: 'flows', group: 'work', needs: 'definitions:read' },
  { href: '/runs', word: t.runs, icon: 'runs', group: 'work', needs: 'instances:read' },
  { href: '/inbox', word: t.inbox, icon: 'inbox', group: '', needs: 'tasks:read' },
  { href: '/entities', word: t.entities, icon: 'entity', group: 'work', needs: 'entities:read' },
  { href: '/triggers', word: t.triggers, icon: 'trigger', group: 'setUp', needs: 'definitions:read' },
  { href: '/tables', word: t.decisionTables, icon: 'table', group: 'setUp', needs: 'definitions:read' },
  { href: '/workers', word: t.workers, icon: 'worker', group: 'setUp', needs: 'metrics:read' },
  { href: '/connections', word: t.connections, icon: 'key', group: 'setUp', needs: 'secrets:use' },
  { href: '/access', word: t.access, icon: 'lock', group: 'setUp', needs: 'access:admin' },
  { href: '/audit', word: t.audit, icon: 'audit', group: 'setUp', needs: 'audit:read' },
];

/** The pages that are offered to somebody. */
export const navFor = (may: May): readonly NavItem[] => NAV.filter(({ needs }) => may(needs));
