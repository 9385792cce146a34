import type { Browser } from 'playwright';

/** The part of Playwright's own connection to itself that matters here; it is no part of its public face. */
interface Connection {
  dispatch(message: unknown): void;
}

const guarded = new WeakSet<Connection>();

/**
 * When a browser ends while one of its contexts is prepared, Playwright sends itself news of things that belong to the context,
 * does not find the context, and throws where nobody can catch it: the process would end, with the pictures of all
 * its pages. Such news is let go; whoever waits for it must have a deadline.
 */
export function survivesLateNews(browser: Browser, tell: (error: Error) => void): void {
  const connection = (browser as { readonly _connection?: Connection })._connection;
  if (connection === undefined || guarded.has(connection)) return;
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

function isOfWhatHasGone({ message }: Error): boolean {
  return /^(Cannot find parent object|Cannot find object to|Object with guid \S+ was not bound)/.test(message);
}
