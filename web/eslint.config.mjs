/* eslint.config.mjs — the rules that types and layers need: floating promises, exhaustive switches, imports that go down only. */
import { fileURLToPath } from 'node:url';

import a11y from 'eslint-plugin-jsx-a11y';
import hooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

/* Imports go down: app → pages → ui → api → texts; flow imports texts alone; a page never imports a page, nor the texts of one. */
const below = (files, forbidden, message) => ({
  files,
  rules: { 'no-restricted-imports': ['error', { patterns: [{ group: forbidden, message }] }] },
});

const SOURCES = ['**/*.{ts,tsx}'];

export default tseslint.config(
  { ignores: ['**/dist', '**/node_modules', 'src/api/schema.d.ts', 'test-results'] },
  { files: SOURCES, extends: tseslint.configs.strictTypeChecked },
  {
    files: SOURCES,
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: fileURLToPath(new URL('.', import.meta.url)) },
    },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
    },
  },
  { files: ['src/**/*.tsx'], ...a11y.flatConfigs.recommended },
  { files: ['src/**/*.{ts,tsx}'], ...hooks.configs.flat.recommended },
  below(
    ['src/flow/**'],
    ['**/api/**', '**/ui/**', '**/pages/**', '**/app/**', 'react', '@xyflow/*'],
    'flow/ knows no React, DOM or fetch.',
  ),
  below(
    ['src/texts/**'],
    ['**/api/**', '**/ui/**', '**/pages/**', '**/app/**', '../flow/**'],
    'texts/ is below everything.',
  ),
  below(['src/api/**'], ['**/ui/**', '**/pages/**', '**/app/**'], 'api/ is below ui/.'),
  below(['src/ui/**'], ['**/pages/**', '**/app/**'], 'ui/ is below pages/.'),
  below(
    ['src/pages/*/**'],
    ['**/app/**', '../../pages/**'],
    'A page imports neither the application nor another page.',
  ),
);
