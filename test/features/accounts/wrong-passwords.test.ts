/** Wrong passwords for very many emails. */
import { expect, test } from 'bun:test';
import { owner, Visitor } from '../../doors/dashboard/visitor.ts';
import { startAppliance } from '../../start.ts';

test('guesses at very many emails do not lock people out where they signed in before', async () => {
  await using appliance = await startAppliance({
    settings: { limit_wrong_passwords_per_hour: '2', trusted_proxies: '127.0.0.0/8' },
  });
  const { email } = await owner(appliance);
  const { wrongPasswords, clock } = appliance.services;
  // This counts like 210,000 wrong sign-ins, without their hashes.
  for (let nth = 0; nth < 210_000; nth++) wrongPasswords.take(`guess ${nth}`, 3_600, clock.nowUs());
  for (let nth = 0; nth < 2; nth++)
    expect((await new Visitor(appliance, `198.51.100.${nth}`).signIn(email, 'wrong')).status).toBe(401);
  expect((await new Visitor(appliance, '198.51.100.9').signIn(email)).status).toBe(429);
  expect((await new Visitor(appliance).signIn(email)).status).toBe(200);
});
