import { useEffect, useState } from 'preact/hooks';
import { ApiFailure } from './api.ts';
import { comeBack } from './provider.ts';
import { Loaded } from './rows.tsx';

/** The page to which the identity provider leads back what a page began. It opens the next one at once. */
export function ProviderReturn() {
  const [fault, setFault] = useState<string>();
  const finish = async () => {
    setFault(undefined);
    try {
      await comeBack();
    } catch (thrown) {
      if (!(thrown instanceof ApiFailure)) throw thrown;
      setFault(thrown.message);
    }
  };
  useEffect(() => void finish(), []);
  return <Loaded of={{ data: undefined, fault, reload: finish }}>{() => null}</Loaded>;
}
