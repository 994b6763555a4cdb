// Owns the WASM instance. Answers one request after the other; decides nothing.

import { arrange, Board, catalog, initSync, Session } from "../../dist/wasm/clinscore.js";
import type { Failure, GivenFile, Progress, Reply, Request, ResultsFile } from "../src/protocol.js";
import type { BoardView } from "../src/report.js";
import { giveTokenizers, holdTokenizers } from "./tokenizers.js";

/** By dataset; under "" what is scored as one run. */
const sessions = new Map<string, Session>();
let board: Board | undefined;

function sessionOf(dataset: string): Session {
  let session = sessions.get(dataset);
  if (!session) {
    session = new Session();
    giveTokenizers(session);
    sessions.set(dataset, session);
  }
  return session;
}

function answer(request: Request): string {
  const progress = (progress: Progress) => say({ id: request.id, reply: "progress", progress });
  switch (request.call) {
    case "start":
      initSync({ module: request.module });
      return "";
    case "arrange":
      initSync({ module: request.module });
      return arrange(request.paths);
    case "catalog":
      return catalog();
    case "files":
      sessionOf(request.dataset).clear();
      return add(request.dataset, request.files);
    case "add":
      return add(request.dataset, request.files);
    case "tokenizers":
      holdTokenizers(request.module, request.tokenizers);
      for (const session of sessions.values()) giveTokenizers(session);
      return "";
    case "drop":
      sessions.get(request.dataset)?.free();
      sessions.delete(request.dataset);
      return "";
    case "score":
      return sessionOf(request.dataset).score(request.options, progress);
    case "inspect":
      return sessionOf(request.dataset).inspect(request.options, progress);
    case "look":
      return look(request.files);
    case "output":
      return sessionOf(request.dataset).output(request.kind);
    case "hash":
      sessionOf(request.dataset).hash(progress);
      return "";
    case "explain":
      return sessionOf(request.dataset).explain(request.query);
    case "open":
      return sessionOf(request.dataset).open(request.system, request.document);
    case "board":
      return makeBoard(request.datasets, request.results);
    case "boardOutput":
      return board?.output(request.kind, request.query) ?? "";
  }
}

function addTo(session: Session, files: GivenFile[]) {
  for (const { role, system, path, file } of files) session.addFile(role, system, path, file);
}

function add(dataset: string, files: GivenFile[]): string {
  addTo(sessionOf(dataset), files);
  return "";
}

function look(files: GivenFile[]): string {
  const session = new Session();
  try {
    addTo(session, files);
    return session.inspect({});
  } finally {
    session.free();
  }
}

/** Results files are small and read whole; one that cannot be read is told beside the others. */
function makeBoard(datasets: string[], results: ResultsFile[]): string {
  board?.free();
  board = new Board();
  for (const dataset of datasets) board.addReport(sessionOf(dataset));
  const unreadable: BoardView["problems"] = [];
  for (const { name, file } of results) {
    try {
      board.addResults(name, new Uint8Array(new FileReaderSync().readAsArrayBuffer(file)));
    } catch (error) {
      if (isDeath(error)) throw error;
      unreadable.push({ file: name, found: failureOf(error).message, expected: "" });
    }
  }
  if (!unreadable.length) return board.view();
  const view: BoardView = JSON.parse(board.view());
  return JSON.stringify({ ...view, problems: [...view.problems, ...unreadable] });
}

/** Traps and exhausted stacks leave the instance in an unknown state. */
function isDeath(error: unknown): error is Error {
  return (
    error instanceof WebAssembly.RuntimeError ||
    error instanceof RangeError ||
    (error instanceof Error && error.name === "InternalError")
  );
}

function failureOf(error: unknown): Failure {
  if (error && typeof error === "object" && "code" in error) return { ...error } as Failure;
  return { code: "internal", message: error instanceof Error ? error.message : String(error) };
}

function say(reply: Reply) {
  self.postMessage(reply);
}

self.onmessage = ({ data }: MessageEvent<Request>) => {
  const { id } = data;
  try {
    say({ id, reply: "result", text: answer(data) });
  } catch (error) {
    if (isDeath(error)) say({ id, reply: "died", message: error.message });
    else say({ id, reply: "error", failure: failureOf(error) });
  }
};
