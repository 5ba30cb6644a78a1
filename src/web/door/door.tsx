import type { PlaceProps } from '../router.tsx';
import { Invite, SetUp } from './by-link.tsx';
import { SignIn } from './sign-in.tsx';

/** The pages for visitors who are not signed in or who open an invitation link. */
export default function Door({ rest: [first, token = ''] }: PlaceProps) {
  if (first === 'invite') return <Invite token={token} />;
  if (first === 'setup') return <SetUp token={token} />;
  return <SignIn />;
}
