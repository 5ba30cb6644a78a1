import { ProviderReturn } from '../provider-return.tsx';
import type { PlaceProps } from '../router.tsx';
import { words } from '../words/words.ts';
import { Invite, SetUp } from './by-link.tsx';
import { DoorFrame } from './frame.tsx';
import { SignIn } from './sign-in.tsx';

/** The pages for visitors who are not signed in or who open an invitation link. */
export default function Door({ rest: [first, token = ''] }: PlaceProps) {
  if (first === 'invite') return <Invite token={token} />;
  if (first === 'setup') return <SetUp token={token} />;
  if (first === 'sign-in' && token === 'return') {
    return (
      <DoorFrame title={words.door.signIn}>
        <ProviderReturn />
      </DoorFrame>
    );
  }
  return <SignIn />;
}
