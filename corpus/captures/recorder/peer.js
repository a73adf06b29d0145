// A peer made of npm ws: node peer.js server|client PORT STEPS OPTIONS
'use strict';
const { readFileSync } = require('fs');
const WebSocket = require('ws');
const [role, port, stepsFile, optionsText] = process.argv.slice(2);
const { subprotocol, ...options } = JSON.parse(optionsText);
const steps = readFileSync(stepsFile, 'latin1').trim().split('\n').map((line) => line.split(' '));

async function run(ws) {
  let received = 0;
  let wake = () => {};
  const closed = new Promise((resolve) => ws.on('close', () => { wake(); resolve(); }));
  ws.on('message', () => { received += 1; wake(); });
  if (role === 'client') await new Promise((resolve) => ws.on('open', resolve));
  for (const [op, arg, hex] of steps) {
    const payload = Buffer.from(hex || '', 'hex');
    if (op === 'send') ws.send(payload, { binary: arg === 'binary' });
    if (op === 'begin') ws.send(payload, { binary: arg === 'binary', fin: false });
    if (op === 'more') ws.send(payload, { fin: false });
    if (op === 'end') ws.send(payload, { fin: true });
    if (op === 'ping') ws.ping(payload);
    if (op === 'pong') ws.pong(payload);
    if (op === 'close') ws.close(arg === '-' ? undefined : Number(arg), payload.toString());
    if (op === 'wait') {
      while (received < Number(arg) && ws.readyState === WebSocket.OPEN) await new Promise((resolve) => { wake = resolve; });
    }
  }
  await closed;
  process.exit(0);
}

if (role === 'server') {
  new WebSocket.Server({ host: '127.0.0.1', port: Number(port), ...options }).on('connection', run);
} else {
  run(new WebSocket(`ws://127.0.0.1:${port}/`, subprotocol || [], options));
}
