/** Checks an address that a person enters, before anything is sent there. */
import { EgressRefusedError, HostNotFoundError, NetworkTimeoutError } from './errors.ts';
import type { Guard } from './guard.ts';

/**
 * @param address an absolute http or https URL.
 * @returns why the service would not connect to it, or undefined. The text does not say what the name resolves to, because that may
 *   be a secret of the operator.
 */
export async function addressFault(guard: Pick<Guard, 'resolve'>, address: string): Promise<string | undefined> {
  const { hostname, port, protocol } = new URL(address);
  try {
    await guard.resolve(hostname, Number(port) || (protocol === 'http:' ? 80 : 443));
    return undefined;
  } catch (error) {
    if (error instanceof EgressRefusedError)
      return `is not allowed: ${hostname} is not a public address, or its port is not one of the web. An operator can allow addresses with EGRESS_ALLOW.`;
    if (error instanceof HostNotFoundError) return `is not known: ${hostname} could not be found (DNS).`;
    if (error instanceof NetworkTimeoutError)
      return `could not be checked: ${hostname} could not be resolved in time (DNS).`;
    throw error;
  }
}
