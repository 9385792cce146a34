import type { CdpCommands, CdpSession } from './cdp.ts';

/** A page with busy scripts answers late. Callers that do not need the answer set shorter limits. */
const EVALUATE_MS = 30_000;
/** A frame has a context a moment after its document began, and an idle frame always has one. */
const CONTEXT_MS = 10_000;

/** A value as code in the page receives it: a handle becomes the object that it stands for. */
type Received<T> = T extends Handle<infer V> ? V : T;
type ReceivedAll<A extends readonly unknown[]> = { [K in keyof A]: Received<A[K]> };
type PageFunction<A extends readonly unknown[], R> = (...args: ReceivedAll<A>) => R;
type RemoteObject = CdpCommands['Runtime.evaluate']['returnType'];

/** The document changed or went away during a call. */
export class DocumentReplacedError extends Error {}

/** Code that ran in the document threw. Page scripts may have replaced what it needs. The message is that of the exception. */
export class PageScriptError extends Error {}

/** A frame of a page. Code runs in the world of its own scripts. */
export class Frame {
  readonly id: string;
  /** Undefined for the main frame. */
  readonly parent: Frame | undefined;
  url = '';
  readonly #session: CdpSession;
  #context: ScriptContext | undefined;
  #isGone = false;
  readonly #waiting = new Set<() => void>();

  constructor(session: CdpSession, id: string, parent: Frame | undefined) {
    this.#session = session;
    this.id = id;
    this.parent = parent;
  }

  /** Runs code in the document and waits for its promise. @throws DocumentReplacedError, CdpError, PageScriptError. */
  evaluate<A extends readonly unknown[], R>(code: PageFunction<A, R>, ...args: A): Promise<Awaited<R>>;
  evaluate<R = unknown>(expression: string): Promise<R>;
  async evaluate(code: string | PageFunction<unknown[], unknown>, ...args: unknown[]): Promise<unknown> {
    return (await this.#run(code, args, true)).result.value;
  }

  /** The same, but the result stays in the page. */
  evaluateHandle<A extends readonly unknown[], R>(code: PageFunction<A, R>, ...args: A): Promise<Handle<Awaited<R>>>;
  evaluateHandle<R>(expression: string): Promise<Handle<R>>;
  async evaluateHandle(code: string | PageFunction<unknown[], unknown>, ...args: unknown[]): Promise<Handle<unknown>> {
    const { result } = await this.#run(code, args, false);
    return new Handle(this, result.objectId);
  }

  /** As {@link evaluateHandle}, but evaluates the expression only once for each document. */
  async once<R>(expression: string): Promise<Handle<R>> {
    const { kept } = await this.#currentContext();
    const known = kept.get(expression) ?? this.evaluateHandle<R>(expression);
    kept.set(expression, known);
    return known as Promise<Handle<R>>;
  }

  /** The element of the parent's document that holds this frame. */
  async owner(): Promise<Handle<Element>> {
    if (this.parent === undefined) throw new Error('The main frame has no owner.');
    const { backendNodeId } = await this.#session.send('DOM.getFrameOwner', { frameId: this.id });
    const { id } = await this.parent.#currentContext();
    const { object } = await this.#session.send('DOM.resolveNode', { backendNodeId, executionContextId: id });
    return new Handle(this.parent, object.objectId);
  }

  /** @returns the id of the frame that the element holds; undefined if it holds none. */
  async frameIdOf({ objectId }: Handle<Element>): Promise<string | undefined> {
    const { node } = await this.#session.send('DOM.describeNode', { objectId: objectId ?? '' });
    return node.frameId;
  }

  /** Replaces the document by an empty one. */
  async makeBlank(): Promise<void> {
    await this.#session.send('Page.navigate', { url: 'about:blank', frameId: this.id });
  }

  hasContext(id: number): boolean {
    return this.#context?.id === id;
  }

  startContext(id: number): void {
    this.#context?.end();
    this.#context = new ScriptContext(id);
    this.#wake();
  }

  /** @param id ends any context unless given. */
  endContext(id?: number): void {
    if (id !== undefined && this.#context?.id !== id) return;
    this.#context?.end();
    this.#context = undefined;
  }

  /** The frame was removed. */
  end(): void {
    this.#isGone = true;
    this.endContext();
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  async #run(code: string | PageFunction<unknown[], unknown>, args: unknown[], returnByValue: boolean) {
    const context = await this.#currentContext();
    const about = { returnByValue, awaitPromise: true, userGesture: true };
    const call =
      typeof code === 'string'
        ? this.#session.send('Runtime.evaluate', { expression: code, contextId: context.id, ...about }, EVALUATE_MS)
        : this.#session.send(
            'Runtime.callFunctionOn',
            {
              functionDeclaration: String(code),
              executionContextId: context.id,
              arguments: args.map(argumentOf),
              ...about,
            },
            EVALUATE_MS,
          );
    const outcome: RemoteObject = await context.whileItLasts(call);
    if (outcome.exceptionDetails !== undefined) throw thrownIn(outcome.exceptionDetails);
    return outcome;
  }

  async #currentContext(): Promise<ScriptContext> {
    if (this.#context === undefined && !this.#isGone) await this.#nextContext();
    if (this.#context !== undefined) return this.#context;
    throw new DocumentReplacedError(this.#isGone ? 'The frame was removed.' : 'The frame has no document.');
  }

  #nextContext(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, CONTEXT_MS);
      this.#waiting.add(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}

/** An object that stays in a frame's document. */
export class Handle<T> {
  /** Undefined for a value that is no object, such as null. */
  readonly objectId: string | undefined;
  readonly #frame: Frame;
  /** Only for the compiler, which otherwise takes all handles for one another. */
  declare readonly value: T;

  constructor(frame: Frame, objectId: string | undefined) {
    this.#frame = frame;
    this.objectId = objectId;
  }

  /** As {@link Frame.evaluate}, with the object as the first argument. */
  evaluate<A extends readonly unknown[], R>(code: PageFunction<[Handle<T>, ...A], R>, ...args: A): Promise<Awaited<R>> {
    return this.#frame.evaluate<[Handle<T>, ...A], R>(code, this, ...args);
  }

  evaluateHandle<A extends readonly unknown[], R>(
    code: PageFunction<[Handle<T>, ...A], R>,
    ...args: A
  ): Promise<Handle<Awaited<R>>> {
    return this.#frame.evaluateHandle<[Handle<T>, ...A], R>(code, this, ...args);
  }
}

/** The world of the scripts of one document. */
class ScriptContext {
  readonly id: number;
  /** Results that stay in the document, by their expressions. */
  readonly kept = new Map<string, Promise<Handle<unknown>>>();
  readonly #open = new Set<(error: Error) => void>();

  constructor(id: number) {
    this.id = id;
  }

  /** Awaits a call, which may stay without an answer if the document goes away. @throws DocumentReplacedError. */
  whileItLasts<R>(call: Promise<R>): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#open.add(reject);
      call.then(resolve, reject).finally(() => this.#open.delete(reject));
    });
  }

  end(): void {
    for (const reject of this.#open) reject(new DocumentReplacedError('Another document replaced this one.'));
  }
}

function argumentOf(value: unknown): { objectId: string } | { value: unknown } {
  return value instanceof Handle && value.objectId !== undefined
    ? { objectId: value.objectId }
    : { value: value instanceof Handle ? null : value };
}

/** The message of an exception without its stack. */
function thrownIn({
  exception,
  text,
}: {
  exception?: { description?: string; value?: unknown };
  text: string;
}): PageScriptError {
  const [message = text] = (exception?.description ?? String(exception?.value ?? text)).split(/\n\s+at /);
  return new PageScriptError(message);
}
