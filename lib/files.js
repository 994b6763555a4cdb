// Files and folders → inputs for the core, which reads them in ranges.
import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";
import { basename, join, resolve } from "node:path";

/**
 * Bytes the core can read, under the path it names in reports and problems.
 * @typedef {{path: string, bytes: Uint8Array}} BytesInput
 * @typedef {{path: string, size: number, read: (offset: number, length: number) => Uint8Array}} RangeInput `read`'s bytes are copied at once
 * @typedef {BytesInput | RangeInput} Input
 */

/** Few files stay open, however many there are: a brat folder can hold more than a process may open. */
const keptOpen = 16;
/** @type {Map<string, number>} */
const open = new Map();

function descriptor(/** @type {string} */ file) {
  const fd = open.get(file) ?? openSync(file, "r");
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

function readRange(
  /** @type {string} */ file,
  /** @type {number} */ offset,
  /** @type {number} */ length,
) {
  const fd = descriptor(file);
  if (scratch.length < length) scratch = Buffer.allocUnsafeSlow(length);
  const bytes = scratch.subarray(0, length);
  let done = 0;
  while (done < length) {
    const count = readSync(fd, bytes, done, length - done, offset + done);
    if (count === 0) throw new Error(`${file} became shorter while it was read.`);
    done += count;
  }
  return bytes;
}

/** One file; pipes and devices, which have no size, are read whole. @returns {Input} */
function fileInput(/** @type {string} */ file, /** @type {string} */ path) {
  const fd = descriptor(file);
  const stats = fstatSync(fd);
  if (!stats.isFile()) return { path, bytes: readFileSync(fd) };
  return { path, size: stats.size, read: (offset, length) => readRange(file, offset, length) };
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
  if (!statSync(file).isDirectory()) return [fileInput(file, path)];
  const real = realpathSync(file);
  if (above.includes(real)) return [];
  return readdirSync(file)
    .filter((name) => !name.startsWith("."))
    .sort(byCodePoint)
    .flatMap((name) => walk(join(file, name), `${path}/${name}`, [...above, real]));
}

/**
 * The inputs at a path: `gold` holding `d1.ann` gives `gold/d1.ann`; `-` is standard input.
 * @param {string} path
 * @returns {Input[]}
 */
export function inputsAt(path) {
  if (path === "-") return [{ path: "stdin", bytes: readFileSync(0) }];
  return walk(path, nameOf(path), []);
}

/** What a path is called: its file's or folder's own name. */
export function nameOf(/** @type {string} */ path) {
  return path === "-" ? "stdin" : basename(resolve(path));
}
