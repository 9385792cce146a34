import { connect } from 'node:net';

/** Sends bytes to a port of loopback and returns all that comes back until the other side is done or `until` appears. */
export function rawExchange(port: number, text: string, until?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port });
    let received = '';
    const finish = () => {
      socket.destroy();
      resolve(received);
    };
    socket.setTimeout(60_000, () => socket.destroy(new Error(`Nothing more came after: ${received}`)));
    socket.on('error', reject);
    socket.on('connect', () => socket.write(text));
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      if (until !== undefined && received.includes(until)) finish();
    });
    socket.on('end', finish);
    socket.on('close', finish);
  });
}
