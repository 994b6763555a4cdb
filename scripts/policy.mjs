// The page's Content Security Policy: nothing may be fetched or sent.
import { createHash } from "node:crypto";

const hashOf = (/** @type {string} */ text) =>
  `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const inline = (/** @type {string} */ html, /** @type {string} */ tag) =>
  [...html.matchAll(new RegExp(`<${tag}>([^]*?)</${tag}>`, "g"))].map((match) => hashOf(match[1]));

/** The policy for a page: its inline scripts and styles by hash, its own script files if it has any. */
export function policyFor(/** @type {string} */ html) {
  const ownFiles = /<script [^>]*src=/.test(html) ? ["'self'"] : [];
  const styles = inline(html, "style");
  return [
    "default-src 'none'",
    ["script-src", ...ownFiles, ...inline(html, "script"), "'wasm-unsafe-eval'"].join(" "),
    "worker-src blob:",
    ["style-src", ...(styles.length ? styles : ["'none'"])].join(" "),
    "img-src data: blob:",
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types lit-html clinscore",
  ].join("; ");
}
