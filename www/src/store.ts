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
  looksLikeResults,
  looseName,
  type Part,
  parts,
} from "./intake.js";
import type {
  Arranged,
  BoardQuery,
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
  SourceRole,
} from "./protocol.js";
import type {
  BoardView,
  FileOptions,
  Input,
  InspectedSystem,
  Report,
  Side,
  TokenizerFile,
} from "./report.js";
import { t } from "./strings.js";
import { looksLikeTokenizer, type Tokenizer } from "./tokenizer.js";
import type { Sort } from "./ui/table.js";

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
  role: SourceRole;
  /** The system's name on screen; gold has none. */
  system: string;
  /** Whether a person gave that name; a file's own name is kept out of exports. */
  named: boolean;
  name: string;
  files: GivenPath[];
  /** The benchmark's dataset that its path or a person says. */
  dataset: string | null;
}

/** Whether a source is read as one of the two sides. */
const isSide = ({ role }: Source) => role === "gold" || role === "prediction";

/** Which events Why shows. */
export interface Filter {
  outcomes: Outcome[];
  charged?: string | undefined;
  goldLabel?: string | undefined;
  predictedLabel?: string | undefined;
  search?: string | undefined;
}

/** What of the leaderboard is shown. */
export interface BoardShown {
  /** Empty: the headline's. */
  metric: string;
  by: "datasets" | "types" | "both";
  /** By which column; null: as the systems came. */
  sort: Sort | null;
}

export interface Busy extends Progress {
  since: number;
  dataset: string;
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

/** Larger files are not read twice to see what their labels speak for. */
const mostLooked = 32_000_000;

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
  /** The last scores, by dataset; under "" that of a run without datasets of its own. */
  reports = new Map<string, Report>();
  /** Why a dataset could not be scored, while others are. */
  failures = new Map<string, Failure>();
  /** The dataset that is shown. */
  dataset = "";
  /** Datasets that files speak for, by the source of gold: proposals that wait for a yes. */
  proposals = new Map<number, string>();
  /** Systems × datasets; absent while there is nothing to put side by side. */
  board: BoardView | null = null;
  /** Counts leaderboards, so that views know when what they fetched is old. */
  boardMade = 0;
  boardShown: BoardShown = {
    metric: "",
    by: "datasets",
    sort: { key: "mean_of_datasets", down: true },
  };
  /** Files of what was dropped that belong to no system. */
  leftOut: string[] = [];
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

  #facts = new Map<string, Facts>();
  /** By dataset, what its last score was made of: only what changed is scored again. */
  #done = new Map<string, string>();
  /** What each source of gold speaks for, once it was looked at. */
  #spokenFor = new Map<number, string | null>();
  #nextId = 1;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running = false;
  #again = false;
  #filesChanged = false;
  /** Whether there were several datasets when files last changed. */
  #several = false;
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

  set(change: Partial<Pick<Store, "digits" | "mode" | "system" | "filter" | "boardShown">>) {
    Object.assign(this, change);
    this.changed();
  }

  /** The last score of the dataset that is shown. */
  get report(): Report | null {
    return this.reports.get(this.dataset) ?? null;
  }

  /** What is known of its files. */
  get facts(): Facts | null {
    return this.#facts.get(this.dataset) ?? null;
  }

  /** What is known of a source's files. */
  factsOf(source: Source): Facts | null {
    const group = this.groupOf(source);
    if (group !== null) return this.#facts.get(group) ?? null;
    // A configuration belongs to every dataset of its system.
    const all = [...this.#facts.values()];
    return all.find(({ files }) => files.some((file) => file.source === source.id)) ?? null;
  }

  /** The datasets of all sources, in the order of the catalog. */
  get datasets(): string[] {
    const all = new Set(this.sources.filter(isSide).flatMap(({ dataset }) => dataset ?? []));
    const order = this.catalog?.datasets.map(({ name }) => name) ?? [];
    return [...order.filter((name) => all.delete(name)), ...all];
  }

  /** Whether each dataset is scored on its own. */
  get many(): boolean {
    return this.datasets.length > 1;
  }

  /** The dataset that a source is scored under. */
  datasetOf({ dataset }: Source): string | null {
    return this.many ? dataset : (this.options.dataset ?? null);
  }

  /** The score that a source is part of: a dataset, or "" for all; null for none. */
  groupOf(source: Source): string | null {
    return this.many ? source.dataset : "";
  }

  /** The names of the systems on screen, in the order of the report that is shown. */
  get systemNames(): string[] {
    return this.systemsOf(this.dataset);
  }

  /** Likewise of a dataset. */
  systemsOf(dataset: string): string[] {
    const its = this.sources.filter(
      (source) => source.role === "prediction" && this.groupOf(source) === dataset,
    );
    return [...new Set(its.map(({ system }) => system))];
  }

  /** Likewise of all datasets. */
  get systemsOfAll(): string[] {
    return this.#systemsAs("prediction");
  }

  /** Every system that was given, also as a results file. */
  get allSystems(): string[] {
    return this.#systemsAs("prediction", "results");
  }

  #systemsAs(...roles: SourceRole[]): string[] {
    const of = (role: SourceRole) => this.sources.filter((source) => source.role === role);
    return [...new Set(roles.flatMap(of).map(({ system }) => system))];
  }

  /** Shows a dataset, keeping the system where the dataset has it. */
  showDataset(dataset: string, system = this.systemNames[this.system]) {
    if (dataset === this.dataset && system === this.systemNames[this.system]) return;
    this.#turn(dataset, system);
    this.run += 1;
    this.changed();
  }

  #turn(dataset: string, system: string | undefined) {
    this.dataset = dataset;
    this.client.dataset = dataset;
    this.system = Math.max(0, this.systemNames.indexOf(system ?? ""));
    this.#keepFilter();
  }

  /** A filter on a label that is not scored would hide everything, unseen. */
  #keepFilter() {
    const labels = this.report?.labels;
    if (!labels) return;
    const known = (label: string | undefined) => label === undefined || labels.includes(label);
    const { charged, goldLabel, predictedLabel, ...rest } = this.filter;
    if (![charged, goldLabel, predictedLabel].every(known)) this.filter = rest;
  }

  // Files

  #adding: Promise<void> = Promise.resolve();

  /** Adds what was given, in the order in which it was; without a role names and paths decide. */
  add(given: Given[], role?: Role): Promise<void> {
    const arranged = this.#arrange(given.flatMap(({ files }) => files.map(({ path }) => path)));
    this.#adding = this.#adding.then(async () => {
      this.#add(given, await arranged, role);
    });
    return this.#adding;
  }

  /** What paths say; nothing where the core cannot run, which the first score tells. */
  async #arrange(paths: string[]): Promise<Arranged[]> {
    if (!paths.length || !canRun()) return [];
    return this.client.arrange(paths).catch(() => []);
  }

  #add(given: Given[], arranged: Arranged[], role: Role | undefined) {
    const hasGold = this.sources.some((source) => source.role === "gold");
    const found = parts(given, arranged, role, hasGold);
    let onlyAdded = true;
    const before = this.sources;
    const isTokenizer = ({ role }: Part) => role === "tokenizer";
    const tokenizers = found.parts.filter(isTokenizer).flatMap(({ files }) => files);
    for (const one of found.parts.filter((part) => !isTokenizer(part))) {
      const other = this.sources.find(
        (source) =>
          !one.dataset &&
          (!role || source.role === role) &&
          belongTogether(source.files, one.files),
      );
      if (other) {
        const files = [...other.files, ...one.files];
        const joined = { ...other, name: looseName(files), files };
        this.sources = this.sources.map((source) => (source === other ? joined : source));
        onlyAdded = false;
        continue;
      }
      this.sources = [...this.sources, this.#sourceOf(one)];
    }
    const added = this.sources.filter((source) => !before.includes(source));
    for (const one of tokenizers) this.#addTokenizer(one, this.#besides(one, given, added));
    for (const source of added) if (isSide(source)) void this.#sniff(source);
    this.leftOut = found.left;
    if (found.parts.length) this.#filesMoved(onlyAdded);
  }

  /** The systems that were given in a file's own folder. */
  #besides(one: GivenPath, given: Given[], added: Source[]): string[] {
    const folder = one.path.slice(0, one.path.lastIndexOf("/") + 1);
    const its = given.flatMap(({ files }) => files).filter(({ path }) => path.startsWith(folder));
    const files = new Set(its.map(({ file }) => file));
    const isBeside = ({ role, files: all }: Source) =>
      !!folder && role === "prediction" && all.some(({ file }) => files.has(file));
    return [...new Set(added.filter(isBeside).map(({ system }) => system))];
  }

  /** Adds results files, whatever they are called. */
  addResults(given: Given[]): Promise<void> {
    const files = given.flatMap((one) => one.files);
    const arranged = this.#arrange(files.map(({ path }) => path));
    this.#adding = this.#adding.then(async () => {
      const says = await arranged;
      for (const [at, file] of files.entries()) {
        const { system } = says[at] ?? { system: null };
        const name = file.path;
        const part = { name, files: [file], role: "results", system: system ?? "", dataset: null };
        this.sources = [...this.sources, this.#sourceOf(part as Part)];
      }
      if (files.length) this.#filesMoved(true);
    });
    return this.#adding;
  }

  #sourceOf({ name, files, role, system, dataset }: Part): Source {
    // Files of several datasets that name no system are of one; two of one dataset are not.
    const free = () => {
      if (!dataset || role !== "prediction") return this.#freeName(baseOf(name));
      const its = this.sources.filter((source) => source.dataset === dataset);
      return this.#freeName(
        t.files.unnamedSystem,
        its.map(({ system }) => system),
      );
    };
    return {
      id: this.#nextId++,
      role,
      system: system || free(),
      // A folder of the convention SYSTEM/DATASET names a system, and so does a results file.
      named: !!system && (!!dataset || role === "results"),
      name,
      files,
      dataset,
    };
  }

  /** The bundled example: one gold file and two systems. */
  addExample() {
    this.sources = [];
    this.options = {};
    for (const [path, text] of Object.entries(exampleFiles)) {
      const given = fromFiles([new File([text], path)]);
      this.#add(given, [], path.startsWith("gold") ? "gold" : "prediction");
    }
    for (const source of this.sources) source.named = true;
  }

  update(id: number, change: Partial<Pick<Source, "role" | "system" | "named" | "dataset">>) {
    const before = this.sources.find((source) => source.id === id)?.system;
    this.sources = this.sources.map((source) =>
      source.id === id ? { ...source, ...change } : source,
    );
    this.#keepTokenizers(before, change.system);
    // What a person says of one source is said of the run while there is one.
    if (change.dataset !== undefined && !this.many) this.#setDataset(change.dataset ?? undefined);
    this.#filesMoved();
  }

  /** Says which dataset everything is of; undefined for none. */
  setDataset(dataset: string | undefined) {
    this.#setDataset(dataset);
    this.setOptions({});
  }

  #setDataset(dataset: string | undefined) {
    this.sources = this.sources.map((source) =>
      isSide(source) ? { ...source, dataset: dataset ?? null } : source,
    );
    const benchmark = dataset && this.options.benchmark;
    this.options = present({ ...this.options, benchmark, dataset });
  }

  remove(id: number) {
    const gone = this.sources.find((source) => source.id === id)?.system;
    this.sources = this.sources.filter((source) => source.id !== id);
    if (gone && !this.systemsOfAll.includes(gone)) {
      this.tokenizers = this.tokenizers.filter(({ system }) => system !== gone);
    }
    this.#filesMoved();
  }

  clear() {
    this.sources = [];
    this.tokenizers = [];
    for (const dataset of [...this.reports.keys(), ...this.#facts.keys()]) this.#forget(dataset);
    this.board = null;
    this.#filesMoved();
  }

  /** Adds a source's files to the other side too: they hold both. */
  addOther({ role, name, files, dataset }: Source) {
    const other = role === "gold" ? "prediction" : "gold";
    const system = this.#freeName(baseOf(name));
    const id = this.#nextId++;
    const source = { id, role: other, system, named: false, name, files, dataset } as const;
    this.sources = [...this.sources, source];
    this.#filesMoved(true);
  }

  /** Gold becomes a system, and a system gold. What was chosen for a side goes with its files. */
  swap(system: string) {
    const golds = this.sources.filter((source) => source.role === "gold");
    const others = this.allSystems.filter((name) => name !== system);
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
      const isIts = source.role === "prediction" && source.system === system;
      return isIts ? { ...source, role: "gold" } : source;
    });
    this.#keepTokenizers();
    this.#filesMoved();
  }

  // Tokenizers

  /** Adds a tokenizer: of the one system that it lies beside, or of every system. */
  #addTokenizer({ path, file }: GivenPath, beside: string[]) {
    const system = (beside.length === 1 && beside[0]) || "";
    this.#setTokenizer({ id: this.#nextId++, system, path, file });
  }

  /** One for each system: the last one given. */
  #setTokenizer(tokenizer: Tokenizer) {
    const others = this.tokenizers.filter(
      ({ id, system }) => id !== tokenizer.id && system !== tokenizer.system,
    );
    this.tokenizers = [...others, tokenizer];
  }

  /** A source that is a tokenizer, or a results file, of another name becomes one. */
  async #sniff(source: Source) {
    const [one] = source.files;
    if (source.files.length > 1 || !one) return;
    if (await looksLikeResults(one)) {
      const isThere = this.sources.some(({ id, role }) => id === source.id && role !== "results");
      if (isThere) this.update(source.id, { role: "results", dataset: null, named: true });
      return;
    }
    if (!(await looksLikeTokenizer(one))) return;
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
    const names = this.systemsOfAll;
    for (const one of this.tokenizers) {
      if (!one.system || names.includes(one.system)) continue;
      const system = one.system === before && now && names.includes(now) ? now : "";
      this.#setTokenizer({ ...one, system });
    }
  }

  /** The tokenizers under the names that the core knows systems by. */
  #givenTokenizers(): GivenTokenizer[] {
    return this.tokenizers.map(({ system, path, file }) => ({
      system: system ? this.toldOf(system) : null,
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
    const { paths } = this.options;
    this.options = present({ ...this.options, ...change });
    // What is said of the run is said of every source.
    if (change.dataset) this.#setDataset(change.dataset);
    // Names of files enter what the core knows only when it may tell them.
    if (paths !== this.options.paths) this.#filesChanged = true;
    if (this.many === this.#several) {
      this.#settle();
      this.#schedule();
    } else this.#filesMoved();
  }

  /** Every option anew, as from a run file. */
  replaceOptions(options: Options) {
    const cleared = Object.fromEntries(Object.keys(this.options).map((key) => [key, undefined]));
    this.setOptions({ ...cleared, ...options });
  }

  /** Several datasets are said by the sources, one or none by the run. */
  #settle() {
    const [first] = this.datasets;
    if (this.many) {
      const { dataset } = this.options;
      if (dataset) {
        // What was scored under the run's dataset stays with it.
        this.sources = this.sources.map((source) =>
          isSide(source) ? { ...source, dataset: source.dataset ?? dataset } : source,
        );
      }
      const benchmark = this.catalog?.datasets.find(({ name }) => name === first)?.title ?? "ncer";
      this.options = present({ ...this.options, benchmark, dataset: undefined });
    } else if (this.#several) this.#setDataset(first);
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
    const several = this.#several;
    this.#settle();
    this.#several = this.many;
    const places = [...this.#groups().values(), this.#unassigned()]
      .flat()
      .map(({ source, path }) => ({ source, path }));
    const files = moved(this.options.files ?? {}, this.#places, places);
    this.#places = places;
    this.options = present({ ...this.options, files });
    // What is being read is no longer wanted, unless more came: then it is read to its end.
    if (this.#running && !(onlyAdded && several === this.many)) {
      this.#done.clear();
      this.client.stop({ code: "superseded", message: "" });
    }
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
        if (!isGone(failure)) await this.#look(this.dataset);
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
    const groups = this.#groups();
    if (this.#filesChanged) {
      this.#filesChanged = false;
      const plain = ({ source: _, ...file }: Placed): GivenFile => file;
      this.client.setFiles(new Map([...groups].map(([name, its]) => [name, its.map(plain)])));
      this.client.setTokenizers(this.#givenTokenizers());
    }
    for (const dataset of [...this.reports.keys(), ...this.#facts.keys()]) {
      if (!groups.get(dataset)?.length) this.#forget(dataset);
    }
    if (!groups.has(this.dataset)) {
      const isWhole = ([, its]: [string, Placed[]]) => bothSides(its);
      const shown = [...groups].find(isWhole) ?? [...groups][0];
      this.#turn(shown?.[0] ?? "", this.systemNames[this.system]);
    }
    this.failures.clear();
    if (!this.sources.length) {
      this.board = null;
      return;
    }
    this.#progress({ stage: "read", done: 0, total: 0 });
    await this.start();
    for (const [dataset, files] of groups) {
      if (files.length) await this.#scoreOne(dataset, files);
    }
    await this.#makeBoard();
    await this.#propose();
    if (this.many) this.said = t.scoredMany(this.reports.size, groups.size);
    for (const [dataset, failure] of this.failures) {
      this.failure ??= { ...failure, message: `${dataset}: ${failure.message}` };
    }
  }

  /** Scores a dataset, or reads it while it has one side; one that is as it was stays. */
  async #scoreOne(dataset: string, files: Placed[]) {
    const options = this.#optionsFor(files, dataset);
    const made = JSON.stringify([
      options,
      this.tokenizers.map(({ id, system }) => [id, system]),
      files.map(({ file: _, ...one }) => Object.values(one).join("\0")),
    ]);
    if (dataset && this.#done.get(dataset) === made) return;
    this.#done.delete(dataset);
    const where = files.map(({ source, path }) => ({ source, path }));
    if (!bothSides(files)) {
      this.reports.delete(dataset);
      const seen = await this.#inspect(dataset, options);
      this.#facts.set(dataset, { ...seen, files: where });
      this.said = t.readOneSide;
      this.#done.set(dataset, made);
      return;
    }
    let report: Report;
    try {
      report = await this.client.score(dataset, options, (one) => this.#progress(one, dataset));
    } catch (error) {
      if (!dataset || !(error instanceof Failed) || isGone(error.failure)) throw error;
      this.reports.delete(dataset);
      this.failures.set(dataset, error.failure);
      await this.#look(dataset);
      return;
    }
    this.#done.set(dataset, made);
    this.reports.set(dataset, report);
    const { inputs, tokenizers, gold, systems } = report;
    this.#facts.set(dataset, { inputs, tokenizers, gold, systems, files: where });
    if (dataset === this.dataset) {
      this.system = Math.max(0, Math.min(this.system, systems.length - 1));
      this.#keepFilter();
      this.run += 1;
    }
    this.said = t.scored(systems.filter(({ spans }) => spans).length, systems.length);
    this.changed();
  }

  #inspect(dataset: string, options: Options): Promise<Inspection> {
    return this.client.inspect(dataset, options, (one) => this.#progress(one, dataset));
  }

  /** What can be said of the files although they could not be scored. */
  async #look(dataset: string) {
    const files = this.#groups().get(dataset) ?? [];
    try {
      const seen = await this.#inspect(dataset, this.#optionsFor(files, dataset));
      const where = files.map(({ source, path }) => ({ source, path }));
      this.#facts.set(dataset, { ...seen, files: where });
    } catch (error) {
      // The first failure is the one to tell, unless nothing goes on after this one.
      if (dataset && error instanceof Failed && isGone(error.failure)) throw error;
    }
  }

  #forget(dataset: string) {
    this.reports.delete(dataset);
    this.#facts.delete(dataset);
    this.#done.delete(dataset);
  }

  /** Puts all scores and results files side by side, once there is more than one table of systems. */
  async #makeBoard() {
    const results = this.#results().map(([name, { file }]) => ({ name, file }));
    if (!results.length && !this.many) {
      this.board = null;
      return;
    }
    const scored = [...this.reports].filter(([, { dataset }]) => dataset).map(([name]) => name);
    const order = this.datasets;
    scored.sort((a, b) => order.indexOf(a) - order.indexOf(b));
    this.board = await this.client.board(scored, results);
    this.boardMade += 1;
  }

  /** Results files, each under a name that tells its system and no more than may be told. */
  #results(): [string, GivenPath][] {
    const its = this.sources.filter(({ role }) => role === "results");
    const given = its.flatMap(({ system, files }) => files.map((file) => ({ system, file })));
    return given.map(({ system, file }, at) => [
      `${at + 1}/${this.toldOf(system).replaceAll(/[/\\]/g, "-")}.json`,
      file,
    ]);
  }

  /** The path of a file that the leaderboard names. */
  shownFile(name: string): string {
    return this.#results().find(([told]) => told === name)?.[1].path ?? name;
  }

  /** Asks which datasets the labels of gold speak for, where no path and no person says it. */
  async #propose() {
    const golds = this.sources.filter(({ role }) => role === "gold");
    const open = golds.filter((source) => !this.datasetOf(source));
    const [only] = golds;
    if (golds.length === 1 && only && !this.many) {
      const dataset = only.dataset ?? this.facts?.gold?.dataset;
      this.proposals = new Map(dataset && open.length ? [[only.id, dataset]] : []);
      return;
    }
    const proposals = new Map<number, string>();
    for (const { id, dataset, files } of open) {
      const size = files.reduce((all, { file }) => all + file.size, 0);
      let found = dataset ?? (size > mostLooked ? null : this.#spokenFor.get(id));
      if (found === undefined) {
        const given = files.map(
          ({ path, file }) => ({ role: "gold", system: "", path, file }) as const,
        );
        const seen = await this.client.look(given).catch((error) => {
          if (error instanceof Failed && isGone(error.failure)) throw error;
          return null;
        });
        found = seen?.gold?.dataset ?? null;
        this.#spokenFor.set(id, found);
      }
      if (found) proposals.set(id, found);
    }
    this.proposals = proposals;
  }

  /** The options of one score. */
  #optionsFor(files: Placed[], dataset: string): Options {
    // The core knows systems by the names that it may tell.
    const named = Object.entries(this.options.maps ?? {});
    const maps = Object.fromEntries(named.map(([name, map]) => [this.toldOf(name), map]));
    if (!dataset) return present({ ...this.options, maps });
    const chosen = this.chosen();
    const places = new Map(
      this.#places.map(({ source, path }, at) => [`${source}:${path}`, chosen[at] ?? {}]),
    );
    const its = files.map(({ source, path }) => places.get(`${source}:${path}`) ?? {});
    const paths = files.map(({ path }) => path);
    return present({ ...this.options, maps, dataset, files: written({}, paths, its) });
  }

  /** The name that the core knows a system by: a file's own only where it may be told. */
  toldOf(system: string): string {
    const its = this.sources.filter((source) => source.role !== "gold" && source.system === system);
    if (this.options.paths || its.some(({ named }) => named) || !its.length) return system;
    return `system ${this.allSystems.indexOf(system) + 1}`;
  }

  /** The name on screen of a system that the core knows. */
  shownSystem(told: string): string {
    return this.allSystems.find((system) => this.toldOf(system) === told) ?? told;
  }

  /** The files of each score. */
  #groups(): Map<string, Placed[]> {
    const names = this.many ? this.datasets : [""];
    return new Map(names.map((dataset) => [dataset, this.#given(dataset)]));
  }

  /** Files of no dataset, where the others have theirs. */
  #unassigned(): Placed[] {
    const none = this.sources.filter((one) => isSide(one) && this.groupOf(one) === null);
    return none.flatMap((source) => this.#placed(source));
  }

  #placed({ id, role, system, files }: Source): Placed[] {
    const isGold = role === "gold";
    const told = isGold ? "" : this.toldOf(system);
    return files.map(({ path, file }) => ({
      role: isGold ? "gold" : "prediction",
      system: told,
      path,
      file,
      source: id,
    }));
  }

  /**
   * Every file of a score in the order the core is given it: gold, then one system after the other, each
   * with the configuration that belongs to it.
   */
  #given(dataset: string): Placed[] {
    const its = this.sources.filter((one) => isSide(one) && this.groupOf(one) === dataset);
    const configs = this.sources.filter(({ role }) => role === "config");
    return [
      ...its.filter(({ role }) => role === "gold"),
      ...this.systemsOf(dataset).flatMap((name) => [
        ...its.filter(({ role, system }) => role === "prediction" && system === name),
        ...configs.filter(({ system }) => system === name),
      ]),
    ].flatMap((source) => this.#placed(source));
  }

  #progress(progress: Progress, dataset = "") {
    const { busy } = this;
    const isSame = busy?.stage === progress.stage && busy.dataset === dataset;
    this.busy = { ...progress, dataset, since: isSame ? busy.since : performance.now() };
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
    this.reports.clear();
    this.#done.clear();
    this.board = null;
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

  /** The leaderboard as an export. */
  boardOutput(kind: string, query: BoardQuery): Promise<string> {
    return this.client.boardOutput(kind, query);
  }
}

/** A file as the core is given it, and its source. */
type Placed = GivenFile & { source: number };

const bothSides = (files: Placed[]) =>
  (["gold", "prediction"] as const).every((side) => files.some(({ role }) => role === side));

/** Whether a failure ends everything, not a dataset alone. */
const isGone = ({ code }: Failure) =>
  ["died", "cancelled", "superseded", "no_wasm", "page"].includes(code);

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
      !(["files", "maps"].includes(key) && !Object.keys(value as object).length),
  );
  return Object.fromEntries(said);
}
