/* texts/serverless.ts — the texts of Serverless Workflows on the canvas. */
import { serverless } from './en/serverless';
import { textsOf } from './language';

export const t = textsOf('serverless', serverless);
