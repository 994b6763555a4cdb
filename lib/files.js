// Files and folders → inputs for the core, which reads them in ranges.
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";
import { basename, join, resolve, sep } from "node:path";

/**
 * Bytes the core can read, under the path it names in reports and problems.
 * @typedef {{path: string, bytes: Uint8Array}} BytesInput
 * @typedef {{path: string, size: number, read: (offset: number, length: number) => Uint8Array}} RangeInput `read`'s bytes are copied at once
 * @typedef {BytesInput | RangeInput} Input
 */

/** A file or folder that cannot be used. Its message holds no more of a path than was given or is reported. */
export class FileError extends Error {}

/** @type {Record<string, string>} */
const reasons = {
  ENOENT: "There is no such file or folder.",
  ENOTDIR: "There is no such file or folder.",
  EACCES: "Access is denied.",
  EPERM: "Access is denied.",
  EISDIR: "It is a folder.",
  ELOOP: "Its links lead in a circle.",
};

const codeOf = (/** @type {unknown} */ error) =>
  String(/** @type {NodeJS.ErrnoException} */ (error).code ?? "unknown reason");

/**
 * Does something with files, and says under `name` why it failed: Node's own messages hold full paths.
 * @template T
 * @param {string} name
 * @param {() => T} work
 */
export function plainly(name, work) {
  try {
    return work();
  } catch (error) {
    if (error instanceof FileError) throw error;
    const code = codeOf(error);
    throw new FileError(`${name}: ${reasons[code] ?? `It cannot be used (${code}).`}`);
  }
}

/** A FIFO that took a file's place would wait for its writer, perhaps for ever. Windows has no such flag. */
const readOnly = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
/** Few files stay open, however many there are: a brat folder can hold more than a process may open. */
const keptOpen = 16;
/** @type {Map<string, number>} */
const open = new Map();

function descriptor(/** @type {string} */ file) {
  const fd = open.get(file) ?? openSync(file, readOnly);
  open.delete(file);
  open.set(file, fd);
  if (open.size > keptOpen) {
    const [[oldest, itsFd]] = open;
    open.delete(oldest);
    closeSync(itsFd);
  }
  return fd;
}

/** Closes what the readers still hold. */
export function closeFiles() {
  for (const fd of open.values()) closeSync(fd);
  open.clear();
}

/** Every range is read into it: the core copies at once. */
let scratch = Buffer.allocUnsafeSlow(1 << 16);

/** What is thrown here stands in reports, so it names no path; the core says which file. */
function readRange(
  /** @type {string} */ file,
  /** @type {number} */ offset,
  /** @type {number} */ length,
) {
  if (scratch.length < length) scratch = Buffer.allocUnsafeSlow(length);
  const bytes = scratch.subarray(0, length);
  let done = 0;
  try {
    const fd = descriptor(file);
    while (done < length) {
      const count = readSync(fd, bytes, done, length - done, offset + done);
      if (count === 0) break;
      done += count;
    }
  } catch (error) {
    throw new FileError(`the file cannot be read (${codeOf(error)})`);
  }
  if (done < length) throw new FileError("the file became shorter while it was read");
  return bytes;
}

/** A pipe that the shell opened for us, as in `<(…)`. One with a name may have no writer. */
const openedByShell = /^\/(?:dev|proc\/self)\/(?:fd\/\d+|stdin)$/;

/** What lies at a path, links followed: a folder, a file or a pipe that can be read. */
function statsOf(/** @type {string} */ file, /** @type {string} */ name) {
  const stats = plainly(name, () => statSync(file));
  if (stats.isDirectory() || stats.isFile() || openedByShell.test(file)) return stats;
  throw new FileError(`${name}: It is neither a file nor a folder.`);
}

/** One file, read in ranges. @returns {Input} */
function fileInput(/** @type {string} */ file, /** @type {string} */ path) {
  const { size } = plainly(path, () => fstatSync(descriptor(file)));
  return { path, size, read: (offset, length) => readRange(file, offset, length) };
}

const byCodePoint = (/** @type {string} */ a, /** @type {string} */ b) =>
  Buffer.compare(Buffer.from(a), Buffer.from(b));

/**
 * A file, or the files below a folder in name order, hidden ones left out.
 * @param {string} file
 * @param {string} path
 * @param {string[]} above the real paths of the folders it lies in: a link back to one is not followed
 * @returns {Input[]}
 */
function walk(file, path, above) {
  const stats = statsOf(file, path);
  if (stats.isFile()) return [fileInput(file, path)];
  // A pipe has no size: it is read whole.
  if (!stats.isDirectory()) return [{ path, bytes: plainly(path, () => readFileSync(file)) }];
  const real = realpathSync(file);
  if (above.includes(real)) return [];
  return plainly(path, () => readdirSync(file))
    .filter((name) => !name.startsWith("."))
    .sort(byCodePoint)
    .flatMap((name) => walk(join(file, name), `${path}/${name}`, [...above, real]));
}

/**
 * The inputs at a path: `gold` holding `d1.ann` gives `gold/d1.ann`; `-` is standard input.
 * @param {string} path
 * @param {string} name what the path is called in reports
 * @returns {Input[]}
 * @throws {FileError}
 */
export function inputsAt(path, name = nameOf(path)) {
  if (path === "-") return [{ path: name, bytes: plainly(name, () => readFileSync(0)) }];
  return walk(path, name, []);
}

/**
 * What paths are called where they stand side by side: their own name, and as many of the folders
 * above as tell `s1/notes` from `s2/notes`.
 * @param {string[]} paths
 * @returns {Map<string, string>} by path
 */
export function namesOf(paths) {
  /** @type {Map<string, Set<string>>} the whole paths that end alike */
  const alike = new Map();
  const ending = (/** @type {string} */ whole, /** @type {number} */ parts) =>
    whole.split(sep).slice(-parts).join("/");
  for (const path of paths) {
    const name = nameOf(path);
    alike.set(name, (alike.get(name) ?? new Set()).add(resolve(path)));
  }
  /** As many parts as tell all of a name apart. */
  const parts = new Map();
  for (const [name, wholes] of alike) {
    let taken = 1;
    while (new Set([...wholes].map((whole) => ending(whole, taken))).size < wholes.size) taken += 1;
    parts.set(name, taken);
  }
  return new Map(
    paths.map((path) => [
      path,
      path === "-" ? nameOf(path) : ending(resolve(path), parts.get(nameOf(path))),
    ]),
  );
}

/** The whole text of one file. @throws {FileError} */
export function textAt(/** @type {string} */ file) {
  statsOf(file, file);
  return plainly(file, () => readFileSync(file, "utf8"));
}

/** What a path is called: its file's or folder's own name. */
export function nameOf(/** @type {string} */ path) {
  return path === "-" ? "stdin" : basename(resolve(path));
}
