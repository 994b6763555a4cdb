#!/usr/bin/env node
import { main } from "../lib/cli.js";

process.stdout.on("error", (error) => {
  // The reader of our output went away (`| head`).
  if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EPIPE") throw error;
});
process.exitCode = await main(process.argv.slice(2));
