// Keeps the page for use without a network. The files of the server come first, because they are
// newer. The server writes the version of page and library into the name of the cache.
"use strict";

const CACHE = "troel-VERSION";
const FILES = [
  "",
  "app.js",
  "words/lb.json",
  "words/nl.json",
  "words/de.json",
  "words/fr.json",
  "style.css",
  "worker.js",
  "troel.mjs",
  "troel.wasm",
  "icon.svg",
  "manifest.webmanifest",
];
const addresses = new Set(FILES.map((name) => new URL(name, self.registration.scope).href));

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll([...addresses])));
});
self.addEventListener("activate", (event) => {
  const old = caches
    .keys()
    .then((names) =>
      Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name))),
    );
  event.waitUntil(old.then(() => self.clients.claim()));
});
self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  // The query is left out, because a token must not be stored.
  const address = url.origin + url.pathname;
  if (event.request.method !== "GET" || !addresses.has(address)) return;
  const kept = async () => (await caches.open(CACHE)).match(address);
  event.respondWith(
    fetch(event.request).then(
      async (response) => {
        // A server that refuses this browser is like no server.
        return response.ok ? response : ((await kept()) ?? response);
      },
      async () => (await kept()) ?? Response.error(),
    ),
  );
});
