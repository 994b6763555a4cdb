// What the page knows, and the one place that changes it. Views listen; every change of files or
// options leads to a new score by itself.

import exampleFiles from "clinscore:example";
import { chosenOf, moved, type Place, written } from "./chosen.js";
import { Client, canRun, Failed } from "./client.js";
import type { Digits } from "./format.js";
import {
  belongTogether,
  fromFiles,
  type Given,
  type GivenPath,
  guessRole,
  looseName,
  split,
} from "./intake.js";
import type {
  Catalog,
  Failure,
  GivenFile,
  GivenTokenizer,
  Inspection,
  Mode,
  Options,
  Outcome,
  Progress,
  Role,
} from "./protocol.js";
import type { FileOptions, Input, InspectedSystem, Report, Side, TokenizerFile } from "./report.js";
import { t } from "./strings.js";
import { looksLikeTokenizer, type Tokenizer, withoutTokenizers } from "./tokenizer.js";

export const views = ["files", "score", "why", "compare", "take"] as const;
export type View = (typeof views)[number];

export const outcomes: Outcome[] = [
  "exact",
  "other_label",
  "overlap",
  "overlap_other_label",
  "spurious",
  "missed",
];
export const errors = outcomes.filter((outcome) => outcome !== "exact");
export const modes: Mode[] = ["strict", "ent_type", "partial", "exact"];

/** Something that was dropped, picked or pasted. */
export interface Source {
  id: number;
  role: Role;
  /** The system's name on screen, for predictions. */
  system: string;
  /** Whether a person gave that name; a file's own name is kept out of exports. */
  named: boolean;
  name: string;
  files: GivenPath[];
}

/** Which events Why shows. */
export interface Filter {
  outcomes: Outcome[];
  charged?: string | undefined;
  goldLabel?: string | undefined;
  predictedLabel?: string | undefined;
  search?: string | undefined;
}

export interface Busy extends Progress {
  since: number;
}

/** What the page shows of the files: from the report, or from an inspection while a side is absent. */
export interface Facts {
  inputs: Input[];
  /** As in the store's list. */
  tokenizers: TokenizerFile[];
  gold: Side | null;
  systems: InspectedSystem[];
  /** The file behind each input. */
  files: Place[];
}

export class Store extends EventTarget {
  readonly client = new Client();

  view: View = "files";
  sources: Source[] = [];
  tokenizers: Tokenizer[] = [];
  options: Options = {};
  digits: Digits = 4;
  mode: Mode | null = null;
  system = 0;
  filter: Filter = { outcomes: errors };

  /** What can be chosen; absent until the core has started. */
  catalog: Catalog | null = null;
  report: Report | null = null;
  facts: Facts | null = null;
  busy: Busy | null = null;
  failure: Failure | null = null;
  /** What a screen reader is told. */
  said = "";
  /** Counts scores, so that views know when what they fetched is old. */
  run = 0;

  constructor() {
    super();
    if (!canRun()) this.failure = { code: "no_wasm", message: t.noWasm };
  }

  #nextId = 1;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running = false;
  #again = false;
  #filesChanged = false;
  /** The files that keys of `options.files` were written for. */
  #places: Place[] = [];

  /** Tells every view. */
  changed() {
    this.dispatchEvent(new Event("change"));
  }

  show(view: View) {
    if (this.view === view) return;
    this.view = view;
    this.dispatchEvent(new Event("view"));
    this.changed();
  }

  /** Opens Why on some events of one system. */
  explain(filter: Partial<Filter>, system = this.system) {
    this.filter = { outcomes: errors, ...filter };
    this.system = system;
    this.show("why");
    this.changed();
  }

  set(change: Partial<Pick<Store, "digits" | "mode" | "system" | "filter">>) {
    Object.assign(this, change);
    this.changed();
  }

  /** The names of the systems on screen, in the order of the report. */
  get systemNames(): string[] {
    return [...new Set(this.sources.filter((s) => s.role === "prediction").map((s) => s.system))];
  }

  // Files

  /** Adds what was given; without a role it is guessed from the names. */
  add(given: Given[], role?: Role) {
    const { parts, tokenizers } = withoutTokenizers(role ? given : given.flatMap(split));
    const before = this.sources;
    let onlyAdded = true;
    for (const one of parts) {
      const other = this.sources.find(
        (source) => (!role || source.role === role) && belongTogether(source.files, one.files),
      );
      if (other) {
        const files = [...other.files, ...one.files];
        const joined = { ...other, name: looseName(files), files };
        this.sources = this.sources.map((source) => (source === other ? joined : source));
        onlyAdded = false;
        continue;
      }
      const hasGold = this.sources.some((source) => source.role === "gold");
      const its = role ?? guessRole(one.name) ?? (hasGold ? "prediction" : "gold");
      this.sources = [
        ...this.sources,
        {
          id: this.#nextId++,
          role: its,
          system: this.#freeName(baseOf(one.name)),
          named: false,
          name: one.name,
          files: one.files,
        },
      ];
    }
    for (const { one, beside } of tokenizers) this.#addTokenizer(one, beside);
    for (const source of this.sources) if (!before.includes(source)) void this.#sniff(source);
    if (parts.length || tokenizers.length) this.#filesMoved(onlyAdded);
  }

  /** The bundled example: one gold file and two systems. */
  addExample() {
    this.sources = [];
    this.options = {};
    for (const [path, text] of Object.entries(exampleFiles)) {
      const given = fromFiles([new File([text], path)]);
      this.add(given, path.startsWith("gold") ? "gold" : "prediction");
    }
    for (const source of this.sources) source.named = true;
  }

  update(id: number, change: Partial<Pick<Source, "role" | "system" | "named">>) {
    const before = this.sources.find((source) => source.id === id)?.system;
    this.sources = this.sources.map((source) =>
      source.id === id ? { ...source, ...change } : source,
    );
    this.#keepTokenizers(before, change.system);
    this.#filesMoved();
  }

  remove(id: number) {
    const gone = this.sources.find((source) => source.id === id)?.system;
    this.sources = this.sources.filter((source) => source.id !== id);
    if (gone && !this.systemNames.includes(gone)) {
      this.tokenizers = this.tokenizers.filter(({ system }) => system !== gone);
    }
    this.#filesMoved();
  }

  clear() {
    this.sources = [];
    this.tokenizers = [];
    this.#filesMoved();
  }

  /** Adds a source's files to the other side too: they hold both. */
  addOther({ role, name, files }: Source) {
    const other = role === "gold" ? "prediction" : "gold";
    const system = this.#freeName(baseOf(name));
    const source = { id: this.#nextId++, role: other, system, named: false, name, files } as const;
    this.sources = [...this.sources, source];
    this.#filesMoved(true);
  }

  /** Gold becomes a system, and a system gold. What was chosen for a side goes with its files. */
  swap(system: string) {
    const golds = this.sources.filter((source) => source.role === "gold");
    const others = this.systemNames.filter((name) => name !== system);
    const { formatGold, formatPred, goldOffsets, predOffsets } = this.options;
    if (others.length) {
      const chosen = this.chosen();
      this.#write(
        chosen.map((one, at) => {
          const source = this.sources.find(({ id }) => id === this.#places[at]?.source);
          const isGold = source?.role === "gold";
          if (!isGold && source?.system !== system) return one;
          const format = (isGold ? formatGold : formatPred) ?? null;
          const offsets = (isGold ? goldOffsets : predOffsets) ?? null;
          return { ...one, format: one.format ?? format, offsets: one.offsets ?? offsets };
        }),
      );
    } else {
      this.options = present({
        ...this.options,
        formatGold: formatPred,
        formatPred: formatGold,
        goldOffsets: predOffsets,
        predOffsets: goldOffsets,
      });
    }
    const name = this.#freeName(golds[0]?.system ?? system, others);
    this.sources = this.sources.map((source): Source => {
      if (source.role === "gold") return { ...source, role: "prediction", system: name };
      return source.system === system ? { ...source, role: "gold" } : source;
    });
    this.#keepTokenizers();
    this.#filesMoved();
  }

  // Tokenizers

  /** Adds a tokenizer: of the system that its files beside it are, or of every system. */
  #addTokenizer({ path, file }: GivenPath, beside: GivenPath[]) {
    const its = this.sources.find((source) => source.files.some((one) => beside.includes(one)));
    const system = its?.role === "prediction" ? its.system : "";
    this.#setTokenizer({ id: this.#nextId++, system, path, file });
  }

  /** One for each system: the last one given. */
  #setTokenizer(tokenizer: Tokenizer) {
    const others = this.tokenizers.filter(
      ({ id, system }) => id !== tokenizer.id && system !== tokenizer.system,
    );
    this.tokenizers = [...others, tokenizer];
  }

  /** A source that is a tokenizer of another name becomes one. */
  async #sniff(source: Source) {
    const [one] = source.files;
    if (source.files.length > 1 || !one || !(await looksLikeTokenizer(one))) return;
    if (!this.sources.some(({ id }) => id === source.id)) return;
    this.sources = this.sources.filter(({ id }) => id !== source.id);
    this.#addTokenizer(one, []);
    this.#filesMoved();
  }

  /** Says whose tokens a tokenizer makes. */
  updateTokenizer(id: number, system: string) {
    const tokenizer = this.tokenizers.find((one) => one.id === id);
    if (tokenizer) this.#setTokenizer({ ...tokenizer, system });
    this.#filesMoved();
  }

  removeTokenizer(id: number) {
    this.tokenizers = this.tokenizers.filter((one) => one.id !== id);
    this.#filesMoved();
  }

  /** Tokenizers go with their system's name; without it they are everyone's. */
  #keepTokenizers(before?: string, now?: string) {
    const names = this.systemNames;
    for (const one of this.tokenizers) {
      if (!one.system || names.includes(one.system)) continue;
      const system = one.system === before && now && names.includes(now) ? now : "";
      this.#setTokenizer({ ...one, system });
    }
  }

  /** The tokenizers under the names that the core knows systems by. */
  #givenTokenizers(): GivenTokenizer[] {
    return this.tokenizers.map(({ system, path, file }) => ({
      system: system ? this.#told(system) : null,
      path,
      file,
    }));
  }

  #freeName(base: string, names = this.sources.map((source) => source.system)): string {
    const taken = new Set(names);
    let free = base;
    for (let n = 2; taken.has(free); n += 1) free = `${base} ${n}`;
    return free;
  }

  // Options

  setOptions(change: Partial<Options>) {
    const options = present({ ...this.options, ...change });
    // Names of files enter what the core knows only when it may tell them.
    if (options.paths !== this.options.paths) this.#filesChanged = true;
    this.options = options;
    this.#schedule();
  }

  /** Every option anew, as from a run file. */
  replaceOptions(options: Options) {
    const cleared = Object.fromEntries(Object.keys(this.options).map((key) => [key, undefined]));
    this.setOptions({ ...cleared, ...options });
  }

  /** What was chosen for each file alone, in the core's order. */
  chosen(): FileOptions[] {
    return chosenOf(
      this.options.files ?? {},
      this.#places.map(({ path }) => path),
    );
  }

  /** What was chosen for all files of a source. */
  chosenFor(source: Source, chosen = this.chosen()): FileOptions {
    const at = this.#places.findIndex((place) => place.source === source.id);
    return chosen[at] ?? {};
  }

  /** Chooses how all files of a source are read. */
  choose(source: Source, change: FileOptions) {
    const chosen = this.chosen();
    this.#write(
      chosen.map((one, at) =>
        this.#places[at]?.source === source.id ? { ...one, ...change } : one,
      ),
    );
    this.#schedule();
  }

  #write(chosen: FileOptions[]) {
    const paths = this.#places.map(({ path }) => path);
    const files = written(this.options.files ?? {}, paths, chosen);
    this.options = present({ ...this.options, files });
  }

  // Scoring

  #filesMoved(onlyAdded = false) {
    this.#filesChanged = true;
    const places = this.#given().map(({ source, path }) => ({ source, path }));
    const files = moved(this.options.files ?? {}, this.#places, places);
    this.#places = places;
    this.options = present({ ...this.options, files });
    // What is being read is no longer wanted, unless more came: then it is read to its end.
    if (this.#running && !onlyAdded) this.client.stop({ code: "superseded", message: "" });
    this.#schedule();
  }

  #schedule() {
    this.failure = null;
    this.changed();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.score(), 60);
  }

  /** Ends the job at once. Files stay, and the next score reads them again. */
  cancel() {
    this.#again = false;
    this.client.stop({ code: "cancelled", message: t.cancelled });
  }

  /** Starts the core and asks what can be chosen. */
  async start() {
    if (this.catalog) return;
    this.catalog = await this.client.catalog();
    this.changed();
  }

  /** Scores (or reads, while one side is absent), and again if something changed meanwhile. */
  async score(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#running) {
      this.#again = true;
      return;
    }
    this.#running = true;
    this.failure = null;
    try {
      await this.#score();
    } catch (error) {
      const failure =
        error instanceof Failed ? error.failure : { code: "page", message: String(error) };
      if (failure.code === "superseded") this.#again = true;
      else {
        this.#fail(failure);
        await this.#look();
      }
    }
    this.busy = null;
    this.#running = false;
    this.changed();
    if (this.#again) {
      this.#again = false;
      await this.score();
    }
  }

  async #score() {
    if (!canRun()) throw new Failed({ code: "no_wasm", message: t.noWasm });
    const files = this.#given();
    if (this.#filesChanged) {
      this.#filesChanged = false;
      this.client.setFiles(files.map(({ source: _, ...file }) => file));
      this.client.setTokenizers(this.#givenTokenizers());
    }
    const where = files.map(({ source, path }) => ({ source, path }));
    if (!files.length) {
      this.report = null;
      this.facts = null;
      return;
    }
    this.#progress({ stage: "read", done: 0, total: 0 });
    await this.start();
    const both = files.some((f) => f.role === "gold") && files.some((f) => f.role !== "gold");
    if (!both) {
      const seen: Inspection = await this.client.inspect(this.options, (progress) =>
        this.#progress(progress),
      );
      this.report = null;
      this.facts = { ...seen, files: where };
      this.said = t.readOneSide;
      return;
    }
    const report = await this.client.score(this.options, (progress) => this.#progress(progress));
    this.report = report;
    this.facts = {
      inputs: report.inputs,
      tokenizers: report.tokenizers,
      gold: report.gold,
      systems: report.systems,
      files: where,
    };
    this.system = Math.min(this.system, report.systems.length - 1);
    // A filter on a label that is no longer scored would hide everything, unseen.
    const known = (label: string | undefined) =>
      label === undefined || report.labels.includes(label);
    const { charged, goldLabel, predictedLabel, ...rest } = this.filter;
    if (![charged, goldLabel, predictedLabel].every(known)) this.filter = rest;
    this.run += 1;
    this.said = t.scored(report.systems.filter(({ spans }) => spans).length, report.systems.length);
  }

  /** What can be said of the files although they could not be scored. */
  async #look() {
    const gone = ["died", "cancelled", "no_wasm", "page"];
    if (gone.includes(this.failure?.code ?? "")) return;
    const files = this.#given().map(({ source, path }) => ({ source, path }));
    try {
      const seen = await this.client.inspect(this.options, (progress) => this.#progress(progress));
      this.facts = { ...seen, files };
    } catch {
      // The first failure is the one to tell.
    }
  }

  /** What a system is called in the core: file names enter it only when it may tell them. */
  #told(system: string): string {
    const named = this.options.paths || this.sources.some((s) => s.system === system && s.named);
    return named ? system : `system ${this.systemNames.indexOf(system) + 1}`;
  }

  /** Every file in the order the core is given it: gold, then one system after the other. */
  #given(): (GivenFile & { source: number })[] {
    const systems = this.systemNames;
    const of = (source: Source) =>
      source.files.map(({ path, file }) => ({
        role: source.role,
        system: source.role === "gold" ? "" : this.#told(source.system),
        path,
        file,
        source: source.id,
      }));
    return [
      ...this.sources.filter((source) => source.role === "gold"),
      ...systems.flatMap((name) =>
        this.sources.filter((source) => source.role === "prediction" && source.system === name),
      ),
    ].flatMap(of);
  }

  #progress(progress: Progress) {
    const since =
      this.busy && this.busy.stage === progress.stage ? this.busy.since : performance.now();
    this.busy = { ...progress, since };
    this.changed();
  }

  /** What was scored went with the worker. */
  lost(failure: Failure) {
    this.busy = null;
    this.#fail(failure);
    this.changed();
  }

  /** Says what went wrong beside scoring, or takes it away. */
  tell(failure: Failure | null) {
    this.failure = failure;
    this.said = failure?.message ?? "";
    this.changed();
  }

  #fail(failure: Failure) {
    this.failure = failure;
    this.said = failure.code === "died" ? t.died : failure.message;
    this.report = null;
  }

  /** Every problem as CSV. */
  problems(): Promise<string> {
    return this.client.output("problems");
  }

  /** One export; SHA-256 of the inputs is computed before it. */
  async output(kind: string): Promise<string> {
    try {
      await this.client.hash((progress) => this.#progress(progress));
    } finally {
      if (this.busy?.stage === "hash") {
        this.busy = null;
        this.changed();
      }
    }
    return this.client.output(kind);
  }
}

/** A file's name as the name of a system. */
function baseOf(name: string): string {
  return name.replace(/(.)\.(jsonl|ndjson|json|txt|ann|zip|gz|xml|tsv|csv)$/i, "$1") || name;
}

/** Options without what is as by default: such a key is absent. */
function present(options: { [K in keyof Options]: Options[K] | undefined }): Options {
  const said = Object.entries(options).filter(
    ([key, value]) =>
      value !== undefined &&
      value !== false &&
      !(key === "clean" && !(value as string[]).length) &&
      !(key === "files" && !Object.keys(value as object).length),
  );
  return Object.fromEntries(said);
}
