// Prints what wabac.js, the library of replayweb.page, answers for URLs of an archive: one JSON object a line, with `url`, `status` and
// `body` (base 64).
//
//     node replay.mjs ARCHIVE_URL < URLS
//
// In a browser, wabac.js runs in a service worker and keeps what it reads in IndexedDB. Here the same code runs without a browser: the
// database is in memory, and each URL is asked for as the service worker does, by the modifier `id_`, which changes no byte.

import "fake-indexeddb/auto";
import { readFileSync } from "node:fs";

// What a service worker has.
globalThis.self = globalThis;
globalThis.addEventListener = () => {};
globalThis.location = new URL("http://localhost/");
const print = console.log;
console.log = (...words) => console.error(...words);

const { SWCollections, ArchiveRequest } = await import("@webrecorder/wabac/swlib");

const origin = "http://localhost/";
const prefix = `${origin}w/`;
const collections = new SWCollections({ main: prefix, root: origin, proxy: prefix, static: prefix, staticFile: "" });
const progress = (_percent, error) => error && console.error(error);
const added = await collections.addCollection({ name: "crawl", file: { sourceUrl: process.argv[2] } }, progress);
if (!added) {
  process.exit(1);
}
const collection = await collections.getColl("crawl");
for (const url of readFileSync(0, "utf-8").split("\n").filter(Boolean)) {
  const request = new ArchiveRequest(`id_/${url}`, new Request(`${prefix}crawl/id_/`));
  const answer = await collection.handleRequest(request, { clientId: "", waitUntil() {} });
  const body = Buffer.from(await answer.arrayBuffer()).toString("base64");
  print(JSON.stringify({ url, status: answer.status, body }));
}
// The library leaves timers.
process.exit(0);
