import { useCallback, useEffect, useState } from 'preact/hooks';
import { ApiFailure, read } from './api.ts';
import { tellFault } from './toast.tsx';

export interface Loading<Data> {
  /** Undefined until it is there. */
  data: Data | undefined;
  /** Why it is not there. */
  fault: string | undefined;
  reload: () => Promise<void>;
}

/** What a route gives, asked when the page is shown and again by `reload`, or every so many milliseconds. */
export function useData<Data>(path: string, everyMs?: number): Loading<Data> {
  const [state, setState] = useState<{ path: string; data?: Data; fault?: string }>({ path });
  const reload = useCallback(async () => {
    try {
      const data = await read<Data>(path);
      setState({ path, data });
    } catch (thrown) {
      if (!(thrown instanceof ApiFailure)) throw thrown;
      // What was shown stays when a later look fails.
      setState((before) => (before.data === undefined ? { path, fault: thrown.message } : before));
    }
  }, [path]);
  useEffect(() => {
    void reload();
    if (everyMs === undefined) return;
    const timer = setInterval(() => !document.hidden && void reload(), everyMs);
    return () => clearInterval(timer);
  }, [reload, everyMs]);
  // Of another path is nothing known yet.
  const isCurrent = state.path === path;
  return { data: isCurrent ? state.data : undefined, fault: isCurrent ? state.fault : undefined, reload };
}

export interface Submit {
  isBusy: boolean;
  /** What is wrong with a field of the form. */
  faultOf: (field: string) => string | undefined;
  /** What is wrong with the whole. */
  fault: string | undefined;
  onSubmit: (event: Event) => void;
}

/** A form that sends once at a time, and shows what the server refused. */
export function useSubmit(run: () => Promise<void>): Submit {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<ApiFailure | null>(null);
  const onSubmit = (event: Event) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setFailure(null);
    run()
      .catch((thrown: unknown) => (thrown instanceof ApiFailure ? setFailure(thrown) : tellFault(thrown)))
      .finally(() => setBusy(false));
  };
  const fields = failure?.fields ?? {};
  return {
    isBusy,
    onSubmit,
    faultOf: (field) => fields[field]?.[0] && `This ${fields[field][0]}.`,
    fault: failure && Object.keys(fields).length === 0 ? failure.message : undefined,
  };
}

/** Does something for a click; what the server refuses is told. */
export async function attempt(run: () => Promise<unknown>): Promise<boolean> {
  try {
    await run();
    return true;
  } catch (fault) {
    tellFault(fault);
    return false;
  }
}
