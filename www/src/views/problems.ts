// What was skipped or repaired, a list a side, by kind.

import { css, html, nothing } from "lit";
import { count, plural, visible } from "../format.js";
import type { ProblemGroup, ProblemItem, Side } from "../report.js";
import { t } from "../strings.js";
import { shared } from "../style.js";
import { download, StoreElement } from "../ui/element.js";

/** Lists longer than this are cut; the count beside them is whole. */
const shownItems = 200;

class ProblemsPanel extends StoreElement {
  static override properties = { ...StoreElement.properties, said: { state: true } };
  declare said: string;

  constructor() {
    super();
    this.said = "";
  }

  static override styles = [
    shared,
    css`
      h3 .muted {
        font-weight: 400;
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
    `,
  ];

  /** Opens a side's list and goes there. */
  show(side: string) {
    const sections = [...this.renderRoot.querySelectorAll<HTMLElement>("[data-problems]")];
    const section = sections.find((one) => one.dataset.problems === side);
    section?.querySelectorAll("details").forEach((one) => {
      one.open = true;
    });
    section?.scrollIntoView({ block: "start" });
    section?.focus();
  }

  async #save() {
    this.said = "";
    try {
      download("clinscore-problems.csv", await this.store.problems(), "text/csv");
    } catch (error) {
      this.said = error instanceof Error ? error.message : String(error);
    }
  }

  #item({ input, entry, line, document, found, expected }: ProblemItem) {
    const { facts } = this.store;
    const place = [
      input === null ? "" : (facts?.files[input]?.path ?? ""),
      entry ?? "",
      line === null ? "" : `${t.line} ${count(line)}`,
      document === null ? "" : `${t.files.document} ${document}`,
    ].filter(Boolean);
    return html`<li>
      <bdi>${place.map(visible).join(" · ")}</bdi>${place.length ? ": " : ""}<bdi
        >${visible(found)}</bdi
      >
      ${
        expected
          ? html`<span class="muted">(${t.expected.toLowerCase()}: ${expected})</span>`
          : nothing
      }
    </li>`;
  }

  #group(group: ProblemGroup) {
    const shown = group.items.slice(0, shownItems);
    return html`<details class="problem">
      <summary>
        <strong>${count(group.count)}</strong> ${group.title}
        <span class="tag ${group.loses ? "loses" : "keeps"}"
          >${group.loses ? t.files.lost : t.files.repaired}</span
        >
      </summary>
      <ul class="items">
        ${shown.map((item) => this.#item(item))}
        ${
          group.count > shown.length
            ? html`<li class="muted">${t.files.more(group.count - shown.length)}</li>`
            : nothing
        }
      </ul>
    </details>`;
  }

  #side(name: string, key: string, side: Side) {
    return html`<section
      class="stack"
      data-problems=${key}
      tabindex="-1"
      aria-label=${t.files.problemsOf(name)}
    >
      <h3>
        <bdi>${name}</bdi>
        <span class="muted">
          ${plural(side.documents, "document")}, ${plural(side.spans, "span")},
          ${plural(side.labels.length, "label")}${side.problems.length ? "" : `. ${t.files.noProblems}`}
        </span>
      </h3>
      ${
        side.problems.length
          ? html`<div class="frame">${side.problems.map((group) => this.#group(group))}</div>`
          : nothing
      }
    </section>`;
  }

  override render() {
    const { facts, report, systemNames } = this.store;
    if (!facts) return nothing;
    const sides = [facts.gold, ...facts.systems.map(({ side }) => side)];
    const any = sides.some((side) => side?.problems.length);
    return html`<section class="stack" aria-labelledby="problems">
      <div class="row">
        <h2 id="problems">${t.files.problems}</h2>
        ${
          // The core writes exports of a score only.
          any && report
            ? html`<button id="save-problems" class="plain push" @click=${this.#save}>
                ${t.files.saveProblems}
              </button>`
            : nothing
        }
        <span role="status">${this.said}</span>
      </div>
      ${facts.gold ? this.#side(t.files.gold, "gold", facts.gold) : nothing}
      ${facts.systems.map(({ side }, at) => {
        const name = systemNames[at] ?? "";
        return this.#side(visible(name), name, side);
      })}
    </section>`;
  }
}
customElements.define("cs-problems", ProblemsPanel);

declare global {
  interface HTMLElementTagNameMap {
    "cs-problems": ProblemsPanel;
  }
}
