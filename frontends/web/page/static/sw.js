// Keeps the page for when there is no network; what the server has is newer and comes first. The server writes the version of
// page and library into the name of the cache.
"use strict";

const CACHE = "troel-VERSION";
const FILES = ["", "app.js", "style.css", "worker.js", "troel.mjs", "troel.wasm", "icon.svg", "manifest.webmanifest"];
const addresses = new Set(FILES.map((name) => new URL(name, self.registration.scope).href));

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll([...addresses])));
});
self.addEventListener("activate", (event) => {
  const old = caches.keys().then((names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name))));
  event.waitUntil(old.then(() => self.clients.claim()));
});
self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  // Without what the address asks for: a token is not to be kept.
  const address = url.origin + url.pathname;
  if (event.request.method !== "GET" || !addresses.has(address)) return;
  const kept = async () => (await caches.open(CACHE)).match(address);
  event.respondWith(fetch(event.request).then(async (response) => {
    // A server that has forgotten this browser is as good as none.
    return response.ok ? response : (await kept()) ?? response;
  }, async () => (await kept()) ?? Response.error()));
});
