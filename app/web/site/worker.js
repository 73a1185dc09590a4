// Keeps the page's files, so that it starts from them and works without a network after the first load. script/web writes the
// version, a sum of all files: another one is fetched whole in the background, and begins with the next load.
'use strict';
const KEPT = 'warptree-@VERSION@';
const FILES = ['./', 'index.html', 'page.js', 'warptree-page.js', 'warptree-page.wasm', 'warptree-data.bin'];
addEventListener('install', event => event.waitUntil((async () => {
    await (await caches.open(KEPT)).addAll(FILES.map(file => new Request(file, {cache: 'reload'})));
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
