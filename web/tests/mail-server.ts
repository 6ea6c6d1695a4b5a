/* tests/mail-server.ts — a mail server that takes everything, and what was sent to it. */
import { createServer } from 'node:net';

export async function mailServer(): Promise<{ port: number; got: string[]; close: () => void }> {
  const got: string[] = [];
  const server = createServer((socket) => {
    let isText = false;
    socket.write('220 hello\r\n');
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      const text = chunk.toString();
      got.push(text);
      for (const line of text.split('\r\n').slice(0, -1)) {
        if (isText) {
          if (line !== '.') continue;
          isText = false;
          socket.write('250 taken\r\n');
        } else if (line === 'DATA') {
          isText = true;
          socket.write('354 go on\r\n');
        } else socket.write(line === 'QUIT' ? '221 bye\r\n' : '250 ok\r\n');
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { port, got, close: () => server.close() };
}
