/* tests/seed.ts — random documents are the same in every run of the unit tests, unless RANDOM_DOCUMENTS is set. */
import fc from 'fast-check';

if (process.env['RANDOM_DOCUMENTS'] === undefined) fc.configureGlobal({ seed: 20261116 });
