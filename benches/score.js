/**
 * Scores from bytes in memory, in Node and in a page alike.
 * @param {new () => import("../dist/wasm/clinscore.js").Session} Session
 * @returns {(buffers: Uint8Array[], tokens: string) => number} milliseconds
 */
export function scorer(Session) {
  return ([gold, pred], tokens) => {
    const reader =
      (/** @type {Uint8Array} */ bytes) =>
      (/** @type {number} */ offset, /** @type {number} */ length) =>
        bytes.subarray(offset, offset + length);
    const start = performance.now();
    const session = new Session();
    session.addReader("gold", "", "gold.jsonl", gold.length, reader(gold));
    session.addReader("prediction", "system", "pred.jsonl", pred.length, reader(pred));
    JSON.parse(session.score({ tokens }));
    const time = performance.now() - start;
    session.free();
    return time;
  };
}
