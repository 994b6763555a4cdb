// The page's end of the worker: typed calls, cancelling, and a new worker after a death.

import wasmBase64 from "clinscore:wasm";
import workerSource from "clinscore:worker";
import { compiled } from "./compiled.js";
import type {
  Arranged,
  BoardQuery,
  Calls,
  Catalog,
  Explanation,
  Failure,
  GivenFile,
  GivenTokenizer,
  Inspection,
  OpenDocument,
  Options,
  Progress,
  Query,
  Reply,
  ResultsFile,
} from "./protocol.js";
import type { BoardView, Report } from "./report.js";
import { isSameTokenizer, tokenizerModule } from "./tokenizer.js";

/** Files by the dataset that they are scored under; "" is the run without datasets of its own. */
export type Groups = Map<string, GivenFile[]>;

/** A failure as an exception. Codes of the page: `cancelled`, `died`, `no_wasm`. */
export class Failed extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message);
  }
}

interface Pending {
  resolve(text: string): void;
  reject(error: Failed): void;
  progress?: ((progress: Progress) => void) | undefined;
}

let core: Promise<WebAssembly.Module> | undefined;

/** The core, compiled once and shared by every worker. */
function compile(): Promise<WebAssembly.Module> {
  core ??= compiled(wasmBase64);
  return core;
}

/** Whether this browser can run the core at all. */
export function canRun(): boolean {
  return typeof WebAssembly === "object" && typeof DecompressionStream === "function";
}

let workerUrl: string | TrustedScriptURL | undefined;

/** The worker's script: our own bytes, so the one policy of the page lets it pass. */
function script(): string | TrustedScriptURL {
  if (!workerUrl) {
    const url = URL.createObjectURL(new Blob([workerSource], { type: "text/javascript" }));
    const types = window.trustedTypes;
    workerUrl = types
      ? types.createPolicy("clinscore", { createScriptURL: () => url }).createScriptURL(url)
      : url;
  }
  return workerUrl;
}

const isSame = (a: GivenFile, b: GivenFile | undefined) =>
  a.file === b?.file && a.role === b.role && a.system === b.system && a.path === b.path;

/** One worker at a time, and the files it was given. */
export class Client {
  /** The dataset that questions about a score are about. */
  dataset = "";
  #worker: Worker | undefined;
  #pending = new Map<number, Pending>();
  #next = 0;
  #files: Groups = new Map([["", []]]);
  #tokenizers: GivenTokenizer[] = [];
  #ready: Promise<unknown> | undefined;
  /** Why a worker is gone, for calls that were still waiting for it to start. */
  #ended = new WeakMap<Worker, Failure>();

  /** Sets the files that the next scores read; a new worker is given them again. */
  setFiles(files: Groups) {
    const before = this.#files;
    this.#files = files;
    const worker = this.#worker;
    if (!worker || !this.#ready) return;
    this.#awaitFirst(
      this.#ready.then(() => {
        this.#mustLive(worker);
        const gone = [...before.keys()].filter((dataset) => !files.has(dataset));
        return Promise.all([
          ...gone.map((dataset) => this.#ask("drop", { dataset })),
          ...[...files].map(([dataset, its]) =>
            this.#give(dataset, before.get(dataset) ?? [], its),
          ),
        ]);
      }),
    );
  }

  #give(dataset: string, before: GivenFile[], files: GivenFile[]): Promise<string> {
    const more = files.slice(before.length);
    if (!before.every((file, at) => isSame(file, files[at]))) {
      return this.#ask("files", { dataset, files });
    }
    return more.length ? this.#ask("add", { dataset, files: more }) : Promise.resolve("");
  }

  /** Sets the tokenizers, which stay when files change; a new worker is given them again. */
  setTokenizers(tokenizers: GivenTokenizer[]) {
    const before = this.#tokenizers;
    const same = before.length === tokenizers.length;
    if (same && before.every((one, at) => isSameTokenizer(one, tokenizers[at]))) return;
    this.#tokenizers = tokenizers;
    const worker = this.#worker;
    if (!worker || !this.#ready) return;
    this.#awaitFirst(this.#ready.then(() => this.#giveTokenizers(worker, tokenizers)));
  }

  async #giveTokenizers(worker: Worker, tokenizers: GivenTokenizer[]): Promise<string> {
    const module = tokenizers.length ? await tokenizerModule() : null;
    this.#mustLive(worker);
    return this.#ask("tokenizers", { module, tokenizers });
  }

  /** What every call waits for. Whoever calls next sees its failure; it must not be reported twice. */
  #awaitFirst(ready: Promise<unknown>) {
    ready.catch(() => {});
    this.#ready = ready;
  }

  /** Ends the worker at once; every pending call is rejected with `code`. */
  stop(failure: Failure) {
    if (this.#worker) this.#ended.set(this.#worker, failure);
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#ready = undefined;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of pending) reject(new Failed(failure));
  }

  /** What can be chosen. */
  catalog(): Promise<Catalog> {
    return this.#json("catalog", {});
  }

  score(dataset: string, options: Options, progress?: (p: Progress) => void): Promise<Report> {
    return this.#json("score", { dataset, options }, progress);
  }

  inspect(
    dataset: string,
    options: Options,
    progress?: (p: Progress) => void,
  ): Promise<Inspection> {
    return this.#json("inspect", { dataset, options }, progress);
  }

  /** What is in some files by themselves. */
  look(files: GivenFile[]): Promise<Inspection> {
    return this.#json("look", { files });
  }

  explain(query: Query): Promise<Explanation> {
    return this.#json("explain", { dataset: this.dataset, query });
  }

  open(system: number, document: number): Promise<OpenDocument> {
    return this.#json("open", { dataset: this.dataset, system, document });
  }

  output(kind: string): Promise<string> {
    return this.#call("output", { dataset: this.dataset, kind });
  }

  hash(progress?: (p: Progress) => void): Promise<string> {
    return this.#call("hash", { dataset: this.dataset }, progress);
  }

  board(datasets: string[], results: ResultsFile[]): Promise<BoardView> {
    return this.#json("board", { datasets, results });
  }

  boardOutput(kind: string, query: BoardQuery): Promise<string> {
    return this.#call("boardOutput", { kind, query });
  }

  /** What paths say. Asked of a worker of its own: the other may be reading for minutes. */
  async arrange(paths: string[]): Promise<Arranged[]> {
    const module = await compile();
    const worker = new Worker(script() as string);
    try {
      return await new Promise((resolve, reject) => {
        worker.onmessage = ({ data }: MessageEvent<Reply>) => {
          if (data.reply === "result") resolve(JSON.parse(data.text));
          else reject(new Error(data.reply));
        };
        worker.onerror = (event) => {
          event.preventDefault();
          reject(new Error(event.message));
        };
        worker.postMessage({ id: 0, call: "arrange", module, paths });
      });
    } finally {
      worker.terminate();
    }
  }

  async #json<K extends keyof Calls, T>(
    call: K,
    rest: Calls[K],
    progress?: (p: Progress) => void,
  ): Promise<T> {
    return JSON.parse(await this.#call(call, rest, progress));
  }

  async #call<K extends keyof Calls>(
    call: K,
    rest: Calls[K],
    progress?: (p: Progress) => void,
  ): Promise<string> {
    if (!this.#worker) this.#start();
    const worker = this.#worker as Worker;
    await this.#ready;
    this.#mustLive(worker);
    return this.#ask(call, rest, progress);
  }

  /** Throws for a worker that was stopped while it was starting. */
  #mustLive(worker: Worker) {
    const failure = this.#ended.get(worker);
    if (failure) throw new Failed(failure);
  }

  #start() {
    const worker = new Worker(script() as string);
    this.#worker = worker;
    // What a worker said before it was ended may arrive after it.
    const died = (message: string) => {
      if (worker === this.#worker) this.stop({ code: "died", message });
    };
    worker.onmessage = ({ data }: MessageEvent<Reply>) => {
      if (worker === this.#worker) this.#hear(data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      died(event.message);
    };
    worker.onmessageerror = () => died("");
    const files = this.#files;
    const tokenizers = this.#tokenizers;
    const started = compile()
      .catch((error) => {
        throw new Failed({ code: "no_wasm", message: String(error) });
      })
      .then((module) => {
        this.#mustLive(worker);
        return this.#ask("start", { module });
      })
      .then(() =>
        Promise.all(
          [...files].map(([dataset, its]) => this.#ask("files", { dataset, files: its })),
        ),
      )
      .then(() => (tokenizers.length ? this.#giveTokenizers(worker, tokenizers) : ""));
    this.#awaitFirst(started);
  }

  #ask<K extends keyof Calls>(
    call: K,
    rest: Calls[K],
    progress?: (p: Progress) => void,
  ): Promise<string> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject, progress });
      this.#worker?.postMessage({ id, call, ...rest });
    });
  }

  #hear(reply: Reply) {
    const pending = this.#pending.get(reply.id);
    if (!pending) return;
    if (reply.reply === "progress") {
      pending.progress?.(reply.progress);
      return;
    }
    if (reply.reply === "died") {
      this.stop({ code: "died", message: reply.message });
      return;
    }
    this.#pending.delete(reply.id);
    if (reply.reply === "result") pending.resolve(reply.text);
    else pending.reject(new Failed(reply.failure));
  }
}
