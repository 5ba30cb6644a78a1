import type { PlaceProps } from '../router.tsx';
import { Invite, SetUp } from './by-link.tsx';
import { SignIn } from './sign-in.tsx';

/** What is shown to who is not signed in, or comes by a link. */
export default function Door({ rest: [first, token = ''] }: PlaceProps) {
  if (first === 'invite') return <Invite token={token} />;
  if (first === 'setup') return <SetUp token={token} />;
  return <SignIn />;
}
