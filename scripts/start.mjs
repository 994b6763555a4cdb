// Installs, builds, serves dist/site/ on this computer.
import { build, singleFile, site } from "./build.mjs";
import { main } from "./lib.mjs";
import { setup } from "./setup.mjs";

await main(import.meta, async () => {
  setup();
  await build();
  const { serve } = await import("./server.mjs");
  const { url } = await serve(site);
  console.log(`
clinscore is at      ${url}   (Ctrl+C ends it)
or open this file    ${singleFile}   (works without any server or network)`);
});
