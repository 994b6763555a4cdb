// Files: what was given, how it was read, and the options of the run.

import { css, html, nothing } from "lit";
import { score, visible } from "../format.js";
import { fromFiles } from "../intake.js";
import type { Role } from "../protocol.js";
import type { BoardView, LabelUse } from "../report.js";
import { t } from "../strings.js";
import { shared } from "../style.js";
import { StoreElement } from "../ui/element.js";
import { datasetChoice, headlineF1, headlineName } from "../ui/parts.js";
import "./labels.js";
import "./options.js";
import "./pairing.js";
import "./problems.js";
import "./sources.js";
import type { ShowProblems } from "./sources.js";

class FilesView extends StoreElement {
  static override styles = [
    shared,
    css`
      .promise {
        display: flex;
        flex-wrap: wrap;
        gap: 0 var(--s2);
        align-items: baseline;
        margin-bottom: var(--s3);
      }
      .zones {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(min(100%, 320px), 1fr));
        gap: var(--s3);
      }
      .zone {
        border: 1px dashed var(--line-strong);
        border-radius: var(--round);
        background: var(--panel);
        padding: var(--s4);
        display: grid;
        gap: var(--s2);
        align-content: start;
        align-content: center;
        justify-items: center;
        text-align: center;
        min-height: min(38vh, 300px);
      }
      .zone:hover {
        border-color: var(--accent);
      }
      .zone h2 {
        font-size: var(--title);
      }
      .zone.has {
        min-height: 0;
        justify-items: start;
        text-align: start;
      }
      .zone.has h2 {
        font-size: var(--large);
      }
      .welcome {
        margin: var(--s4) 0 var(--s5);
        display: grid;
        gap: var(--s1);
      }
      .welcome h2 {
        font-size: var(--title);
      }
      #found,
      .found {
        gap: var(--s5);
      }
      .result {
        display: flex;
        flex-wrap: wrap;
        gap: var(--s1) var(--s4);
        align-items: center;
        padding: var(--s2) var(--s3);
        border-inline-start: 4px solid var(--accent);
        background: var(--accent-soft);
      }
      .result b {
        font-variant-numeric: tabular-nums;
      }
      .bar {
        display: flex;
        flex-wrap: wrap;
        gap: var(--s2) var(--s4);
        align-items: center;
        margin: var(--s3) 0 var(--s5);
      }
      .layout {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: var(--s5);
      }
      @media (min-width: 1180px) {
        .layout {
          grid-template-columns: minmax(0, 1fr) 380px;
        }
      }
      dialog {
        width: min(720px, calc(100vw - 32px));
      }
      textarea {
        width: 100%;
        min-height: 240px;
        font: var(--small) / 1.5 var(--mono);
        resize: vertical;
      }
    `,
  ];

  #pastes = 0;

  #find<T extends HTMLElement>(selector: string): T {
    return this.renderRoot.querySelector<T>(selector) as T;
  }

  #picked(event: Event, role: Role) {
    const input = event.target as HTMLInputElement;
    this.store.add(fromFiles(input.files ?? []), role);
    input.value = "";
  }

  #paste = () => {
    const area = this.#find<HTMLTextAreaElement>("#pasted");
    const role = this.#find<HTMLSelectElement>("#paste-role").value as Role;
    this.#find<HTMLDialogElement>("#paste").close();
    if (!area.value) return;
    this.#pastes += 1;
    const name = t.files.pasted(this.#pastes);
    this.store.add(fromFiles([new File([area.value], name)]), role);
    area.value = "";
  };

  #openPaste(role: Role) {
    this.#find<HTMLSelectElement>("#paste-role").value = role;
    this.#find<HTMLDialogElement>("#paste").showModal();
  }

  #zone(role: Role, name: string, hint: string) {
    const picker = (id: string, label: string, folder: boolean) => html`
      <input
        type="file"
        id=${id}
        multiple
        ?webkitdirectory=${folder}
        hidden
        @change=${(event: Event) => this.#picked(event, role)}
      />
      <button @click=${() => this.#find(`#${id}`).click()} aria-label=${`${name}: ${label}`}>
        ${label}
      </button>
    `;
    return html`<section class="zone ${this.store.sources.length ? "has" : ""}" data-role=${role} aria-label=${name}>
      <h2>${name}</h2>
      <p class="muted">${hint} ${t.files.drop}.</p>
      <div class="row">
        ${picker(`${role}-files`, t.files.pickFiles, false)}
        ${picker(`${role}-folder`, t.files.pickFolder, true)}
        <button @click=${() => this.#openPaste(role)} aria-label=${`${name}: ${t.files.paste}`}>
          ${t.files.paste}
        </button>
      </div>
    </section>`;
  }

  /** The way on, once there is a score. */
  #result() {
    const { report, systemNames, digits, many, board } = this.store;
    if (many && board?.systems.length) return this.#leaderboard(board);
    if (!report) return nothing;
    return html`<div class="result">
      <span>${headlineName(report)}</span>
      ${report.systems.map(
        (system, at) =>
          html`<span
            ><bdi>${visible(systemNames[at] ?? "")}</bdi> <b>${score(headlineF1(report, system), digits)}</b>
            ${system.failure?.message}</span
          >`,
      )}
      <button class="main push" id="to-score" @click=${() => this.store.show("score")}>
        ${t.files.toScore}
      </button>
    </div>`;
  }

  /** Likewise of several datasets: each system's mean. */
  #leaderboard(board: BoardView) {
    const { catalog } = this.store;
    return html`<div class="result">
      <span>${catalog?.metrics[0]?.title}, ${t.compare.meanOfDatasets.toLowerCase()}</span>
      ${board.systems.map(({ system, metrics }) => {
        const value = metrics[0]?.mean_of_datasets ?? null;
        return html`<span
          ><bdi>${visible(this.store.shownSystem(system))}</bdi>
          <b>${score({ value, defined: value !== null }, 2)}</b></span
        >`;
      })}
      <span class="row push">
        <button id="to-board" @click=${() => this.store.show("compare")}>
          ${t.compare.leaderboard}
        </button>
        <button class="main" id="to-score" @click=${() => this.store.show("score")}>
          ${t.files.toScore}
        </button>
      </span>
    </div>`;
  }

  /** Gold that is scored against itself. */
  #sameFile() {
    const { store } = this;
    const notes = [...store.reports].flatMap(([dataset, { systems }]) =>
      systems.flatMap(({ notes }, at) =>
        notes
          .filter(({ kind }) => kind === "same_file")
          .map(({ message }) => ({
            message,
            name: [dataset, visible(store.systemsOf(dataset)[at] ?? "")].join(" ").trim(),
          })),
      ),
    );
    return notes.map(
      ({ message, name }) => html`<p class="warning" id="same-file">
        <strong><bdi>${name}</bdi>: ${message}</strong>
        ${t.files.sameFile}
      </p>`,
    );
  }

  async #showProblems({ side, dataset }: ShowProblems) {
    this.store.showDataset(dataset);
    const panel = this.renderRoot.querySelector("cs-problems");
    await panel?.updateComplete;
    panel?.show(side);
  }

  override render() {
    const { sources, tokenizers, facts, catalog } = this.store;
    // The first is "automatic".
    const formats = catalog?.formats.slice(1).map(({ title }) => title);
    const labels: LabelUse[] = facts
      ? [...(facts.gold?.labels ?? []), ...facts.systems.flatMap(({ side }) => side.labels)]
      : [];
    return html`
      ${
        sources.length
          ? nothing
          : html`<div class="welcome">
              <h2>${t.files.welcome}</h2>
              <p class="muted">${t.files.welcomeWords}</p>
            </div>`
      }
      <div class="promise">
        <span>${t.privacy.promiseShort}</span>
        <button
          class="plain"
          @click=${() => this.dispatchEvent(new Event("privacy"))}
        >
          ${t.privacy.verify}
        </button>
      </div>
      <div class="zones">
        ${this.#zone("gold", t.files.gold, t.files.goldHint)}
        ${this.#zone("prediction", t.files.predictions, t.files.predictionsHint)}
      </div>
      <div class="bar">
        ${
          sources.length
            ? nothing
            : html`<button id="example" class="main" @click=${() => this.store.addExample()}>
                ${t.files.example}
              </button>`
        }
        <span class="muted">
          ${formats?.length ? t.files.formats(formats) : nothing} ${t.files.dropAnywhere}
        </span>
      </div>
      ${
        sources.length || tokenizers.length
          ? html`<div class="stack" id="found">
              ${this.#result()} ${this.#sameFile()}
              <cs-sources
                .store=${this.store}
                @show-problems=${this.#showProblems}
              ></cs-sources>
              <div class="layout">
                <div class="stack found">
                  ${datasetChoice(this.store)}
                  <cs-pairing .store=${this.store}></cs-pairing>
                  <cs-labels .store=${this.store}></cs-labels>
                  <cs-problems .store=${this.store}></cs-problems>
                </div>
                <cs-options .store=${this.store} .labels=${labels}></cs-options>
              </div>
            </div>`
          : nothing
      }
      <dialog id="paste" aria-labelledby="paste-heading">
        <div class="stack">
          <h2 id="paste-heading">${t.files.pasteHeading}</h2>
          <label>
            ${t.files.pasteAs}
            <select id="paste-role">
              <option value="gold">${t.files.roles.gold}</option>
              <option value="prediction">${t.files.roles.prediction}</option>
            </select>
          </label>
          <textarea id="pasted" aria-label=${t.files.pasteLabel} spellcheck="false"></textarea>
          <div class="row">
            <button class="main" @click=${this.#paste}>${t.files.pasteAdd}</button>
            <button @click=${() => this.#find<HTMLDialogElement>("#paste").close()}>${t.cancel}</button>
          </div>
        </div>
      </dialog>
    `;
  }
}
customElements.define("cs-files", FilesView);
