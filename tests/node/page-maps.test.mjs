// How the page takes label maps from files and puts changes into them; the module itself, without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { build } from "esbuild";
import { at } from "../../scripts/lib.mjs";

const { outputFiles } = await build({
  entryPoints: [at("www", "src", "maps.ts")],
  bundle: true,
  format: "esm",
  write: false,
});
const code = Buffer.from(outputFiles[0].contents).toString("base64");
const { mapFor, mapsIn, withMap } = await import(`data:text/javascript;base64,${code}`);

const ncbi = { disease: "condition" };
const chia = { med: "drug" };
const both = { NCBI: ncbi, CHIA: chia };

test("maps are found in every shape that the core reads", () => {
  assert.deepEqual(mapsIn(ncbi), ncbi);
  assert.deepEqual(mapsIn({}), {});
  assert.deepEqual(mapsIn(both), both);
  assert.deepEqual(mapsIn({ label_normalization_map: both }), both);
  assert.deepEqual(
    mapsIn({ name: "x", inference_config: { label_normalization_map: both, other: 1 } }),
    both,
  );
  assert.deepEqual(mapsIn({ ncbi: { label_normalization_map: ncbi } }), { ncbi });
  for (const other of [null, "a", ["a"], { a: 1 }, { a: { b: 1 } }, { a: ncbi, b: "c" }]) {
    assert.equal(mapsIn(other), null, JSON.stringify(other));
  }
});

test("a dataset has its map, or the one that stands for all", () => {
  assert.equal(mapFor(undefined, "NCBI"), undefined);
  assert.deepEqual(mapFor(ncbi, "NCBI"), ncbi);
  assert.deepEqual(mapFor(ncbi, null), ncbi);
  assert.deepEqual(mapFor(both, "chia"), chia);
  assert.equal(mapFor(both, "BIORED"), undefined);
  assert.equal(mapFor(both, null), undefined);
  assert.deepEqual(mapFor({ NCBI: ncbi }, null), ncbi);
});

test("a change of one dataset's map leaves the others", () => {
  const all = ["NCBI", "CHIA"];
  const edited = { d: "condition" };
  assert.deepEqual(withMap(undefined, null, edited, []), edited);
  assert.deepEqual(withMap(undefined, "NCBI", edited, all), { NCBI: edited });
  assert.deepEqual(withMap({ ncbi, CHIA: chia }, "NCBI", edited, all), {
    CHIA: chia,
    NCBI: edited,
  });
  assert.deepEqual(withMap(ncbi, "CHIA", edited, all), { NCBI: ncbi, CHIA: edited });
  assert.deepEqual(withMap(both, "NCBI", undefined, all), { CHIA: chia });
  assert.equal(withMap({ NCBI: ncbi }, "NCBI", undefined, all), undefined);
});
