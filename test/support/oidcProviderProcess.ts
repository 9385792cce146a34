/** An OpenID Connect provider, as a program of its own. It prints its issuer when it is ready. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { Provider } from 'oidc-provider';

const [redirectUrl = '', afterSignOut = ''] = process.argv.slice(2);
const accounts = new Map<string, Record<string, unknown>>();

const server = createServer();
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The provider has no port.');
  const issuer = `http://127.0.0.1:${address.port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'tearsheet',
        client_secret: 'secret-of-the-client',
        redirect_uris: [redirectUrl],
        post_logout_redirect_uris: [afterSignOut],
      },
    ],
    claims: {
      openid: ['sub', 'azp', 'tid', '_claim_names'],
      email: ['email', 'email_verified'],
      profile: ['name', 'groups'],
    },
    pkce: { required: () => true },
    cookies: { keys: ['a test'] },
    // An account says in `idToken` what only the ID token has. All else comes from the userinfo endpoint.
    conformIdTokenClaims: false,
    findAccount: (_context, id) => ({
      accountId: id,
      claims(use) {
        const { idToken, ...info } = accounts.get(id) ?? {};
        return { sub: id, ...(use === 'id_token' ? Object(idToken) : info) };
      },
    }),
  });
  const callback = provider.callback();
  const setAccount = async (id: string, request: IncomingMessage, response: ServerResponse) => {
    accounts.set(id, (await json(request)) as Record<string, unknown>);
    response.writeHead(204).end();
  };
  server.on('request', (request, response) => {
    const [, id] = /^\/accounts\/(.+)$/.exec(request.url ?? '') ?? [];
    void (id === undefined ? callback(request, response) : setAccount(decodeURIComponent(id), request, response));
  });
  process.stdout.write(`${issuer}\n`);
});
process.once('disconnect', () => process.exit());
