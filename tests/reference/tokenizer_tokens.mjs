// Tokens as clinscore's module gives them: {"tokenizer": path, "texts": […]} on standard input, and on
// standard output what the file is and, for each text, start and end of every token.
import { readFileSync } from "node:fs";
import { tokenizerOf } from "../../lib/tokenizer.js";

const { tokenizer, texts } = JSON.parse(readFileSync(0, "utf8"));
const { description, tokens } = await tokenizerOf(readFileSync(tokenizer));
const listed = tokens && texts.map((/** @type {string} */ text) => [...tokens(text)]);
process.stdout.write(JSON.stringify({ ...JSON.parse(description), tokens: listed }));
