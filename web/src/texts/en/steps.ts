/* texts/en/steps.ts — English: the engine’s words for types of steps are English already (GET /api/node-types). */

export const steps: Readonly<Record<string, string>> = {};
