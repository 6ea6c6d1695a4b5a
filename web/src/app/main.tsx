/* app/main.tsx — where the application begins. */
import '../ui/tokens.css';
import '../ui/parts.css';

import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';

import { asProblem } from '../api/problem';
import { pageTenant, tenantBase } from '../api/tenant';
import { nameCaller } from '../api/who';
import { getSaidPerson } from '../ui/person';
import { showCutTitles } from './cut-titles';
import { useExactLocation, useExactSearch } from './exact-location';
import { isLoadingAhead } from './page-code';
import { Shell } from './shell';

const READ_TRIES = 2;

/* Reads that the engine did not answer are tried again, refusals and writes never. */
const queries = new QueryClient({
  defaultOptions: {
    queries: { retry: (count, thrown) => count < READ_TRIES && asProblem(thrown).isAway, staleTime: 10_000 },
    mutations: { retry: false },
  },
});

/* After an upgrade of the engine the chunks of the old application are gone: load the new one, once, as soon as one of them is missed. */
window.addEventListener('vite:preloadError', (event) => {
  if (isLoadingAhead()) return;
  const last = Number(sessionStorage.getItem('pawl.reloaded') ?? '0');
  if (Date.now() - last < 60_000) return;
  event.preventDefault();
  sessionStorage.setItem('pawl.reloaded', String(Date.now()));
  location.reload();
});

showCutTitles();
nameCaller(getSaidPerson);

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <Router base={tenantBase(pageTenant)} hook={useExactLocation} searchHook={useExactSearch}>
        <Shell />
      </Router>
    </QueryClientProvider>
  </StrictMode>,
);
