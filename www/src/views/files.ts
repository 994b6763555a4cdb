// Files: what was given, how it was read, and the options of the run.

import { css, html, nothing } from "lit";
import { bytes, count, plural, score, visible } from "../format.js";
import { fromFiles } from "../intake.js";
import type { Role } from "../protocol.js";
import type { Input, LabelUse, Side } from "../report.js";
import type { Source } from "../store.js";
import { t } from "../strings.js";
import { shared } from "../style.js";
import { StoreElement } from "../ui/element.js";
import { headlineMode } from "../ui/parts.js";
import "./options.js";

/** Lists longer than this are cut; the count beside them is whole. */
const shownFiles = 200;

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
      #found {
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
      .scroll {
        overflow-x: auto;
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
      td {
        line-height: 28px;
      }
      td :is(input, select, button) {
        line-height: 1.45;
      }
      h3 .muted {
        font-weight: 400;
      }
      tbody:last-child tr:last-child > td {
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
      td input {
        width: 16ch;
      }
      td.given {
        min-width: 16ch;
        max-width: 44ch;
      }
      td details {
        line-height: 1.45;
      }
      td details > summary {
        min-height: 28px;
        line-height: 28px;
      }
      details ul {
        padding: 0 0 var(--s2) var(--s4);
        max-height: 240px;
        overflow: auto;
      }
      .pairing {
        display: grid;
        align-content: start;
        gap: var(--s2);
      }
      .pairing dl {
        display: grid;
        grid-template-columns: max-content minmax(0, 1fr);
        gap: 0 var(--s2);
        margin: 0;
      }
      .pairing dt {
        text-align: end;
        font-variant-numeric: tabular-nums;
        line-height: 24px;
      }
      .pairing dd {
        margin: 0;
        line-height: 24px;
      }
      .ids {
        color: var(--muted);
      }
      .problem {
        padding: var(--s2) var(--s3);
      }
      .problem + .problem {
        border-top: 1px solid var(--line);
      }
      .problem summary .tag {
        font-size: var(--small);
        border: 1px solid;
        border-radius: var(--round);
        padding: 0 4px;
        margin-inline-start: var(--s1);
      }
      .tag.loses {
        color: var(--danger);
      }
      .tag.keeps {
        color: var(--muted);
      }
      .items {
        font-size: var(--small);
        padding-inline-start: var(--s4);
        display: grid;
        gap: 2px;
      }
      .items li {
        overflow-wrap: anywhere;
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

  /** The report's inputs that came from a source. */
  #inputs(source: Source): Input[] {
    const { facts } = this.store;
    if (!facts) return [];
    return facts.inputs.filter((_, at) => facts.files[at]?.source === source.id);
  }

  /** How many labels there are; the core counts them by side, which can be several sources. */
  #labelsOf(source: Source) {
    const { facts, sources, systemNames } = this.store;
    const side =
      source.role === "gold"
        ? facts?.gold
        : facts?.systems[systemNames.indexOf(source.system)]?.side;
    if (!side || !this.#inputs(source).length) return "…";
    const isSame = ({ role, system }: Source) =>
      role === source.role && (role === "gold" || system === source.system);
    const together = sources.filter(isSame).length > 1;
    return html`<span title=${together ? t.files.labelsTogether : nothing}
      >${count(side.labels.length)}${together ? "*" : ""}</span
    >`;
  }

  #source(source: Source) {
    const inputs = this.#inputs(source);
    const known = inputs.length > 0;
    const sum = (of: (input: Input) => number) => inputs.reduce((all, one) => all + of(one), 0);
    const distinct = (of: (input: Input) => string | null) => [
      ...new Set(inputs.map(of).filter((text) => text !== null)),
    ];
    const formats = distinct(({ format }) => format);
    const encodings = distinct(({ encoding }) => encoding);
    const reasons = distinct(({ format_reason }) => format_reason);
    const mark = inputs.some((input) => input.byte_order_mark);
    const problems = sum((input) => input.problems);
    const size = source.files.reduce((all, { file }) => all + file.size, 0);
    return html`<tr>
      <td class="given">
        ${
          source.files.length === 1 && source.files[0]?.path === source.name
            ? html`<bdi>${visible(source.name)}</bdi>`
            : html`<details>
                <summary>
                  <bdi>${visible(source.name)}</bdi>
                  <span class="muted">${t.files.filesIn(source.files.length)}</span>
                </summary>
                <ul class="small">
                  ${source.files
                    .slice(0, shownFiles)
                    .map(({ path }) => html`<li><bdi>${visible(path)}</bdi></li>`)}
                  ${
                    source.files.length > shownFiles
                      ? html`<li>${t.files.more(source.files.length - shownFiles)}</li>`
                      : nothing
                  }
                </ul>
              </details>`
        }
      </td>
      <td>
        <select
          aria-label=${`${t.files.role}: ${visible(source.name)}`}
          @change=${(event: Event) =>
            this.store.update(source.id, {
              role: (event.target as HTMLSelectElement).value as Role,
            })}
        >
          ${(["gold", "prediction"] as const).map(
            (role) =>
              html`<option value=${role} ?selected=${role === source.role}>
                ${t.files.roles[role]}
              </option>`,
          )}
        </select>
      </td>
      <td>
        ${
          source.role === "gold"
            ? nothing
            : html`<input
                aria-label=${`${t.files.system}: ${visible(source.name)}`}
                title=${t.files.systemHint}
                .value=${source.system}
                @change=${(event: Event) => {
                  const system = (event.target as HTMLInputElement).value.trim();
                  this.store.update(source.id, { system: system || source.name, named: !!system });
                }}
              />`
        }
      </td>
      <td title=${reasons.slice(0, 3).join("; ")}>
        <span class="unseen">${reasons.slice(0, 3).join("; ")}</span>${known ? formats.join(", ") || t.files.unread : "…"}</td>
      <td title=${mark ? t.files.bom : nothing}>
        ${encodings.join(", ")}${mark ? html` <span class="muted small">BOM</span>` : nothing}
      </td>
      <td class="n">${known ? count(sum((input) => input.documents)) : "…"}</td>
      <td class="n">${known ? count(sum((input) => input.spans)) : "…"}</td>
      <td class="n">${this.#labelsOf(source)}</td>
      <td class="n">
        ${
          problems
            ? html`<button
                class="count"
                aria-label=${`${count(problems)}: ${t.files.problemsOf(visible(source.name))}`}
                @click=${() => this.#showProblems(source.role === "gold" ? "gold" : source.system)}
              >
                ${count(problems)}
              </button>`
            : known
              ? "0"
              : "…"
        }
      </td>
      <td class="n">${bytes(size)}</td>
      <td class="n">
        <button
          class="plain"
          aria-label=${`${t.files.remove}: ${visible(source.name)}`}
          title=${t.files.remove}
          @click=${() => this.store.remove(source.id)}
        >
          ✕
        </button>
      </td>
    </tr>`;
  }

  #showProblems(of: string) {
    const sections = [...this.renderRoot.querySelectorAll<HTMLElement>("[data-problems]")];
    const section = sections.find((one) => one.dataset.problems === of);
    section?.querySelectorAll("details").forEach((one) => {
      one.open = true;
    });
    section?.scrollIntoView({ block: "start" });
    section?.focus();
  }

  #sources() {
    const { sources } = this.store;
    const heads: [string, boolean][] = [
      [t.files.name, false],
      [t.files.role, false],
      [t.files.system, false],
      [t.files.format, false],
      [t.files.encoding, false],
      [t.files.documents, true],
      [t.files.spans, true],
      [t.files.labels, true],
      [t.files.problems, true],
      [t.files.size, true],
    ];
    return html`<section class="stack" aria-labelledby="given">
      <div class="row">
        <h2 id="given">${t.files.sources}</h2>
        <button class="plain push" @click=${() => this.store.clear()}>${t.files.clear}</button>
      </div>
      <div class="frame scroll" tabindex="0" role="group" aria-labelledby="given">
        <table id="sources">
          <thead>
            <tr>
              ${heads.map(([name, n]) => html`<th scope="col" class=${n ? "n" : ""}>${name}</th>`)}
              <th><span class="unseen">${t.files.remove}</span></th>
            </tr>
          </thead>
          <tbody>
            ${sources.map((source) => this.#source(source))}
          </tbody>
        </table>
      </div>
    </section>`;
  }

  /** The way on, once there is a score. */
  #result() {
    const { report, systemNames, digits } = this.store;
    if (!report) return nothing;
    const mode = headlineMode(report);
    return html`<div class="result">
      <span>${report.definition.headline}</span>
      ${report.systems.map(
        ({ spans, failure }, at) =>
          html`<span
            ><bdi>${visible(systemNames[at] ?? "")}</bdi> <b>${score(spans?.overall[mode].f1, digits)}</b>
            ${failure?.message}</span
          >`,
      )}
      <button class="main push" id="to-score" @click=${() => this.store.show("score")}>
        ${t.files.toScore}
      </button>
    </div>`;
  }

  #ids(ids: string[]) {
    if (!ids.length) return nothing;
    return html`<details class="ids small">
      <summary>${visible(ids[0] as string)}${ids.length > 1 ? " …" : ""}</summary>
      <ul>
        ${ids.slice(0, shownFiles).map((id) => html`<li><bdi>${visible(id)}</bdi></li>`)}
        ${ids.length > shownFiles ? html`<li>${t.files.more(ids.length - shownFiles)}</li>` : nothing}
      </ul>
    </details>`;
  }

  #pairing() {
    const { report, systemNames } = this.store;
    if (!report) return nothing;
    return html`<section class="stack" aria-labelledby="pairing">
      <h2 id="pairing">${t.files.pairing}</h2>
      <div class="zones">
        ${report.systems.map(({ pairing, failure }, at) => {
          const rows: [number, string, string[]][] = [
            [pairing.both, t.files.both, []],
            [
              pairing.gold_only.length,
              failure ? t.files.goldOnlyUnscored : t.files.goldOnly,
              pairing.gold_only,
            ],
            [pairing.predicted_only.length, t.files.predictedOnly, pairing.predicted_only],
            [pairing.text_differs.length, t.files.textDiffers, pairing.text_differs],
          ];
          return html`<div class="pairing">
            <h3><bdi>${visible(systemNames[at] ?? "")}</bdi></h3>
            <dl>
              ${rows.map(([n, words, ids], row) =>
                n || row === 0
                  ? html`<dt>${count(n)}</dt>
                      <dd>${words} ${this.#ids(ids)}</dd>`
                  : nothing,
              )}
            </dl>
            <p class="muted small">
              ${failure ? failure.message : (t.files.pairedBy[pairing.by] ?? pairing.by)}
            </p>
          </div>`;
        })}
      </div>
    </section>`;
  }

  #side(name: string, key: string, side: Side) {
    const { facts } = this.store;
    const fileOf = (input: number | null) =>
      input === null ? "" : (facts?.files[input]?.path ?? "");
    const total = side.problems.reduce((all, group) => all + group.count, 0);
    return html`<section class="stack" data-problems=${key} tabindex="-1" aria-label=${t.files.problemsOf(name)}>
      <h3>
        <bdi>${name}</bdi>
        <span class="muted">
          ${plural(side.documents, "document")}, ${plural(side.spans, "span")},
          ${plural(side.labels.length, "label")}${total ? "" : `. ${t.files.noProblems}`}
        </span>
      </h3>
      ${
        total
          ? html`<div class="frame">
              ${side.problems.map(
                (group) => html`<details class="problem">
                  <summary>
                    <strong>${count(group.count)}</strong> ${group.title}
                    <span class="tag ${group.loses ? "loses" : "keeps"}"
                      >${group.loses ? t.files.lost : t.files.repaired}</span
                    >
                  </summary>
                  <ul class="items">
                    ${group.items.slice(0, shownFiles).map((item) => {
                      const place = [
                        fileOf(item.input),
                        item.entry ?? "",
                        item.line === null ? "" : `${t.line} ${count(item.line)}`,
                        item.document === null ? "" : `${t.files.document} ${item.document}`,
                      ].filter(Boolean);
                      return html`<li>
                        <bdi>${place.map(visible).join(" · ")}</bdi>${place.length ? ": " : ""}<bdi
                          >${visible(item.found)}</bdi
                        >
                        ${
                          item.expected
                            ? html`<span class="muted">(${t.expected.toLowerCase()}: ${item.expected})</span>`
                            : nothing
                        }
                      </li>`;
                    })}
                    ${
                      group.count > Math.min(group.items.length, shownFiles)
                        ? html`<li class="muted">
                            ${t.files.more(group.count - Math.min(group.items.length, shownFiles))}
                          </li>`
                        : nothing
                    }
                  </ul>
                </details>`,
              )}
            </div>`
          : nothing
      }
    </section>`;
  }

  #problems() {
    const { facts, systemNames } = this.store;
    if (!facts) return nothing;
    return html`<section class="stack" aria-labelledby="problems">
      <h2 id="problems">${t.files.problems}</h2>
      ${facts.gold ? this.#side(t.files.gold, "gold", facts.gold) : nothing}
      ${facts.systems.map(({ side }, at) => {
        const name = systemNames[at] ?? "";
        return this.#side(visible(name), name, side);
      })}
    </section>`;
  }

  override render() {
    const { sources, facts, catalog } = this.store;
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
        sources.length
          ? html`<div class="layout">
              <div class="stack" id="found">
                ${this.#result()} ${this.#sources()} ${this.#pairing()} ${this.#problems()}
              </div>
              <cs-options .store=${this.store} .labels=${labels}></cs-options>
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
