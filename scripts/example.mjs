// Writes www/example/*.jsonl: the invented notes of the page's example. `--check` only compares.
// Spans are named by their words, never by number, so that every offset is right by construction.
import { readFileSync, writeFileSync } from "node:fs";

const folder = new URL("../www/example/", import.meta.url);

/**
 * Notes: [id, text, gold spans, edits of system A, edits of system B].
 * A span is "words" (or "words#2" for the second time they occur) and a label. Edits turn gold into
 * predictions: -words drops, words=label relabels, words>other words moves, +words=label adds; order is kept.
 * `null` instead of edits: the system has no such document.
 */
const notes = [
  [
    "note-01",
    "58-year-old man with type 2 diabetes and hypertension. Started metformin 500 mg twice daily; HbA1c 8.4 %.",
    {
      "type 2 diabetes": "condition",
      hypertension: "condition",
      metformin: "drug",
      "HbA1c 8.4 %": "measurement",
    },
    [],
    ["HbA1c 8.4 %>HbA1c"],
  ],
  [
    "note-02",
    "Chest pain on exertion for two weeks. Coronary angiography showed a stenosis of the left anterior descending artery.",
    {
      "Chest pain on exertion": "condition",
      "Coronary angiography": "procedure",
      "stenosis of the left anterior descending artery": "condition",
    },
    ["Chest pain on exertion>Chest pain"],
    [
      "Coronary angiography=measurement",
      "stenosis of the left anterior descending artery>stenosis",
    ],
  ],
  [
    "note-03",
    "Levothyroxine 75 µg every morning. TSH 6.1 mIU/l, free T4 normal.",
    { Levothyroxine: "drug", "TSH 6.1 mIU/l": "measurement", "free T4": "measurement" },
    [],
    ["-free T4"],
  ],
  [
    "note-04",
    "Temperature ≥ 38.5 °C and productive cough. Chest X-ray: right lower lobe pneumonia. Amoxicillin started.",
    {
      "Temperature ≥ 38.5 °C": "measurement",
      "productive cough": "condition",
      "Chest X-ray": "procedure",
      "right lower lobe pneumonia": "condition",
      Amoxicillin: "drug",
    },
    ["right lower lobe pneumonia>pneumonia"],
    ["Temperature ≥ 38.5 °C=condition", "-productive cough"],
  ],
  [
    "note-05",
    "Crohn's disease since 2014, ileocaecal resection in 2019. No azathioprine because of raised lipase.",
    {
      "Crohn's disease": "condition",
      "ileocaecal resection": "procedure",
      azathioprine: "drug",
      "raised lipase": "measurement",
    },
    ["raised lipase=condition"],
    ["raised lipase>lipase", "+2019=date"],
  ],
  [
    "note-06",
    "Mme Dupré: déjà vu episodes, then a focal seizure. EEG with left temporal spikes; levetiracetam 500 mg.",
    {
      "déjà vu episodes": "condition",
      "focal seizure": "condition",
      EEG: "procedure",
      "left temporal spikes": "condition",
      levetiracetam: "drug",
    },
    ["-déjà vu episodes"],
    ["left temporal spikes=measurement"],
  ],
  [
    "note-07",
    "Patient writes: “🤒 since Monday, vomiting and diarrhoea”. Rehydration by mouth, ondansetron if needed.",
    {
      vomiting: "condition",
      diarrhoea: "condition",
      "Rehydration by mouth": "procedure",
      ondansetron: "drug",
    },
    [],
    ["-Rehydration by mouth", "+🤒=condition"],
  ],
  [
    "note-08",
    "Left and right knee osteoarthritis. Total knee replacement on the left; rivaroxaban for five weeks.",
    {
      // A discontinuous finding as its envelope, and the one nested in it.
      "Left and right knee osteoarthritis": "condition",
      "right knee osteoarthritis": "condition",
      "Total knee replacement": "procedure",
      rivaroxaban: "drug",
    },
    ["-right knee osteoarthritis"],
    [
      "-Left and right knee osteoarthritis",
      "Total knee replacement>Total knee replacement on the left",
    ],
  ],
  [
    "note-09",
    "Sodium 128 mmol/l under hydrochlorothiazide; the drug was stopped. Repeat sodium 137 mmol/l.",
    {
      "Sodium 128 mmol/l": "measurement",
      hydrochlorothiazide: "drug",
      "sodium 137 mmol/l": "measurement",
    },
    ["sodium 137 mmol/l>Repeat sodium 137 mmol/l"],
    ["+drug=drug", "sodium 137 mmol/l=condition"],
  ],
  [
    "note-10",
    "Iron-deficiency anaemia, ferritin 6 µg/l. Gastroscopy and colonoscopy without bleeding; ferric carboxymaltose given.",
    {
      "Iron-deficiency anaemia": "condition",
      "ferritin 6 µg/l": "measurement",
      Gastroscopy: "procedure",
      colonoscopy: "procedure",
      "ferric carboxymaltose": "drug",
    },
    ["+bleeding=condition"],
    ["Iron-deficiency anaemia>anaemia", "+bleeding=condition", "+Iron=drug"],
  ],
  [
    "note-11",
    // Two spans that touch: clopidogrel/aspirin written without a space.
    "Dual therapy clopidogrel/aspirin after stent implantation; haemoglobin stable.",
    {
      "clopidogrel/": "drug",
      aspirin: "drug",
      "stent implantation": "procedure",
      haemoglobin: "measurement",
    },
    ["clopidogrel/>clopidogrel"],
    ["-aspirin", "haemoglobin=procedure"],
  ],
  [
    "note-12",
    "Atrial fibrillation, CHA2DS2-VASc 4. Apixaban 5 mg b.i.d., electrical cardioversion planned.",
    {
      "Atrial fibrillation": "condition",
      "CHA2DS2-VASc 4": "measurement",
      Apixaban: "drug",
      "electrical cardioversion": "procedure",
    },
    // A duplicate prediction: under nervaluate 0.1.8 it counts a second time.
    ["+Apixaban=drug"],
    ["electrical cardioversion>cardioversion=condition"],
  ],
  [
    "note-13",
    "No fever, no dyspnoea. Oxygen saturation 97 % on room air.",
    { fever: "condition", dyspnoea: "condition", "Oxygen saturation 97 %": "measurement" },
    [],
    ["-fever", "-dyspnoea"],
  ],
  [
    "note-14",
    "Breast carcinoma, lumpectomy in March, then radiotherapy. Tamoxifen for five years.",
    {
      "Breast carcinoma": "condition",
      lumpectomy: "procedure",
      radiotherapy: "procedure",
      Tamoxifen: "drug",
    },
    [],
    ["lumpectomy=condition", "+March=date", "+five years=date"],
  ],
  [
    "note-15",
    "Acute kidney injury, creatinine 312 µmol/l, potassium 6.2 mmol/l. Haemodialysis via a jugular catheter.",
    {
      "Acute kidney injury": "condition",
      "creatinine 312 µmol/l": "measurement",
      "potassium 6.2 mmol/l": "measurement",
      Haemodialysis: "procedure",
    },
    ["creatinine 312 µmol/l>creatinine", "+jugular catheter=procedure"],
    ["creatinine 312 µmol/l>kidney injury, creatinine 312 µmol/l"],
  ],
  [
    "note-16",
    "Migraine with aura three times a month. Sumatriptan helps; propranolol was not tolerated (bradycardia).",
    {
      "Migraine with aura": "condition",
      Sumatriptan: "drug",
      propranolol: "drug",
      bradycardia: "condition",
    },
    ["Migraine with aura>Migraine"],
    ["bradycardia=measurement"],
  ],
  ["note-17", "Routine visit. Nothing to report.", {}, ["+Routine visit=procedure"], []],
  [
    "note-18",
    "Mother of two after caesarean section; wound infection, CRP 88 mg/l, cefuroxime i.v.",
    {
      "caesarean section": "procedure",
      "wound infection": "condition",
      "CRP 88 mg/l": "measurement",
      cefuroxime: "drug",
    },
    ["CRP 88 mg/l>CRP"],
    null,
  ],
  [
    "note-19",
    "Spinal MRI: disc herniation L4/L5 with compression of the root. Ibuprofen and physiotherapy.",
    {
      "Spinal MRI": "procedure",
      "disc herniation L4/L5": "condition",
      "compression of the root": "condition",
      Ibuprofen: "drug",
      physiotherapy: "procedure",
    },
    [
      "disc herniation L4/L5>disc herniation L4/L5 with compression of the root",
      "-compression of the root",
    ],
    ["Spinal MRI>MRI=measurement", "physiotherapy=drug"],
  ],
  [
    "note-20",
    "COPD GOLD 3, FEV1 41 % predicted. Tiotropium and salbutamol; smoking cessation advised.",
    {
      "COPD GOLD 3": "condition",
      "FEV1 41 %": "measurement",
      Tiotropium: "drug",
      salbutamol: "drug",
      "smoking cessation": "procedure",
    },
    ["COPD GOLD 3>COPD", "-smoking cessation"],
    ["FEV1 41 %>FEV1 41 % predicted"],
  ],
];

/** A document that only system B has. */
const extra = [
  "note-21",
  "Addendum: allergy to penicillin noted.",
  { penicillin: "drug" },
  null,
  [],
];

/** Offsets in code points of words in a text. */
function find(text, words) {
  const [needle, nth] = words.split("#");
  const hits = [];
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1)) hits.push(at);
  if (!hits.length) throw new Error(`“${needle}” is not in “${text}”`);
  // Exact words of another span may contain them; the first time is meant unless said otherwise.
  const at = hits[nth ? Number(nth) - 1 : 0];
  const start = [...text.slice(0, at)].length;
  return { start, end: start + [...needle].length };
}

function record(id, text, spans) {
  return JSON.stringify({
    id,
    text,
    entities: spans.map(([words, label]) => ({ ...find(text, words), label })),
  });
}

function predicted(gold, edits) {
  const spans = Object.entries(gold);
  for (const edit of edits) {
    if (edit.startsWith("+")) {
      const [words, label] = edit.slice(1).split("=");
      spans.push([words, label]);
      continue;
    }
    const [, drop, words, other, label] = /^(-?)([^=>]+)(?:>([^=]+))?(?:=(.+))?$/.exec(edit);
    const at = spans.findIndex(([name]) => name === words);
    if (at < 0) throw new Error(`no gold span “${words}”`);
    if (drop) spans.splice(at, 1);
    else spans[at] = [other ?? words, label ?? spans[at][1]];
  }
  return spans;
}

const files = { "gold.jsonl": [], "system-a.jsonl": [], "system-b.jsonl": [] };
for (const [id, text, gold, a, b] of [...notes, extra]) {
  if (id !== extra[0]) files["gold.jsonl"].push(record(id, text, Object.entries(gold)));
  if (a) files["system-a.jsonl"].push(record(id, text, predicted(gold, a)));
  if (b) files["system-b.jsonl"].push(record(id, text, predicted(gold, b)));
}

let stale = 0;
for (const [name, lines] of Object.entries(files)) {
  const wanted = `${lines.join("\n")}\n`;
  const path = new URL(name, folder);
  if (process.argv.includes("--check")) {
    if (readFileSync(path, "utf8") !== wanted) {
      stale += 1;
      console.error(`www/example/${name} is stale: run node scripts/example.mjs`);
    }
  } else {
    writeFileSync(path, wanted);
    console.log(`www/example/${name}: ${lines.length} documents`);
  }
}
process.exitCode = stale ? 1 : 0;
