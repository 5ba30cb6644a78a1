/**
 * Fits the weights of src/platform/mail/extract on the labelled mails from outside and on our own that are there for it
 * (test/corpus/extraction/fit-*.ts; the held-out ones are not touched). The same mails give the same file.
 */
import { join, resolve } from 'node:path';
import { ownMails } from '../test/corpus/extraction/mails.ts';
import { fitModels } from './measure/extraction-choices.ts';
import { outsideMails } from './measure/extraction-corpus.ts';

const root = resolve(import.meta.dir, '..');
const file = join(root, 'src/platform/mail/extract/weights.ts');

const outside = await outsideMails();
if (!outside) {
  console.error('The labelled mails (../shared/corpus/transactional) are not there: nothing fitted.');
  process.exit(1);
}
const models = fitModels([...outside, ...ownMails('fit')]);
const text = `/** Made by scripts/fit-extraction from labelled mails; edit the priors or the mails, not this file. */
import type { Models } from './score.ts';

export const weights: Models = ${JSON.stringify(models, null, 2)};
`;
await Bun.write(file, text);
const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
Bun.spawnSync([process.execPath, biome, 'check', '--write', file], {
  env: { ...process.env, BUN_BE_BUN: '1' },
});
console.log(`written: ${file.slice(root.length + 1)}`);
