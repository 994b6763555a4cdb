// Drops, folders and file lists → what was given: one entry per top-level file or folder.

import type { Arranged, Role, SourceRole } from "./protocol.js";

/** One top-level file or folder, with the files below it. */
export interface Given {
  name: string;
  files: GivenPath[];
}

export interface GivenPath {
  /** Path from the folder's own name on, with `/` between parts. */
  path: string;
  file: File;
}

/** One source of what was given. */
export interface Part extends Given {
  role: SourceRole;
  /** The name that its path gives a system; empty where none does. */
  system: string;
  dataset: string | null;
}

interface Handle {
  kind: "file" | "directory";
  name: string;
  getFile(): Promise<File>;
  values(): AsyncIterable<Handle>;
}

type DropItem = DataTransferItem & { getAsFileSystemHandle?(): Promise<Handle | null> };

/** Files that systems leave beside the real ones. */
const isHidden = (name: string) => name.startsWith(".") || name === "__MACOSX";

/** Reads a drop. The browser empties it after the event, so everything is asked for at once. */
export async function fromDrop(transfer: DataTransfer): Promise<Given[]> {
  const items = [...transfer.items].filter((item) => item.kind === "file");
  const asked = items.map((item: DropItem) => ({
    // Chromium's entries cannot be read under file://, its handles can; Firefox has entries only.
    handle: item.getAsFileSystemHandle?.().catch(() => null),
    entry: item.webkitGetAsEntry?.() ?? null,
    file: item.getAsFile(),
  }));
  const loose = [...transfer.files];
  const given: Given[] = [];
  for (const { handle, entry, file } of asked) {
    const found = await handle;
    if (found) given.push({ name: found.name, files: await fromHandle(found, "") });
    else if (entry?.isDirectory)
      given.push({ name: entry.name, files: await fromEntry(entry, "") });
    else if (file) given.push({ name: file.name, files: [{ path: file.name, file }] });
  }
  if (!asked.length) return fromFiles(loose);
  return tidy(given);
}

/** Reads a file input; with `webkitdirectory` the files know their folder. */
export function fromFiles(files: Iterable<File>): Given[] {
  const given = new Map<string, Given>();
  for (const file of files) {
    const path = file.webkitRelativePath || file.name;
    const name = path.split("/")[0] as string;
    const key = file.webkitRelativePath ? `${name}/` : `${name}:${given.size}`;
    if (path.split("/").some(isHidden)) continue;
    const one = given.get(key) ?? { name, files: [] };
    one.files.push({ path, file });
    given.set(key, one);
  }
  return tidy([...given.values()]);
}

const annotations = /\.(ann|a1|a2)$/i;
const bratFile = /^[^/]+\.(ann|txt|a1|a2)$/i;

/** What loose brat files are called together. */
export function looseName(files: GivenPath[]): string {
  return `${files[0]?.path.replace(/\.\w+$/, "")} … (${files.length})`;
}

/** Whether loose brat files given at different times are of one source: a text and its annotations. */
export function belongTogether(had: GivenPath[], given: GivenPath[]): boolean {
  const all = [...had, ...given];
  if (!all.every(({ path }) => bratFile.test(path))) return false;
  if (!all.some(({ path }) => annotations.test(path))) return false;
  const stem = (path: string) => path.replace(/\.\w+$/, "");
  const paths = new Set(had.map(({ path }) => path));
  const stems = new Set(had.map(({ path }) => stem(path)));
  return (
    !given.some(({ path }) => paths.has(path)) && given.some(({ path }) => stems.has(stem(path)))
  );
}

/** Loose brat files belong together; files of a folder go by name. */
function tidy(given: Given[]): Given[] {
  const isBrat = (one: Given) =>
    one.files.length === 1 && bratFile.test(one.name) && one.files[0]?.path === one.name;
  const brat = given.filter(isBrat);
  const whole = given.filter((one) => !isBrat(one) && one.files.length);
  if (brat.length > 1 && brat.some((one) => !/\.txt$/i.test(one.name))) {
    const files = brat.flatMap((one) => one.files);
    whole.push({ name: looseName(files), files });
  } else whole.push(...brat);
  for (const one of whole)
    one.files.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  return whole;
}

async function fromHandle(handle: Handle, parent: string): Promise<GivenPath[]> {
  const path = parent + handle.name;
  if (handle.kind === "file") return [{ path, file: await handle.getFile() }];
  const below: Promise<GivenPath[]>[] = [];
  for await (const child of handle.values()) {
    if (!isHidden(child.name)) below.push(fromHandle(child, `${path}/`));
  }
  return (await Promise.all(below)).flat();
}

async function fromEntry(entry: FileSystemEntry, parent: string): Promise<GivenPath[]> {
  const path = parent + entry.name;
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    return [{ path, file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const children: FileSystemEntry[] = [];
  // A batch holds at most 100; an empty one is the end.
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (!batch.length) break;
    children.push(...batch.filter((child) => !isHidden(child.name)));
  }
  return (await Promise.all(children.map((child) => fromEntry(child, `${path}/`)))).flat();
}

const goldName = /gold|truth|reference|(^|[^a-z])(ref|key|test_?set)([^a-z]|$)/i;
const predictionName =
  /pred|system|output|model|hyp|response|result|(^|[^a-z])(run|sys|out)([^a-z]|$)/i;

/** What a name says about its role, if anything. */
export function guessRole(name: string): "gold" | "prediction" | undefined {
  if (goldName.test(name)) return "gold";
  if (predictionName.test(name)) return "prediction";
  return undefined;
}

const stemOf = (path: string) => path.slice(path.indexOf("/") + 1).replace(/\.[^./]+$/, "");

/**
 * A folder that holds gold and systems side by side becomes one entry per side. Loose files beside
 * the sides (a licence, a readme) and folders that share no file name with gold are none of them.
 */
export function split(given: Given): Given[] {
  const inner = new Map<string, Given>();
  for (const { path, file } of given.files) {
    const parts = path.split("/");
    if (parts.length < 3) continue;
    const name = parts[1] as string;
    const one = inner.get(name) ?? { name, files: [] };
    one.files.push({ path: parts.slice(1).join("/"), file });
    inner.set(name, one);
  }
  const folders = [...inner.values()];
  const gold = folders.find((one) => guessRole(one.name) === "gold");
  if (!gold || folders.length < 2) return [given];
  const stems = new Set(gold.files.map(({ path }) => stemOf(path)));
  const alike = folders.filter(
    (one) => one === gold || one.files.some(({ path }) => stemOf(path) && stems.has(stemOf(path))),
  );
  // Files may be named after their side (gold/all.json, system/run1.json): then names of folders decide.
  const sides = alike.length > 1 ? alike : folders;
  return sides.some((one) => guessRole(one.name) !== "gold") ? sides : [given];
}

/** Roles of files that stand beside gold and predictions. */
const beside: (SourceRole | null)[] = ["config", "tokenizer", "results"];

/** The folder that holds all of some files, or the file. */
function commonPath(files: GivenPath[]): string {
  const [first = "", ...rest] = files.map(({ path }) => path);
  if (!rest.length) return first;
  const parts = first.split("/").slice(0, -1);
  const isShared = (length: number) => {
    const folder = `${parts.slice(0, length).join("/")}/`;
    return rest.every((path) => path.startsWith(folder));
  };
  let length = parts.length;
  while (length && !isShared(length)) length -= 1;
  return parts.slice(0, length).join("/") || looseName(files);
}

/**
 * What was given as sources: by system and dataset where paths tell them (`arranged`, one a file, in the
 * order of the files), by folder otherwise. `zone` is where it was let go. `left` are files of such a folder
 * that belong to no system and no dataset (a licence, a readme).
 */
export function parts(
  given: Given[],
  arranged: Arranged[],
  zone: Role | undefined,
  hasGold: boolean,
): { parts: Part[]; left: string[] } {
  let seen = 0;
  let gold = hasGold;
  const all: Part[] = [];
  const left: string[] = [];
  const push = (part: Given, role: SourceRole | null, system: string, dataset: string | null) => {
    const its = role ?? guessRole(part.name) ?? (gold ? "prediction" : "gold");
    gold ||= its === "gold";
    all.push({ ...part, role: its, system, dataset });
  };
  // A zone takes one side; what plainly holds both is both wherever it was let go.
  const roles = new Set(arranged.map(({ role }) => role));
  const side = roles.has("gold") && roles.has("prediction") ? undefined : zone;
  for (const one of given) {
    const its = arranged.slice(seen, seen + one.files.length);
    seen += one.files.length;
    // What a zone is given is of its side, unless its name is the results file's own.
    const isBeside = (at: number) => {
      const role = its[at]?.role ?? null;
      if (role === "results" && zone) return /ncer/i.test(one.files[at]?.path ?? "");
      return beside.includes(role);
    };
    const isTold = its.some(({ dataset }, at) => dataset && !isBeside(at));
    const groups = new Map<string, { files: GivenPath[]; says: Arranged }>();
    const rest: GivenPath[] = [];
    for (const [at, file] of one.files.entries()) {
      const says = its[at] ?? { role: null, system: null, dataset: null };
      if (!isBeside(at) && !isTold) rest.push(file);
      else if (!says.role && !says.dataset) left.push(file.path);
      else {
        const role = isBeside(at) ? says.role : (side ?? says.role);
        const key = JSON.stringify([role, says.system, says.dataset]);
        const group = groups.get(key) ?? { files: [], says: { ...says, role } };
        group.files.push(file);
        groups.set(key, group);
      }
    }
    if (rest.length) {
      const whole = { ...one, files: rest };
      for (const part of zone ? [whole] : split(whole)) push(part, zone ?? null, "", null);
    }
    for (const { files, says } of groups.values()) {
      push({ name: commonPath(files), files }, says.role, says.system ?? "", says.dataset);
    }
  }
  return { parts: all, left };
}

/** Whether a file is a results file of the benchmark, or a report of one of its datasets. */
export async function looksLikeResults({ path, file }: GivenPath): Promise<boolean> {
  if (!/\.json$/i.test(path)) return false;
  const text = await file.slice(0, 4096).text();
  const isReport = /^\s*\{\s*"schema"\s*:\s*"clinscore-report\//.test(text);
  return isReport || (/^\s*\{/.test(text) && /"(dataset|clinical_type)_results"\s*:/.test(text));
}
