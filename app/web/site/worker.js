// Keeps the page's files, so that it works without a network after the first load; with one, newer files win.
'use strict';
const KEPT = 'warptree';
const FILES = ['./', 'index.html', 'page.js', 'warptree-page.js', 'warptree-page.wasm', 'warptree-data.bin'];
addEventListener('install', event => event.waitUntil((async () => {
    await (await caches.open(KEPT)).addAll(FILES);
    await skipWaiting();
})()));
addEventListener('activate', event => event.waitUntil(clients.claim()));
addEventListener('fetch', event => {
    if (event.request.method !== 'GET') return;
    event.respondWith((async () => {
        const kept = await caches.open(KEPT);
        try {
            const answer = await fetch(event.request);
            if (answer.ok) await kept.put(event.request, answer.clone());
            return answer;
        } catch (error) {
            const found = await kept.match(event.request, {ignoreSearch: true});
            if (found) return found;
            throw error;
        }
    })());
});
