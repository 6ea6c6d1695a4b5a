/* texts/en/gallery.ts — English: the words of the flows to begin with are English already (GET /api/templates). */

export const gallery: Readonly<Record<string, string>> = {};
