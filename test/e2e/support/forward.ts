/** Forwards a port from the address that pods reach to loopback. */
import { connect, createServer } from 'node:net';
import { type Listener, startListener } from '../../support/listeners.ts';
import { host } from './environment.ts';

export function forward(port: number): Promise<Listener> {
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    near.pipe(far).pipe(near);
    far.on('error', () => near.destroy());
    far.on('close', () => near.destroy());
    near.on('close', () => far.destroy());
  });
  return startListener(server, host());
}
