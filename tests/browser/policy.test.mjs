// The shipped policy against every way out of a page; the same page without it is the control.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { test } from "node:test";
import { at } from "../../scripts/lib.mjs";
import { policyFor } from "../../scripts/policy.mjs";
import { isChromium, open } from "./harness.mjs";

/** Tries every channel once; runs in the page. */
function tryEverything(/** @type {string} */ canary) {
  const to = (/** @type {string} */ channel) => `${canary}/${channel}`;
  const attempt = (/** @type {() => unknown} */ channel) => {
    try {
      const done = channel();
      if (done instanceof Promise) done.catch(() => {});
    } catch {
      // Refused, as it should be.
    }
  };
  const element = (
    /** @type {string} */ name,
    /** @type {Record<string, string>} */ attributes,
  ) => {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    document.body.append(node);
    return node;
  };
  attempt(() => fetch(to("fetch"), { mode: "no-cors" }));
  attempt(() => {
    const request = new XMLHttpRequest();
    request.open("GET", to("xhr"));
    request.send();
  });
  attempt(() => new WebSocket(to("websocket").replace("http", "ws")));
  attempt(() => new EventSource(to("eventsource")));
  attempt(() => navigator.sendBeacon(to("beacon"), "x"));
  attempt(() => element("img", { src: to("img") }));
  attempt(() => element("script", { src: to("script") }));
  attempt(() => element("link", { rel: "stylesheet", href: to("css") }));
  attempt(() => element("link", { rel: "prefetch", href: to("prefetch") }));
  attempt(() => element("iframe", { src: to("iframe") }));
  attempt(() => element("video", { src: to("video") }));
  attempt(() => element("object", { data: to("object") }));
  attempt(() => new FontFace("canary", `url(${to("font")})`).load());
  attempt(() => {
    element("iframe", { name: "sink" });
    const form = element("form", { action: to("form"), target: "sink", method: "post" });
    /** @type {HTMLFormElement} */ (form).submit();
  });
  attempt(() => element("a", { href: "#", ping: to("ping") }).click());
  const inWorker = `
    try { fetch(${JSON.stringify(to("worker-fetch"))}, { mode: "no-cors" }).catch(() => {}) } catch {}
    try { new WebSocket(${JSON.stringify(to("worker-websocket").replace("http", "ws"))}) } catch {}
    try { importScripts(${JSON.stringify(to("worker-import"))}) } catch {}`;
  attempt(() => {
    const url = URL.createObjectURL(new Blob([inWorker], { type: "text/javascript" }));
    const types = Reflect.get(window, "trustedTypes");
    // The page's own policy name: what the page may do, an attacker's script in it could.
    const rules = { createScriptURL: (/** @type {string} */ text) => text };
    const script = types ? types.createPolicy("clinscore", rules).createScriptURL(url) : url;
    new Worker(script);
  });
}

const channels = [
  ..."fetch xhr websocket eventsource beacon img script css iframe video object font form".split(
    " ",
  ),
  ..."worker-fetch worker-websocket worker-import".split(" "),
  // Firefox sends no pings and prefetches when it likes.
  ...(isChromium ? ["ping", "prefetch"] : []),
];

test("with the policy no channel reaches a server; without it every one does", async (t) => {
  /** @type {Set<string>} */
  const reached = new Set();
  /** @type {Record<string, string>} */
  const pages = {};
  const server = createServer((request, response) => {
    const path = (request.url ?? "").slice(1);
    const body = pages[path];
    if (body === undefined) reached.add(path);
    response.setHeader("Access-Control-Allow-Origin", "*");
    if (body !== undefined) response.setHeader("Content-Type", "text/html; charset=utf-8");
    response.end(body ?? "");
  });
  server.on("upgrade", (request, socket) => {
    reached.add((request.url ?? "").slice(1));
    socket.destroy();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  t.after(async () => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const address = `http://127.0.0.1:${port}`;
  const head =
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,">';
  const rest = `<title>x</title></head><body><script>(${tryEverything})(${JSON.stringify(address)})</script></body></html>`;
  pages.open = head + rest;
  const policy = policyFor(head + rest);
  pages.closed = `${head}<meta http-equiv="Content-Security-Policy" content="${policy}">${rest}`;

  await open(t, `${address}/open`);
  for (let tries = 0; tries < 100 && channels.some((one) => !reached.has(one)); tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.deepEqual(
    channels.filter((one) => !reached.has(one)),
    [],
    "the control did not reach these",
  );

  reached.clear();
  await open(t, `${address}/closed`);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  assert.deepEqual([...reached], []);
});

test("both built pages ship this policy", () => {
  for (const path of ["clinscore.html", "site/index.html"]) {
    const html = readFileSync(at("dist", path), "utf8");
    const [tag, policy] =
      /<meta http-equiv="Content-Security-Policy" content="([^"]+)">/.exec(html) ?? [];
    assert.ok(tag, path);
    assert.equal(policy, policyFor(html.replace(`\n${tag}`, "")), path);
    assert.match(policy ?? "", /default-src 'none'/);
    // It must come before anything it is to govern.
    assert.ok(html.indexOf(tag ?? "") < html.indexOf("<script"), path);
  }
});
