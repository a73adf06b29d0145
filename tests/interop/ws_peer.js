// The npm package ws as a peer of the examples: `server DEFLATE` prints its port and echoes; `client DEFLATE PORT`
// sends what the test wants echoed, and prints "ok" when all of it came back and both sides closed.
const assert = require('assert');
const WebSocket = require('ws');

const [role, deflate, port] = process.argv.slice(2);
const perMessageDeflate = deflate === 'deflate' ? { threshold: 0 } : false;

const messages = [
  'Hello', '', 'ж中😀', 'x'.repeat(125), 'x'.repeat(126), 'x'.repeat(65535), '{"price": 1.25}'.repeat(70000),
  Buffer.alloc(0), Buffer.from([0, 255, 128]), Buffer.alloc(65536, 7),
  Buffer.from(Array.from({ length: 1 << 20 }, (_, i) => (i * 2654435761) >>> 24)),
];

function runServer() {
  const server = new WebSocket.Server({ port: 0, host: '127.0.0.1', perMessageDeflate }, () => {
    console.log(server.address().port);
  });
  server.on('connection', (socket) => {
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
    socket.on('close', (code) => console.log(`closed ${code} ${socket.extensions}`));
  });
}

function runClient() {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/chat?x=1`, { perMessageDeflate });
  let next = 0;
  let ponged = false;
  socket.on('open', () => {
    assert.strictEqual(socket.extensions, deflate === 'deflate' ? 'permessage-deflate' : '');
    socket.ping('are you there');
    socket.send('frag', { fin: false });
    socket.send('ment', { fin: true });
    for (const message of messages) socket.send(message);
  });
  socket.on('pong', (data) => { ponged = data.toString() === 'are you there'; });
  socket.on('message', (data, isBinary) => {
    const wanted = next === 0 ? 'fragment' : messages[next - 1];
    assert.strictEqual(isBinary, typeof wanted !== 'string');
    assert.ok(Buffer.from(wanted).equals(data), `message ${next}`);
    if (++next > messages.length) socket.close(4001, 'done');
  });
  socket.on('close', (code) => {
    assert.strictEqual(next, messages.length + 1);
    assert.ok(ponged);
    assert.strictEqual(code, 4001);
    console.log('ok');
  });
}

if (role === 'server') runServer();
else runClient();
