// Owns the WASM instance. Answers one request after the other; decides nothing.

import { catalog, initSync, Session } from "../../dist/wasm/clinscore.js";
import type { Failure, GivenFile, Progress, Reply, Request } from "../src/protocol.js";
import { setTokenizers } from "./tokenizers.js";

let session: Session;

function answer(request: Request): string {
  const progress = (progress: Progress) => say({ id: request.id, reply: "progress", progress });
  switch (request.call) {
    case "start":
      initSync({ module: request.module });
      session = new Session();
      return "";
    case "catalog":
      return catalog();
    case "files":
      session.clear();
      return add(request.files);
    case "add":
      return add(request.files);
    case "tokenizers":
      setTokenizers(session, request.module, request.tokenizers);
      return "";
    case "score":
      return session.score(request.options, progress);
    case "inspect":
      return session.inspect(request.options, progress);
    case "output":
      return session.output(request.kind);
    case "hash":
      session.hash(progress);
      return "";
    case "explain":
      return session.explain(request.query);
    case "open":
      return session.open(request.system, request.document);
  }
}

function add(files: GivenFile[]): string {
  for (const { role, system, path, file } of files) session.addFile(role, system, path, file);
  return "";
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
