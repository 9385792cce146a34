import type { Browser } from 'playwright';

/** The part of Playwright's own connection to itself that matters here; it is no part of its public face. */
interface Connection {
  dispatch(message: unknown): void;
}

const guarded = new WeakSet<Connection>();

/**
 * When a browser ends while one of its contexts is prepared, Playwright sends itself news of things that belong to the context,
 * does not find the context, and throws where nobody can catch it: the process would end, with the pictures of all
 * its pages. Such news is let go; whoever waits for it must have a deadline. Playwright offers no other place for that, so a test
 * (`lateNews.test.ts`) holds that this one is still there, and `tell` hears of it where it is not.
 */
export function guardPlaywrightDispatch(browser: Browser, tell: (error: Error) => void): void {
  const connection = connectionOf(browser);
  if (connection === undefined) {
    tell(new Error('Playwright has no connection that could be guarded.'));
    return;
  }
  if (guarded.has(connection)) return;
  guarded.add(connection);
  const dispatch = connection.dispatch.bind(connection);
  connection.dispatch = (message) => {
    try {
      dispatch(message);
    } catch (error) {
      if (!(error instanceof Error) || !isOfWhatHasGone(error)) throw error;
      tell(error);
    }
  };
}

function connectionOf(browser: Browser): Connection | undefined {
  const connection: unknown = Reflect.get(browser, '_connection');
  return isConnection(connection) ? connection : undefined;
}

function isConnection(value: unknown): value is Connection {
  return typeof value === 'object' && value !== null && 'dispatch' in value && typeof value.dispatch === 'function';
}

function isOfWhatHasGone({ message }: Error): boolean {
  return /^(Cannot find parent object|Cannot find object to|Object with guid \S+ was not bound)/.test(message);
}
