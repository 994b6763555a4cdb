// A static server on this computer only, for `npm start` and the browser tests.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import sirv from "sirv";
import { policyFor } from "./policy.mjs";

/**
 * Serves a folder on a free port of 127.0.0.1, with the page's policy as a header too.
 * @param {string} folder
 * @param {(path: string) => void} [onRequest] told of every request
 */
export async function serve(folder, onRequest = () => {}) {
  const files = sirv(folder, {
    dev: true,
    setHeaders(response, path) {
      response.setHeader("X-Content-Type-Options", "nosniff");
      response.setHeader("Referrer-Policy", "no-referrer");
      if (path !== "/" && !path.endsWith(".html")) return;
      const html = readFileSync(join(folder, path.endsWith("/") ? "index.html" : path), "utf8");
      response.setHeader("Content-Security-Policy", policyFor(html));
    },
  });
  const server = createServer((request, response) => {
    onRequest(request.url ?? "");
    files(request, response, () => {
      response.statusCode = 404;
      response.end("Not found");
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}/`,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
