// Modules that scripts/build.mjs makes while it bundles the page.

/** The bundled worker, as the text of a classic script. */
declare module "clinscore:worker" {
  const source: string;
  export default source;
}

/** The compiled core: gzip, then base64. */
declare module "clinscore:wasm" {
  const base64: string;
  export default base64;
}

/** The compiled tokenizer module, likewise. */
declare module "clinscore:tokenizer" {
  const base64: string;
  export default base64;
}

/** The files below www/example/: path → text. */
declare module "clinscore:example" {
  const files: Record<string, string>;
  export default files;
}

/** What this build calls itself. */
declare module "clinscore:version" {
  const build: { version: string; commit?: string };
  export default build;
}
