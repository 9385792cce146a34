/** A real OpenID Connect provider in a process of its own, and a person who signs in there. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { required } from './required.ts';
import { WebBrowser } from './webBrowser.ts';

export interface OidcProvider {
  readonly issuer: string;
  /** Sets what the provider knows about an account. */
  setAccount(id: string, claims: Readonly<Record<string, unknown>>): Promise<void>;
  /** Signs in with this account. @param url where the service sends the browser. @returns where the provider sends it back. */
  answer(url: string, account: string): Promise<URL>;
  close(): Promise<void>;
}

export async function startOidcProvider(publicUrl: string): Promise<OidcProvider> {
  const program = fileURLToPath(new URL('./oidcProviderProcess.ts', import.meta.url));
  const child = fork(program, [`${publicUrl}/sign-in/callback`, publicUrl], {
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  });
  const [issuer] = (await once(createInterface({ input: required(child.stdout ?? undefined) }), 'line')) as [string];
  return {
    issuer,
    async setAccount(id, claims) {
      const { status } = await fetch(`${issuer}/accounts/${encodeURIComponent(id)}`, {
        method: 'POST',
        body: JSON.stringify(claims),
      });
      if (status !== 204) throw new Error(`The provider answered ${status}.`);
    },
    async answer(url, account) {
      const browser = new WebBrowser(issuer);
      let { location, text } = await browser.get(url);
      for (let step = 0; step < 12; step++) {
        const next = new URL(location || issuer, issuer);
        if (location !== '' && next.origin !== issuer) return next;
        ({ location, text } = await browser.get(location));
        if (location !== '') continue;
        const action = required(/action="([^"]+)"/.exec(text)?.[1]);
        const prompt = required(/name="prompt" value="([^"]+)"/.exec(text)?.[1]);
        ({ location, text } = await browser.post(action, { prompt, login: account, password: 'any' }));
      }
      throw new Error(`The provider did not send the browser back: ${text.slice(0, 500)}`);
    },
    async close() {
      child.disconnect();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}
