/** A capture that releases mail, and what a person does with it. */
import type { FakeClock } from '../../peers/fake-clock.ts';
import type { MailServer } from '../../peers/mail-server.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';

export async function makeCapture(
  peer: MailServer,
  settings: Record<string, string> = {},
  clock?: FakeClock,
) {
  const capture = await startAppliance({
    capture: {},
    ...(clock ? { clock } : {}),
    settings: {
      release_smarthost: `smtp://me:secret@127.0.0.1:${peer.port}`,
      release_allow: 'Ann@Example.com, team.example',
      ...settings,
    },
  });
  return capture;
}

export async function keep(capture: RunningAppliance, raw: string): Promise<string> {
  await sendMail({ port: capture.smtpPort, from: 'shop@example.com', to: ['customer@example.net'], raw });
  return (await capture.request('GET', '/dashboard/api/messages')).json.data[0].id;
}

export const release = (capture: RunningAppliance, id: string, to: unknown) =>
  capture.request('POST', `/dashboard/api/messages/${id}/release`, { body: { to } });
