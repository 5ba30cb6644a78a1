/** Mailpit's client under Node. Node's fetch sends `Sec-Fetch-Mode`, as browsers do, and Bun's does not. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { haveTool, runTool } from '../../peers/tools.ts';
import { openScene } from './scene.ts';

test.skipIf(!haveTool('node'))('mailpit-api sends, marks and deletes messages under Node', async () => {
  await using scene = await openScene();
  const { output } = await runTool(['node', join(import.meta.dir, 'mailpit-under-node.mjs'), scene.url]);
  expect(output.trim()).toBe('[["Read",true]]');
});
