import { Failure } from '../core/failure.ts';
import { readReason } from '../core/thrown.ts';
import { shareAddon } from './addon.ts';
import { openReader, type Sqlite, Statements } from './database.ts';
import type { AnyReadOp, LongReading, Steps } from './operation.ts';
import { READ_WORK_MS_MAX, ReadTurns, TURN_MS, type WaitingRead } from './read-turns.ts';
import { answerThrown, type FromThread, type ThreadCall, type ThreadPort, type ToThread } from './thread.ts';

/** The reader thread: searches and other reads without a bound on their time, away from the sockets. */
export function serveReads(operations: readonly AnyReadOp[], port: ThreadPort): void {
  const post = (message: FromThread) => port.postMessage(message);
  let reader: Reader | undefined;
  let turnIsSet = false;

  /** Runs one turn per turn of the event loop, so that messages are received in between. */
  const schedule = () => {
    if (turnIsSet || !reader || reader.isIdle) return;
    turnIsSet = true;
    setImmediate(() => {
      turnIsSet = false;
      reader?.runTurn(post);
      schedule();
    });
  };

  port.onmessage = ({ data }: MessageEvent<ToThread>) => {
    if ('start' in data) {
      try {
        shareAddon(data.start.addon);
        reader = new Reader(openReader(data.start.file), operations);
        post({ ready: true });
      } catch (fault) {
        post({ broken: readReason(fault) });
      }
    } else if ('stop' in data) {
      reader?.close(post);
      reader = undefined;
      post({ stopped: true });
    } else if ('drop' in data) reader?.drop(data.drop);
    else if ('calls' in data) {
      for (const call of data.calls) {
        if (reader) reader.add(call);
        else post({ answers: [answerThrown(call.id, new Error('the reader thread has no store'))] });
      }
      schedule();
    }
  };
}

interface Read extends WaitingRead {
  readonly call: ThreadCall;
  steps: Steps<unknown> | undefined;
  workedMs: number;
}

type Post = (message: FromThread) => void;

class Reader {
  private readonly turns = new ReadTurns<Read>();
  private readonly known: ReadonlyMap<string, AnyReadOp>;
  private readonly reading: LongReading;
  private turnEndsMs = 0;

  constructor(
    private readonly database: Sqlite,
    operations: readonly AnyReadOp[],
  ) {
    const statements = new Statements(database);
    this.known = new Map(operations.map((operation) => [operation.name, operation]));
    this.reading = {
      sql: (text) => statements.sql(text),
      database,
      isTurnOver: () => performance.now() >= this.turnEndsMs,
    };
  }

  get isIdle(): boolean {
    return this.turns.isEmpty;
  }

  add(call: ThreadCall): void {
    const { id, owner = `call ${id}` } = call;
    this.turns.add({ id, owner, call, steps: undefined, workedMs: 0 });
  }

  drop(id: number): void {
    this.turns.remove(id)?.steps?.return(undefined);
  }

  /** Runs the next read for one turn. Answers it if it is done, fails or has taken too long. */
  runTurn(post: Post): void {
    const read = this.turns.next();
    if (!read) return;
    const beganMs = performance.now();
    this.turnEndsMs = beganMs + TURN_MS;
    try {
      const operation = this.known.get(read.call.name);
      if (!operation) throw new Error(`no read operation is named ${read.call.name}`);
      const ended = this.advance(read, operation);
      read.workedMs += performance.now() - beganMs;
      if (ended) {
        this.turns.remove(read.id);
        post({ answers: [{ id: read.id, output: ended.output }] });
      } else if (operation.tooSlow && read.workedMs > READ_WORK_MS_MAX) {
        read.steps?.return(undefined);
        throw operation.tooSlow(read.call.input);
      }
    } catch (thrown) {
      this.turns.remove(read.id);
      post({ answers: [answerThrown(read.id, thrown)] });
    }
  }

  private advance(read: Read, operation: AnyReadOp): { output: unknown } | null {
    if (!read.steps) {
      const output = operation.run(this.reading, read.call.input);
      if (!isSteps(output)) return { output };
      read.steps = output;
    }
    const { done, value } = read.steps.next();
    return done ? { output: value } : null;
  }

  close(post: Post): void {
    for (let read = this.turns.next(); read; read = this.turns.next()) {
      this.drop(read.id);
      post({ answers: [answerThrown(read.id, new Failure('storage_unavailable'))] });
    }
    this.database.close();
  }
}

function isSteps(output: unknown): output is Steps<unknown> {
  return typeof (output as Partial<Steps<unknown>> | null)?.next === 'function';
}
