// Which documents met, by what, and what would make more of them meet.

import { css, html, nothing } from "lit";
import { count, visible } from "../format.js";
import type { IdProposal, System } from "../report.js";
import { t } from "../strings.js";
import { shared } from "../style.js";
import { StoreElement } from "../ui/element.js";
import { tick } from "../ui/parts.js";

/** Lists longer than this are cut; the count beside them is whole. */
const shownIds = 200;

class PairingPanel extends StoreElement {
  static override styles = [
    shared,
    css`
      .systems {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(min(100%, 320px), 1fr));
        gap: var(--s3);
      }
      .pairing {
        display: grid;
        align-content: start;
        gap: var(--s2);
      }
      dl {
        display: grid;
        grid-template-columns: max-content minmax(0, 1fr);
        gap: 0 var(--s2);
        margin: 0;
      }
      dt {
        text-align: end;
        font-variant-numeric: tabular-nums;
        line-height: 24px;
      }
      dd {
        margin: 0;
        line-height: 24px;
      }
      .ids {
        color: var(--muted);
      }
      .ids ul {
        padding: 0 0 var(--s2) var(--s4);
        max-height: 240px;
        overflow: auto;
      }
      .proposal {
        border-inline-start: 4px solid var(--accent);
        background: var(--accent-soft);
        padding: var(--s2) var(--s3);
        display: grid;
        gap: var(--s2);
        justify-items: start;
        overflow-wrap: anywhere;
      }
      .switches {
        gap: 0 var(--s4);
      }
    `,
  ];

  #ids(ids: string[]) {
    if (!ids.length) return nothing;
    return html`<details class="ids small">
      <summary>${visible(ids[0] as string)}${ids.length > 1 ? " …" : ""}</summary>
      <ul>
        ${ids.slice(0, shownIds).map((id) => html`<li><bdi>${visible(id)}</bdi></li>`)}
        ${ids.length > shownIds ? html`<li>${t.files.more(ids.length - shownIds)}</li>` : nothing}
      </ul>
    </details>`;
  }

  #proposal({ applied, more, steps, example }: IdProposal) {
    const names = steps.map((step) => t.files.idSteps[step] ?? step);
    return html`<div class="proposal">
      <p>
        ${applied ? t.files.idsMet(more, names) : t.files.idsCouldMeet(more, names)}
        ${
          example
            ? html`<span class="muted"
                >${t.files.suchAs} <bdi><code>${visible(example[0])}</code></bdi> =
                <bdi><code>${visible(example[1])}</code></bdi>.</span
              >`
            : nothing
        }
      </p>
      <button
        class=${applied ? "" : "main"}
        data-ids=${applied ? "undo" : "confirm"}
        @click=${() => this.store.setOptions({ normaliseIds: !applied })}
      >
        ${applied ? t.files.undo : t.files.confirm}
      </button>
    </div>`;
  }

  #system({ pairing, failure }: System, name: string) {
    const rows: [number, string, string[]][] = [
      [pairing.both, t.files.both, []],
      [
        pairing.gold_only.length,
        this.store.options.commonOnly
          ? t.files.goldOnlyLeftOut
          : failure
            ? t.files.goldOnlyUnscored
            : t.files.goldOnly,
        pairing.gold_only,
      ],
      [pairing.predicted_only.length, t.files.predictedOnly, pairing.predicted_only],
      [pairing.text_differs.length, t.files.textDiffers, pairing.text_differs],
    ];
    return html`<div class="pairing">
      <h3><bdi>${visible(name)}</bdi></h3>
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
      ${pairing.proposal ? this.#proposal(pairing.proposal) : nothing}
    </div>`;
  }

  override render() {
    const { report, systemNames, options } = this.store;
    if (!report) return nothing;
    const { commonOnly, realign, normaliseIds } = options;
    const pairings = report.systems.map(({ pairing }) => pairing);
    const differ = pairings.some(({ text_differs }) => text_differs.length);
    const proposed = pairings.some(({ proposal }) => proposal);
    const oneSided = pairings.some((one) => one.gold_only.length || one.predicted_only.length);
    return html`<section class="stack" aria-labelledby="pairing">
      <h2 id="pairing">${t.files.pairing}</h2>
      <div class="systems">
        ${report.systems.map((system, at) => this.#system(system, systemNames[at] ?? ""))}
      </div>
      <div class="row switches">
        ${
          oneSided || commonOnly
            ? tick(
                t.files.commonOnly,
                !!commonOnly,
                (on) => this.store.setOptions({ commonOnly: on }),
                "commonOnly",
              )
            : nothing
        }
        ${
          differ || realign
            ? tick(
                t.files.realign,
                !!realign,
                (on) => this.store.setOptions({ realign: on }),
                "realign",
              )
            : nothing
        }
        ${
          // Nothing above offers to undo it.
          normaliseIds && !proposed
            ? tick(t.files.normaliseIds, true, () => this.store.setOptions({ normaliseIds: false }))
            : nothing
        }
      </div>
    </section>`;
  }
}
customElements.define("cs-pairing", PairingPanel);
