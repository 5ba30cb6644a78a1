import { z } from 'zod';
import { describeData } from '../../platform/http/page.ts';
import { created } from '../../platform/http/reply.ts';
import { route } from '../../platform/http/route.ts';
import { viewInbox } from '../inboxes/view.ts';
import { InboxShape } from '../inboxes/wire.ts';
import { registerAgent } from './register.ts';

const NAME_CHARS_MAX = 60;
const MESSAGE =
  'Keep the api_key: it is shown only once. An account that sends no request and gets no mail for 30 days is removed.';

const NewAgent = z
  .strictObject({
    name: z
      .string('must be a string')
      .refine((text) => [...text].length <= NAME_CHARS_MAX, `has more than ${NAME_CHARS_MAX} characters`)
      .meta({ maxLength: NAME_CHARS_MAX })
      .optional(),
  })
  .meta({ id: 'NewAgent' });

const AgentRegistration = z
  .object({
    api_key: z.string().describe('The key in plain text, shown once.'),
    key_prefix: z.string(),
    plan: z.literal('free'),
    message: z.string(),
    inbox: InboxShape.optional(),
  })
  .meta({ id: 'AgentRegistration' });

export const registrationRoutes = [
  route({
    name: 'registerAgent',
    method: 'POST',
    path: '/api/v1/agents/register',
    summary: 'Register an agent',
    description:
      'Creates an account, an API key and a first inbox without signing up. The key is returned once. The account is ' +
      'removed after 30 days without a request or mail.',
    tag: 'Agent registration',
    auth: 'none',
    open: ({ settings }) => settings.agent_registration,
    limits: ['agent_registrations_per_hour', 'agent_registrations_service_per_hour'],
    body: NewAgent,
    bodyOptional: true,
    creates: true,
    responses: { 201: describeData(AgentRegistration) },
    async run({ services, body, once }) {
      const { api_key, key_prefix, inbox } = await registerAgent(services, body.name ?? '', once);
      const data = { api_key, key_prefix, plan: 'free', message: MESSAGE };
      if (!inbox) return { status: 201, json: { data } };
      return created({ ...data, inbox: viewInbox(inbox) }, `/api/v1/inboxes/${inbox.id}`);
    },
  }),
];
