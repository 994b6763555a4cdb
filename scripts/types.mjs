// Writes www/src/generated/boundary.ts from docs/boundary.schema.json, so that the page's types are
// the core's. `--check` only compares.
import { readFileSync, writeFileSync } from "node:fs";
import { compile } from "json-schema-to-typescript";
import { at, fail, main } from "./lib.mjs";

const from = "docs/boundary.schema.json";
const to = "www/src/generated/boundary.ts";

/**
 * The compiler reads older schemas: there a tuple is an array under `items`.
 * @param {any} node
 * @returns {any}
 */
function older(node) {
  if (Array.isArray(node)) return node.map(older);
  if (!node || typeof node !== "object") return node;
  // What stands beside a reference would make it a type of its own.
  if (node.$ref) return { $ref: node.$ref };
  const { prefixItems, title, ...rest } = node;
  const next = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, older(value)]));
  // Titles of inner schemas would name types a second time.
  if (title && (rest.$schema || typeof title !== "string")) next.title = older(title);
  return prefixItems ? { ...next, items: older(prefixItems), additionalItems: false } : next;
}

await main(import.meta, async () => {
  const schema = older(JSON.parse(readFileSync(at(from), "utf8")));
  const wanted = await compile(schema, "Boundary", {
    additionalProperties: false,
    bannerComment: `// Made by scripts/types.mjs from ${from}; do not edit.`,
    style: { printWidth: 100 },
  });

  if (!process.argv.includes("--check")) {
    writeFileSync(at(to), wanted);
    console.log(`${to}: written`);
  } else if (readFileSync(at(to), "utf8") !== wanted) {
    fail(`${to} is not what ${from} says: run node scripts/types.mjs`);
  } else console.log(`${to}: as ${from} says`);
});
