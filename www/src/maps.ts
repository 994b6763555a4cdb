// Label maps as files and options hold them: one map, or one a dataset. What a map does is the core's.

import type { LabelMaps } from "./report.js";

/** Their label → our label. */
export type LabelMap = Record<string, string>;

const key = "label_normalization_map";
const isObject = (value: unknown): value is Record<string, unknown> =>
  !!value && typeof value === "object" && !Array.isArray(value);
const isMap = (value: unknown): value is LabelMap =>
  isObject(value) && Object.values(value).every((to) => typeof to === "string");

/** The label maps in a file: a map, maps by dataset, or a configuration of the benchmark. */
export function mapsIn(value: unknown): LabelMaps | null {
  if (isMap(value)) return value;
  if (!isObject(value)) return null;
  const config = isObject(value.inference_config) ? value.inference_config : {};
  const inner = config[key] ?? value[key];
  if (inner !== undefined) return mapsIn(inner);
  // Older configurations wrap each dataset's map.
  const maps = Object.entries(value).map(
    ([name, one]) => [name, isObject(one) ? (one[key] ?? one) : one] as const,
  );
  return maps.every(([, map]) => isMap(map)) ? (Object.fromEntries(maps) as LabelMaps) : null;
}

/** Maps by dataset, if these are. */
function byDataset(maps: LabelMaps | null | undefined): Record<string, LabelMap> | undefined {
  if (!maps || isMap(maps)) return undefined;
  return maps as Record<string, LabelMap>;
}

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

/** The map for a dataset; without one, the only map there is. */
export function mapFor(
  maps: LabelMaps | null | undefined,
  dataset: string | null,
): LabelMap | undefined {
  if (!maps) return undefined;
  const named = byDataset(maps);
  if (!named) return maps as LabelMap;
  const fits = Object.keys(named).filter((name) => !dataset || same(name, dataset));
  return fits.length === 1 ? named[fits[0] as string] : undefined;
}

/** The maps after a dataset's map changed or went; `datasets` are those that one map stood for. */
export function withMap(
  maps: LabelMaps | null | undefined,
  dataset: string | null,
  map: LabelMap | undefined,
  datasets: string[],
): LabelMaps | undefined {
  if (!dataset) return map;
  const before = maps ? (byDataset(maps) ?? each(datasets, maps as LabelMap)) : {};
  const others = Object.entries(before).filter(([name]) => !same(name, dataset));
  const all = map ? [...others, [dataset, map] as const] : others;
  return all.length ? Object.fromEntries(all) : undefined;
}

const each = (datasets: string[], map: LabelMap): Record<string, LabelMap> =>
  Object.fromEntries(datasets.map((name) => [name, map]));
