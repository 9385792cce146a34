import type { Browser } from 'playwright';

/** The private connection inside Playwright. Its server half runs in the same process. */
interface Connection {
  dispatch(message: unknown): void;
}

const guarded = new WeakSet<Connection>();

/**
 * Keeps a browser that ends from ending this process. If it ends while Playwright prepares a context, the server half of
 * Playwright sends messages about a context that its client half has removed. `dispatch` then throws inside `setImmediate`, so
 * no caller can catch the error. The guard reports such an error instead; a call that waits for the message needs a deadline.
 *
 * Reported as https://github.com/microsoft/playwright/issues/9509 (this crash, closed);
 * https://github.com/microsoft/playwright/issues/22210 is a similar crash, still open. A browser of `launchServer` and `connect`
 * does not have the fault, but each picture would go through a WebSocket. If an upgrade of Playwright moves the private connection,
 * `playwrightDispatchGuard.test.ts` fails and `report` gets an error.
 */
export function guardPlaywrightDispatch(browser: Browser, report: (error: Error) => void): void {
  const connection = connectionOf(browser);
  if (connection === undefined) {
    report(new Error('Playwright has no connection that the guard could wrap.'));
    return;
  }
  if (guarded.has(connection)) return;
  guarded.add(connection);
  const dispatch = connection.dispatch.bind(connection);
  connection.dispatch = (message) => {
    try {
      dispatch(message);
    } catch (error) {
      if (!(error instanceof Error) || !isAboutRemovedObject(error)) throw error;
      report(error);
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

function isAboutRemovedObject({ message }: Error): boolean {
  return /^(Cannot find parent object|Cannot find object to|Object with guid \S+ was not bound)/.test(message);
}
