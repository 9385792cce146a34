/**
 * A stand-in for AWS STS, which no test can reach. It knows two calls, compares tokens, external ids and the key of the caller,
 * and answers with the XML that AWS documents. It does not check signatures.
 */
import { text } from 'node:stream/consumers';
import { type Listener, listenHttp } from './listeners.ts';

export interface StsStandInOptions {
  /** The token of the pod. */
  readonly token: string;
  /** The external id that each role requires. Undefined: it accepts any. */
  readonly roles: Readonly<Record<string, string | undefined>>;
  /** The answer of AssumeRole. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

export interface StsStandIn extends Listener {
  /** The calls of AssumeRole, as `role external-id`. */
  readonly assumed: readonly string[];
  /** When credentials expire; in an hour by default. */
  expiresAt: Date | undefined;
}

const BASE_KEY = 'ASIAPOD';

export async function startStsStandIn(options: StsStandInOptions): Promise<StsStandIn> {
  const assumed: string[] = [];
  const listener = await listenHttp(async (request, response) => {
    const call = new URLSearchParams(await text(request));
    const keyId = /Credential=([^/]+)\//.exec(request.headers.authorization ?? '')?.[1];
    const [status, body] = answer(call, keyId);
    response.writeHead(status, { 'content-type': 'text/xml' }).end(body);
  });
  const standIn: StsStandIn = Object.assign(listener, { assumed, expiresAt: undefined });

  function answer(call: URLSearchParams, keyId: string | undefined): [number, string] {
    const role = call.get('RoleArn') ?? '';
    if (call.get('Action') === 'AssumeRoleWithWebIdentity')
      return call.get('WebIdentityToken') === options.token
        ? [200, result('AssumeRoleWithWebIdentity', { accessKeyId: BASE_KEY, secretAccessKey: 'pod' })]
        : [400, failure('InvalidIdentityToken')];
    assumed.push(`${role} ${call.get('ExternalId')}`);
    if (keyId !== BASE_KEY) return [403, failure('InvalidClientTokenId')];
    const isOpen = role in options.roles && options.roles[role] === undefined;
    const isAllowed = isOpen || (role in options.roles && options.roles[role] === call.get('ExternalId'));
    return isAllowed ? [200, result('AssumeRole', options.credentials)] : [403, failure('AccessDenied')];
  }

  function result(action: string, { accessKeyId, secretAccessKey }: StsStandInOptions['credentials']): string {
    const expiration = (standIn.expiresAt ?? new Date(Date.now() + 3_600_000)).toISOString();
    return `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><${action}Result><Credentials>
<AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${secretAccessKey}</SecretAccessKey>
<SessionToken>session</SessionToken><Expiration>${expiration}</Expiration></Credentials></${action}Result></${action}Response>`;
  }
  return standIn;
}

const failure = (code: string) =>
  `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>m</Message></Error></ErrorResponse>`;
