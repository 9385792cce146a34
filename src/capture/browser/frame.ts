import type { CdpCommands, CdpSession } from './cdp.ts';

/** A page with busy scripts answers late. Callers that do not need the answer set shorter limits. */
const EVALUATE_MS = 30_000;

/**
 * The name of the isolated world in which our code runs. The scripts of the page share the document with it, but no object, so that
 * it does not matter which globals and methods they replaced.
 */
export const WORLD = 'tearsheet';

/** A value as code in the page receives it: a handle becomes the object that it stands for. */
type Received<T> = T extends Handle<infer V> ? V : T;
type ReceivedAll<A extends readonly unknown[]> = { [K in keyof A]: Received<A[K]> };
type PageFunction<A extends readonly unknown[], R> = (...args: ReceivedAll<A>) => R;
type RemoteObject = CdpCommands['Runtime.evaluate']['returnType'];

/** The document changed or went away during a call. */
export class DocumentReplacedError extends Error {}

/** Code that ran in the document threw. The message is that of the exception. */
export class PageScriptError extends Error {}

/** A frame of a page. */
export class Frame {
  readonly id: string;
  /** Undefined for the main frame. */
  readonly parent: Frame | undefined;
  url = '';
  readonly #session: CdpSession;
  #context: ScriptContext | undefined;
  /** The context of the page's own scripts. */
  #pageContext: number | undefined;
  #isGone = false;

  constructor(session: CdpSession, id: string, parent: Frame | undefined) {
    this.#session = session;
    this.id = id;
    this.parent = parent;
  }

  /** Runs code in our world of the document and waits for its promise. @throws DocumentReplacedError, CdpError, PageScriptError. */
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

  /**
   * Evaluates in the world of the page's own scripts, which may have replaced everything that the expression uses.
   * @returns any value; undefined if the expression throws. @throws DocumentReplacedError, CdpError.
   */
  async evaluateInPage(expression: string): Promise<unknown> {
    const contextId = this.#pageContext;
    if (contextId === undefined) throw new DocumentReplacedError('The frame has no document.');
    return this.#valueOf({ expression, contextId, awaitPromise: true, userGesture: true }, EVALUATE_MS);
  }

  /**
   * Evaluates in our world like a script of the page: waits for no promise, and does not count as an action of a person.
   * @returns undefined if the expression throws. @throws DocumentReplacedError, CdpError.
   */
  async evaluatePassively(expression: string): Promise<unknown> {
    return this.#valueOf({ expression, contextId: await this.#worldId() });
  }

  /** The element of the parent's document that holds this frame. */
  async owner(): Promise<Handle<Element>> {
    if (this.parent === undefined) throw new Error('The main frame has no owner.');
    const { backendNodeId } = await this.#session.send('DOM.getFrameOwner', { frameId: this.id });
    const executionContextId = await this.parent.#worldId();
    const { object } = await this.#session.send('DOM.resolveNode', { backendNodeId, executionContextId });
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

  /** Whether this is the context of our world. */
  hasContext(id: number): boolean {
    return this.#context?.id === id;
  }

  /** A document began. @param pageContext that of its own scripts. */
  startDocument(pageContext: number): void {
    this.endDocument();
    this.#pageContext = pageContext;
  }

  /** @param pageContext ends any document unless given. */
  endDocument(pageContext = this.#pageContext): void {
    if (pageContext !== this.#pageContext) return;
    this.#pageContext = undefined;
    this.#context?.end();
    this.#context = undefined;
  }

  /** The frame was removed. */
  end(): void {
    this.#isGone = true;
    this.endDocument();
  }

  async #valueOf(call: CdpCommands['Runtime.evaluate']['paramsType'][0], ms?: number): Promise<unknown> {
    const answer = this.#session.send('Runtime.evaluate', { ...call, returnByValue: true }, ms);
    const { result, exceptionDetails } = await this.#currentContext().whileItLasts(answer);
    return exceptionDetails === undefined ? result.value : undefined;
  }

  async #run(code: string | PageFunction<unknown[], unknown>, args: unknown[], returnByValue: boolean) {
    const context = this.#currentContext();
    const contextId = await this.#worldId();
    const about = { returnByValue, awaitPromise: true, userGesture: true };
    const call =
      typeof code === 'string'
        ? this.#session.send('Runtime.evaluate', { expression: code, contextId, ...about }, EVALUATE_MS)
        : this.#session.send(
            'Runtime.callFunctionOn',
            {
              functionDeclaration: String(code),
              executionContextId: contextId,
              arguments: args.map(argumentOf),
              ...about,
            },
            EVALUATE_MS,
          );
    const outcome: RemoteObject = await context.whileItLasts(call);
    if (outcome.exceptionDetails !== undefined) throw thrownIn(outcome.exceptionDetails);
    return outcome;
  }

  #currentContext(): ScriptContext {
    if (this.#isGone) throw new DocumentReplacedError('The frame was removed.');
    this.#context ??= new ScriptContext();
    return this.#context;
  }

  /** Creates our world when the document needs it first. */
  async #worldId(): Promise<number> {
    const context = this.#currentContext();
    if (context.id !== undefined) return context.id;
    const creation = this.#session.send('Page.createIsolatedWorld', { frameId: this.id, worldName: WORLD });
    const { executionContextId } = await context.whileItLasts(creation);
    context.id = executionContextId;
    return executionContextId;
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

/** Our world of one document. */
class ScriptContext {
  /** Undefined until it is created. */
  id: number | undefined;
  readonly #open = new Set<(error: Error) => void>();

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
