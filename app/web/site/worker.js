// Keeps the page's files, so that it starts from them and works without a network after the first load. script/web writes the
// version, a sum of all files: another one is fetched whole in the background, and begins with the next load. What is kept says
// that it is isolated from other sites, without which a browser gives a page no threads: few static servers say so.
'use strict';
const KEPT = 'warptree-@VERSION@';
const FILES = ['./', 'index.html', 'page.js', 'pointer.js', 'warptree-data.bin',
    'warptree-page-threads.js', 'warptree-page-threads.worker.js', 'warptree-page-threads.wasm'];
const ISOLATED = {'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp',
    'Cross-Origin-Resource-Policy': 'same-origin'};
async function keep(cache, file) {
    const answer = await fetch(new Request(file, {cache: 'no-cache'}));
    if (!answer.ok) throw Error(`${file}: ${answer.status} ${answer.statusText}`);
    const headers = new Headers(answer.headers);
    headers.delete('Content-Encoding'); // the body is inflated
    headers.delete('Content-Length');
    for (const name in ISOLATED) headers.set(name, ISOLATED[name]);
    await cache.put(file, new Response(answer.body, {headers}));
}
addEventListener('install', event => event.waitUntil((async () => {
    const cache = await caches.open(KEPT);
    await Promise.all(FILES.map(file => keep(cache, file)));
    await skipWaiting();
})()));
addEventListener('activate', event => event.waitUntil((async () => {
    for (const name of await caches.keys()) if (name !== KEPT) await caches.delete(name);
    await clients.claim();
})()));
addEventListener('fetch', event => {
    if (event.request.method !== 'GET') return;
    event.respondWith((async () => {
        const found = await (await caches.open(KEPT)).match(event.request, {ignoreSearch: event.request.mode === 'navigate'});
        return found ?? fetch(event.request);
    })());
});
