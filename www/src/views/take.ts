// Take away: every export with a preview, to save or to copy.

import { css, html, nothing, type PropertyValues } from "lit";
import { Failed } from "../client.js";
import { visible } from "../format.js";
import { t } from "../strings.js";
import { shared } from "../style.js";
import { copy, download, StoreElement } from "../ui/element.js";
import { boardChoices, nothingShown, select } from "../ui/parts.js";

const shownLines = 400;
const types: Record<string, string> = {
  json: "application/json",
  csv: "text/csv",
  md: "text/markdown",
};
/** What tells an export of the leaderboard from one of a score. */
const prefix = "board-";

/** JSON on one line, broken up for reading; numbers and strings stay as they are written. */
function indented(json: string): string {
  if (json.trimEnd().includes("\n")) return json;
  let depth = 0;
  return json.replace(/"(?:[^"\\]|\\.)*"|[{}[\]]|[,:]\s*/g, (match, at: number) => {
    const token = match.trimEnd();
    const line = () => `\n${"  ".repeat(depth)}`;
    const next = json[at + 1];
    if (token === ",") return `,${line()}`;
    if (token === ":") return ": ";
    if (token === "{" || token === "[") {
      if (next === "}" || next === "]") return token;
      depth += 1;
      return token + line();
    }
    if (token === "}" || token === "]") {
      const before = json[at - 1];
      if (before === "{" || before === "[") return token;
      depth -= 1;
      return line() + token;
    }
    return token;
  });
}

class TakeView extends StoreElement {
  static override properties = {
    ...StoreElement.properties,
    kind: { state: true },
    system: { state: true },
    text: { state: true },
    said: { state: true },
    trouble: { state: true },
  };
  declare kind: string;
  /** The system whose results are taken; empty for all. */
  declare system: string;
  declare text: string | null;
  declare said: string;
  declare trouble: string;
  #asked = "";

  constructor() {
    super();
    this.kind = "";
    this.system = "";
    this.text = null;
    this.said = "";
    this.trouble = "";
  }

  static override styles = [
    shared,
    css`
      .page {
        display: grid;
        gap: var(--s4);
        grid-template-columns: minmax(0, 1fr);
        align-items: start;
      }
      @media (min-width: 900px) {
        .page {
          grid-template-columns: 300px minmax(0, 1fr);
        }
      }
      .kinds {
        border: 0;
        margin: 0;
        padding: 0;
        display: grid;
        gap: 2px;
      }
      .kinds legend {
        padding: 0;
        font-weight: 600;
        margin-bottom: var(--s1);
      }
      .kinds label {
        display: grid;
        grid-template-columns: auto minmax(0, 1fr);
        gap: 0 var(--s2);
        align-items: center;
        padding: var(--s1) var(--s2);
        border-radius: var(--round);
        cursor: pointer;
      }
      .kinds label:hover {
        background: var(--panel);
      }
      .kinds label:has(:checked) {
        background: var(--accent-soft);
      }
      .kinds small {
        grid-column: 2;
        font-size: var(--small);
        color: var(--muted);
      }
      pre {
        margin: 0;
        padding: var(--s3);
        font: var(--small) / 1.5 var(--mono);
        overflow: auto;
        max-height: max(320px, calc(100dvh - 210px));
        tab-size: 2;
      }
    `,
  ];

  protected override willUpdate(_: PropertyValues) {
    const { store } = this;
    const kinds = this.#kinds().map(([kind]) => kind);
    if (!kinds.includes(this.kind)) this.kind = kinds[0] ?? "";
    if (!this.kind) {
      this.#asked = "";
      this.text = null;
      return;
    }
    if (!store.board?.systems.some(({ system }) => system === this.system)) this.system = "";
    const key = this.#board
      ? JSON.stringify([this.kind, store.boardMade, store.boardShown, this.system])
      : `${this.kind} ${store.run}`;
    if (key !== this.#asked) {
      this.#asked = key;
      this.#ask(key);
    }
  }

  /** The leaderboard's export that is chosen, if one of those is. */
  get #board(): string | undefined {
    return this.kind.startsWith(prefix) ? this.kind.slice(prefix.length) : undefined;
  }

  /** Everything that can be taken: of the score that is shown, then of the leaderboard. */
  #kinds(): [string, string, string][] {
    const { report, board, catalog } = this.store;
    return [
      ...(report ? (catalog?.outputs ?? []) : []).map(
        ({ name, title }): [string, string, string] => [name, title, t.take.words[name] ?? ""],
      ),
      ...(board ? (catalog?.board_outputs ?? []) : []).map(
        ({ name, title }): [string, string, string] => [prefix + name, title, t.take.board],
      ),
    ];
  }

  async #ask(key: string) {
    this.text = null;
    this.trouble = "";
    try {
      const board = this.#board;
      const { metric, by, sort } = this.store.boardShown;
      const query = {
        metric: metric || null,
        by,
        // The greatest first, or as the systems came.
        sort: sort?.down ? sort.key : "added",
        system: this.system || null,
      };
      const text = await (board
        ? this.store.boardOutput(board, query)
        : this.store.output(this.kind));
      if (key === this.#asked) this.text = text;
    } catch (error) {
      const failure = error instanceof Failed ? error.failure : null;
      if (failure?.code === "superseded" || key !== this.#asked) return;
      if (failure?.code === "died" || failure?.code === "cancelled") this.store.lost(failure);
      else this.trouble = failure?.message ?? String(error);
    }
  }

  get #extension(): string {
    const { catalog } = this.store;
    const board = this.#board;
    const outputs = board ? catalog?.board_outputs : catalog?.outputs;
    return outputs?.find(({ name }) => name === (board ?? this.kind))?.extension ?? "txt";
  }

  #save() {
    const extension = this.#extension;
    const isResults = this.kind === "ncer" || this.#board === "ncer";
    const kind = this.#board ? `leaderboard.${extension}` : `${this.kind}.${extension}`;
    const name = isResults ? "ncer_results.json" : `clinscore-${kind}`;
    download(name, this.text ?? "", types[extension] ?? "text/plain");
  }

  async #copy() {
    this.said = (await copy(this.text ?? "")) ? t.take.copied : t.take.notCopied;
  }

  #preview() {
    if (this.trouble) return html`<p role="alert">${this.trouble}</p>`;
    if (this.text === null) return html`<p class="muted" role="status">${t.take.making}</p>`;
    const lines = (this.#extension === "json" ? indented(this.text) : this.text).split("\n");
    const cut = lines.length > shownLines + 1;
    // A line of a megabyte would stall the page; the download holds it whole.
    const shown = lines
      .slice(0, shownLines)
      .map((line) => (line.length > 2000 ? `${line.slice(0, 2000)}…` : line))
      .join("\n");
    return html`
      ${cut ? html`<p class="muted small">${t.take.cut(shownLines, lines.length)}</p>` : nothing}
      <pre class="frame" id="preview" tabindex="0" role="group" aria-label=${t.take.preview}>${shown}</pre>
    `;
  }

  /** Whose results file: the benchmark has one a system. */
  #systemChoice() {
    const { store } = this;
    const systems = store.board?.systems ?? [];
    return html`<label class="row">
      <span class="muted small">${t.take.boardSystem}</span>
      ${select(
        [
          ["", t.take.boardAll],
          ...systems.map(({ system }) => [system, visible(store.shownSystem(system))] as const),
        ],
        this.system,
        (system) => {
          this.system = system;
        },
        { id: "board-system" },
      )}
    </label>`;
  }

  override render() {
    const { store } = this;
    if (!this.kind) return html`<p class="muted">${nothingShown(store)}</p>`;
    return html`<div class="page">
      <div class="stack">
        <fieldset class="kinds">
          <legend>${t.take.what}</legend>
          ${this.#kinds().map(
            ([kind, title, words]) => html`<label>
              <input
                type="radio"
                name="kind"
                value=${kind}
                .checked=${kind === this.kind}
                @change=${() => {
                  this.kind = kind;
                  this.said = "";
                }}
              />
              <span>${title}</span><small>${words || nothing}</small>
            </label>`,
          )}
        </fieldset>
        <label class="tick">
          <input
            type="checkbox"
            id="paths"
            .checked=${!!store.options.paths}
            @change=${(event: Event) =>
              store.setOptions({ paths: (event.target as HTMLInputElement).checked || undefined })}
          />
          ${t.take.paths}
        </label>
        <p class=${store.options.paths ? "warning" : "muted small"}>
          ${store.options.paths ? t.take.pathsWarning : t.take.holds}
        </p>
        ${
          store.board && !store.options.paths
            ? html`<p class="muted small">${t.take.boardNames}</p>`
            : nothing
        }
      </div>
      <div class="stack">
        ${this.#board === "ncer" ? this.#systemChoice() : this.#board ? boardChoices(store) : nothing}
        <div class="row">
          <button class="main" id="download" ?disabled=${this.text === null} @click=${this.#save}>
            ${t.take.download}
          </button>
          <button id="copy" ?disabled=${this.text === null} @click=${this.#copy}>${t.take.copy}</button>
          <span role="status" class="muted">${this.said}</span>
        </div>
        ${this.#preview()}
      </div>
    </div>`;
  }
}
customElements.define("cs-take", TakeView);
