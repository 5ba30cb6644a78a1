import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiFailure, read } from './api.ts';
import { showFault } from './toast.tsx';

export interface Loading<Data> {
  /** Undefined until it is loaded. */
  data: Data | undefined;
  /** Why it could not be loaded. */
  fault: string | undefined;
  /** The status of the answer that refused it. */
  faultStatus: number | undefined;
  reload: () => Promise<void>;
}

interface LoadState<Data> {
  path: string;
  data?: Data;
  failure?: ApiFailure;
}

/** Loads a route's data when the page is shown, again on `reload`, and every `everyMs` if given. */
export const useData = <Data>(path: string, everyMs?: number): Loading<Data> =>
  useLoading<Data>(path, read, everyMs);

/** As useData, for a route that does not answer with `data`. `load` is the same for every path. */
export function useLoading<Data>(
  path: string,
  load: (path: string) => Promise<Data>,
  everyMs?: number,
): Loading<Data> {
  const [state, setState] = useState<LoadState<Data>>({ path });
  const current = useRef(path);
  current.current = path;
  const requests = useRef({ asked: 0, shown: 0 }).current;
  const reload = useCallback(async () => {
    const request = ++requests.asked;
    // Ignore answers for another path, and answers older than the one shown: on a slow network several requests overlap.
    const set: typeof setState = (next) => {
      if (path !== current.current || request < requests.shown) return;
      requests.shown = request;
      setState(next);
    };
    try {
      const data = await load(path);
      set({ path, data });
    } catch (thrown) {
      if (!(thrown instanceof ApiFailure)) throw thrown;
      // When a later request fails, keep showing the data.
      set((before) =>
        before.path === path && before.data !== undefined ? before : { path, failure: thrown },
      );
    }
  }, [path, load]);
  useEffect(() => {
    void reload();
    if (everyMs === undefined) return;
    const timer = setInterval(() => !document.hidden && void reload(), everyMs);
    return () => clearInterval(timer);
  }, [reload, everyMs]);
  // The data of another path is not loaded yet.
  const { data, failure }: Omit<LoadState<Data>, 'path'> = state.path === path ? state : {};
  return { data, fault: failure?.message, faultStatus: failure?.status, reload };
}

export interface Submit {
  isBusy: boolean;
  /** What is wrong with a field of the form. */
  findFault: (field: string) => string | undefined;
  /** What is wrong with the form as a whole. */
  fault: string | undefined;
  onSubmit: (event: Event) => void;
}

/** A form that submits once at a time and shows why the server refused. */
export function useSubmit(run: () => Promise<void>): Submit {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<ApiFailure | null>(null);
  const isShown = useRef(true);
  useEffect(
    () => () => {
      isShown.current = false;
    },
    [],
  );
  const onSubmit = (event: Event) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setFailure(null);
    run()
      .catch((thrown: unknown) => {
        // A form that was closed meanwhile can't show it.
        if (thrown instanceof ApiFailure && isShown.current) setFailure(thrown);
        else showFault(thrown);
      })
      .finally(() => setBusy(false));
  };
  const fields = failure?.fields ?? {};
  return {
    isBusy,
    onSubmit,
    findFault: (field) => fields[field]?.[0] && makeSentence(fields[field][0]),
    fault: failure && Object.keys(fields).length === 0 ? failure.message : undefined,
  };
}

/** The API's reasons have no subject (`must be …`), unless they name an entry of a list (`entry 2 must be …`). */
function makeSentence(reason: string): string {
  return reason.startsWith('entry ') ? `${reason[0]!.toUpperCase()}${reason.slice(1)}.` : `This ${reason}.`;
}

/** Runs the action of a click and shows an error as a toast. Resolves to whether it succeeded. */
export async function attempt(run: () => Promise<unknown>): Promise<boolean> {
  try {
    await run();
    return true;
  } catch (fault) {
    showFault(fault);
    return false;
  }
}
