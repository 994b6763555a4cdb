// Colours, sizes and the look of what every view shares. Each colour is named once, for both themes.

import { css } from "lit";

export const tokens = css`
  :host {
    color-scheme: light dark;
    --ground: light-dark(#fdfdfc, #15181b);
    --panel: light-dark(#f4f5f4, #1c2024);
    --raised: light-dark(#ffffff, #23282d);
    --line: light-dark(#dcdfdd, #363c42);
    --line-strong: light-dark(#7f8783, #7b848b);
    --text: light-dark(#1b201e, #e3e7e6);
    --muted: light-dark(#59615d, #a3acaa);
    --accent: light-dark(#0b6470, #6ccbd4);
    --on-accent: light-dark(#ffffff, #0f1416);
    --accent-soft: light-dark(#e0eff0, #1d3438);
    --heat: light-dark(#0b6470, #4fb3bd);
    --exact: light-dark(#2f6f38, #82c78a);
    --other: light-dark(#b3271e, #ff968c);
    --overlap: light-dark(#6a40b3, #bba0f5);
    --missed: light-dark(#8a5600, #e8b557);
    --spurious: light-dark(#0f5cc0, #80b6ff);
    --danger: light-dark(#a8201a, #ff9a91);
    --danger-soft: light-dark(#fbeae8, #3a2120);
    --pick: light-dark(#fff3c4, #3b3416);

    --s1: 4px;
    --s2: 8px;
    --s3: 12px;
    --s4: 16px;
    --s5: 24px;
    --s6: 40px;
    --small: 12px;
    --body: 14px;
    --large: 16px;
    --title: 20px;
    --huge: 28px;
    --round: 4px;
    --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  }
  :host([theme="light"]) {
    color-scheme: light;
  }
  :host([theme="dark"]) {
    color-scheme: dark;
  }
`;

export const shared = css`
  :host {
    display: block;
    min-width: 0;
  }
  :host([hidden]),
  [hidden] {
    display: none !important;
  }
  *,
  *::before,
  *::after {
    box-sizing: border-box;
  }
  h2,
  h3 {
    margin: 0;
    font-weight: 600;
    line-height: 1.3;
  }
  h2 {
    font-size: var(--large);
  }
  h3,
  h2.small-h {
    font-size: var(--body);
  }
  p {
    margin: 0;
    max-width: 72ch;
  }
  ul {
    margin: 0;
    padding: 0;
    list-style: none;
  }
  bdi {
    overflow-wrap: anywhere;
  }
  .muted {
    color: var(--muted);
  }
  .small {
    font-size: var(--small);
  }
  .row {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--s2);
  }
  .stack {
    display: grid;
    align-content: start;
    gap: var(--s3);
    grid-template-columns: minmax(0, 1fr);
  }
  .push {
    margin-inline-start: auto;
  }
  .unseen {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  button,
  select,
  input,
  textarea {
    font: inherit;
    color: inherit;
    letter-spacing: inherit;
  }
  button,
  select,
  input:not([type="checkbox"], [type="radio"]),
  textarea {
    min-height: 28px;
    padding: 2px var(--s2);
    background: var(--raised);
    border: 1px solid var(--line-strong);
    border-radius: var(--round);
    max-width: 100%;
  }
  button {
    cursor: pointer;
  }
  button:hover:not(:disabled),
  select:hover:not(:disabled) {
    border-color: var(--text);
  }
  button:disabled {
    opacity: 0.5;
    cursor: default;
  }
  button.main {
    background: var(--accent);
    border-color: var(--accent);
    color: var(--on-accent);
    font-weight: 600;
  }
  button.plain {
    min-height: 24px;
    padding: 0 var(--s1);
    background: none;
    border-color: transparent;
    color: var(--accent);
  }
  button.plain:hover:not(:disabled) {
    border-color: var(--accent);
  }
  button.count {
    min-height: 22px;
    padding: 0 var(--s1);
    margin-inline-end: calc(-1 * var(--s1) - 1px);
    background: none;
    border-color: transparent;
    color: var(--accent);
    text-decoration: underline;
    text-decoration-thickness: 1px;
    text-decoration-color: color-mix(in srgb, currentColor 35%, transparent);
    text-underline-offset: 3px;
    font-variant-numeric: tabular-nums;
  }
  button.count:hover {
    background: var(--accent-soft);
    text-decoration-color: currentColor;
  }
  input[type="checkbox"],
  input[type="radio"] {
    accent-color: var(--accent);
    width: 14px;
    height: 14px;
    margin: 0;
    flex: none;
  }
  label.tick {
    display: inline-flex;
    align-items: center;
    gap: var(--s2);
    min-height: 24px;
  }
  .choice {
    display: inline-flex;
    align-items: center;
    border: 0;
    margin: 0;
    padding: 0;
    min-width: 0;
  }
  .choice legend {
    float: left;
    padding: 0;
    margin-inline-end: var(--s2);
    color: var(--muted);
    font-size: var(--small);
  }
  .choice label {
    position: relative;
    cursor: pointer;
  }
  dialog {
    border: 1px solid var(--line-strong);
    border-radius: var(--round);
    padding: var(--s5);
    background: var(--raised);
    color: var(--text);
  }
  dialog::backdrop {
    background: rgb(0 0 0 / 0.4);
  }
  /* The label is what is seen and pressed; the input lies over it. */
  .choice input,
  .systems input {
    position: absolute;
    inset: 0;
    width: 100%;
    height: 100%;
    opacity: 0;
    cursor: pointer;
  }
  .choice span {
    display: inline-block;
    padding: 1px var(--s2);
    line-height: 24px;
    border: 1px solid var(--line-strong);
    margin-inline-start: -1px;
    background: var(--raised);
  }
  .choice label:first-of-type span {
    border-start-start-radius: var(--round);
    border-end-start-radius: var(--round);
  }
  .choice label:last-of-type span {
    border-start-end-radius: var(--round);
    border-end-end-radius: var(--round);
  }
  .choice input:checked + span {
    background: var(--accent-soft);
    border-color: var(--accent);
    color: var(--accent);
    font-weight: 600;
    position: relative;
  }
  .choice input:focus-visible + span {
    outline: 2px solid var(--accent);
    outline-offset: 1px;
    z-index: 1;
    position: relative;
  }
  .choice input:hover + span {
    border-color: var(--text);
  }
  :focus-visible {
    outline: 2px solid var(--accent);
    outline-offset: 1px;
  }
  a {
    color: var(--accent);
  }
  kbd {
    font: var(--small) var(--mono);
    padding: 0 4px;
    border: 1px solid var(--line-strong);
    border-bottom-width: 2px;
    border-radius: var(--round);
    color: var(--muted);
  }
  code {
    font-family: var(--mono);
    font-size: 0.93em;
    overflow-wrap: anywhere;
  }
  summary {
    cursor: pointer;
    min-height: 24px;
  }
  .warning {
    border-inline-start: 4px solid var(--missed);
    padding-inline-start: var(--s3);
  }
  .frame {
    border: 1px solid var(--line);
    border-radius: var(--round);
    background: var(--raised);
  }
  .mark {
    display: inline-block;
    width: 18px;
    flex: none;
    border-bottom: 3px solid;
    margin-bottom: 2px;
    vertical-align: middle;
  }
  .exact {
    color: var(--exact);
  }
  .other_label,
  .overlap_other_label {
    color: var(--other);
  }
  .overlap {
    color: var(--overlap);
  }
  .missed {
    color: var(--missed);
  }
  .spurious {
    color: var(--spurious);
  }
  .mark.exact {
    border-bottom-style: solid;
  }
  .mark.other_label {
    border-bottom-style: double;
  }
  .mark.overlap,
  .mark.overlap_other_label {
    border-bottom-style: dashed;
  }
  .mark.missed {
    border-bottom-style: dotted;
  }
  svg.mark {
    border: 0;
    height: 6px;
    fill: none;
    stroke: currentColor;
    stroke-width: 2;
  }
  @media (prefers-reduced-motion: reduce) {
    * {
      transition: none !important;
      animation: none !important;
      scroll-behavior: auto !important;
    }
  }
`;

/** Tables whose cells are edited, in a frame that scrolls. */
export const sheet = css`
  .scroll {
    overflow: auto;
    container-type: inline-size;
  }
  table {
    border-collapse: separate;
    border-spacing: 0;
    width: 100%;
    font-variant-numeric: tabular-nums;
  }
  th,
  td {
    text-align: start;
    vertical-align: top;
    padding: var(--s1) var(--s2);
    border-bottom: 1px solid var(--line);
  }
  td,
  tbody th {
    line-height: 28px;
  }
  tbody th {
    font-weight: 400;
  }
  :is(td, th) :is(input, select, button) {
    line-height: 1.45;
  }
  tbody:last-child > tr:last-child > * {
    border-bottom: 0;
  }
  thead th {
    font-size: var(--small);
    color: var(--muted);
    background: var(--panel);
    white-space: nowrap;
  }
  .n {
    text-align: end;
    white-space: nowrap;
  }
`;
