// <clinscore-app>: the header, the five views, and what belongs to all of them.

import build from "clinscore:version";
import { css, html, LitElement, nothing } from "lit";
import { canRun } from "./client.js";
import { fromDrop } from "./intake.js";
import { Store, type View, views } from "./store.js";
import { t } from "./strings.js";
import { shared, tokens } from "./style.js";
import { datasetChoice } from "./ui/parts.js";
import "./views/compare.js";
import "./views/files.js";
import "./views/score.js";
import "./views/take.js";
import "./views/why.js";

const themes = ["system", "light", "dark"] as const;
type Theme = (typeof themes)[number];

export class ClinscoreApp extends LitElement {
  static override properties = {
    dragging: { state: true },
    chosenTheme: { state: true },
    /** Set by a page that keeps the hash to itself. */
    embedded: { type: Boolean },
  };
  declare dragging: boolean;
  declare chosenTheme: Theme;
  declare embedded: boolean;

  readonly store = new Store();
  #seen = new Set<View>();

  constructor() {
    super();
    this.dragging = false;
    this.chosenTheme = "system";
    this.embedded = false;
    this.store.addEventListener("change", () => this.requestUpdate());
    this.store.addEventListener("view", () => this.#writeHash());
  }

  static override styles = [
    tokens,
    shared,
    css`
      :host {
        display: flex;
        flex-direction: column;
        background: var(--ground);
        color: var(--text);
        font: var(--body) / 1.45 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
        position: relative;
        overflow-x: clip;
      }
      header {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0 var(--s4);
        padding: 0 var(--s4);
        background: var(--panel);
        border-bottom: 1px solid var(--line);
        position: sticky;
        top: 0;
        z-index: 5;
      }
      h1 {
        margin: 0;
        font-size: var(--large);
        font-weight: 650;
        letter-spacing: -0.01em;
      }
      h1 small {
        font-size: var(--small);
        font-weight: 400;
        color: var(--muted);
        letter-spacing: 0;
      }
      [role="tablist"] {
        display: flex;
        overflow-x: auto;
        scrollbar-width: none;
        min-width: 0;
      }
      [role="tab"] {
        min-height: 44px;
        padding: 0 var(--s3);
        background: none;
        border: 0;
        border-radius: 0;
        border-bottom: 2px solid transparent;
        border-top: 2px solid transparent;
        color: var(--muted);
        white-space: nowrap;
      }
      [role="tab"]:hover:not(:disabled) {
        color: var(--text);
        border-color: transparent;
      }
      [role="tab"][aria-selected="true"],
      [role="tab"][aria-selected="true"]:hover:not(:disabled) {
        color: var(--text);
        border-bottom-color: var(--accent);
        font-weight: 600;
      }
      [role="tab"]:focus-visible {
        outline-offset: -3px;
      }
      .tools {
        display: flex;
        align-items: center;
        gap: var(--s2);
        margin-inline-start: auto;
        min-height: 44px;
      }
      .badge {
        border-radius: 14px;
        border-color: var(--exact);
        color: var(--exact);
        background: none;
        font-size: var(--small);
        white-space: nowrap;
      }
      .badge::before {
        content: "●";
        margin-inline-end: 6px;
        font-size: 9px;
        vertical-align: 1px;
      }
      .theme {
        font-size: var(--small);
        white-space: nowrap;
      }
      .busy {
        display: grid;
        grid-template-columns: auto minmax(60px, 1fr) auto auto;
        align-items: center;
        gap: var(--s3);
        padding: var(--s1) var(--s4);
        border-bottom: 1px solid var(--line);
        background: var(--accent-soft);
        font-size: var(--small);
        position: absolute;
        inset: 100% 0 auto;
        animation: appear 0.1s 0.2s both;
      }
      @keyframes appear {
        from {
          opacity: 0;
        }
      }
      progress {
        width: 100%;
        height: 6px;
        accent-color: var(--accent);
      }
      .failure {
        margin: var(--s4) var(--s4) 0;
        padding: var(--s3) var(--s4);
        border: 1px solid var(--danger);
        border-inline-start-width: 4px;
        border-radius: var(--round);
        background: var(--danger-soft);
        overflow-wrap: anywhere;
      }
      .failure dl {
        display: grid;
        grid-template-columns: auto minmax(0, 1fr);
        gap: 2px var(--s3);
        margin: var(--s2) 0 0;
      }
      .failure dt {
        color: var(--muted);
      }
      .failure dd {
        margin: 0;
      }
      main {
        flex: 1;
        padding: var(--s4);
        min-width: 0;
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        align-content: start;
      }
      [role="tabpanel"] {
        min-width: 0;
      }
      .shown:has(label) {
        margin-bottom: var(--s3);
      }
      dialog {
        width: min(60ch, calc(100vw - 32px));
      }
      dialog ol {
        padding-inline-start: var(--s5);
        display: grid;
        gap: var(--s2);
        overflow-wrap: anywhere;
      }
      .over {
        position: fixed;
        inset: var(--s2);
        border: 2px dashed var(--accent);
        border-radius: var(--s2);
        pointer-events: none;
        z-index: 9;
        display: grid;
        align-content: end;
        justify-content: center;
        padding: var(--s5);
      }
      .over span {
        background: var(--accent);
        color: var(--on-accent);
        padding: var(--s2) var(--s4);
        border-radius: var(--round);
      }
      @media (max-width: 700px) {
        header {
          padding: 0 var(--s2);
          position: relative;
        }
        .busy {
          grid-template-columns: auto minmax(40px, 1fr) auto;
        }
        .busy .eta {
          display: none;
        }
        [role="tablist"] {
          order: 3;
          width: 100%;
        }
        [role="tab"] {
          padding: 0 6px;
        }
        [role="tab"] {
          min-height: 40px;
        }
        h1 small {
          display: none;
        }
        .tools {
          gap: var(--s1);
        }
        main {
          padding: var(--s3) var(--s2);
        }
      }
      @media print {
        header,
        .busy {
          display: none;
        }
      }
    `,
  ];

  override connectedCallback() {
    super.connectedCallback();
    window.addEventListener("hashchange", this.#readHash);
    this.#readHash();
    // A failure comes again with the first score, which tells it.
    if (canRun()) this.store.start().catch(() => {});
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    window.removeEventListener("hashchange", this.#readHash);
    this.store.cancel();
  }

  #readHash = () => {
    if (this.embedded) return;
    const view = new URLSearchParams(location.hash.slice(1)).get("view");
    if (views.includes(view as View)) this.store.show(view as View);
  };

  /** The hash holds the view and the definition; never a label, an id or a name. */
  #writeHash() {
    if (this.embedded) return;
    const definition = this.store.options.definition;
    const hash = `#view=${this.store.view}${definition ? `&definition=${definition}` : ""}`;
    if (location.hash === hash) return;
    try {
      history.pushState(null, "", hash);
    } catch {
      // A frame without an address of its own has no history to keep.
    }
  }

  #tabKey(event: KeyboardEvent) {
    const at = views.indexOf(this.store.view);
    const to: Record<string, number> = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1,
      Home: 0,
      End: views.length - 1,
    };
    const next = to[event.key];
    if (next === undefined) return;
    event.preventDefault();
    this.store.show(views[(next + views.length) % views.length] as View);
    this.updateComplete.then(() =>
      this.renderRoot.querySelector<HTMLElement>("[role=tab][aria-selected=true]")?.focus(),
    );
  }

  #dragOver(event: DragEvent) {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    this.dragging = true;
  }

  async #drop(event: DragEvent) {
    this.dragging = false;
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    // A zone says which side it is; anywhere else the names decide.
    const zone = event
      .composedPath()
      .find((node) => node instanceof HTMLElement && node.dataset.role) as HTMLElement | undefined;
    const role = zone?.dataset.role as "gold" | "prediction" | undefined;
    try {
      const given = await fromDrop(event.dataTransfer);
      await this.store.add(given, role);
      if (!given.length) this.store.tell({ code: "drop", message: t.files.emptyDrop });
    } catch {
      this.store.tell({ code: "drop", message: t.files.folderRefused });
    }
    this.store.show("files");
  }

  #busy() {
    const { busy } = this.store;
    if (!busy) return nothing;
    const known = busy.total > 0;
    const elapsed = (performance.now() - busy.since) / 1000;
    const rate = known && busy.done > 0 ? elapsed / busy.done : 0;
    const left = elapsed > 1.5 && rate ? t.left(rate * (busy.total - busy.done)) : "";
    const stage = [t.stages[busy.stage] ?? busy.stage, busy.dataset].join(" ").trim();
    return html`<div class="busy">
      <span>${stage}</span>
      <progress
        aria-label=${stage}
        max=${known ? busy.total : nothing}
        value=${known ? busy.done : nothing}
      ></progress>
      <span class="eta muted">${left}</span>
      <button id="cancel" @click=${() => this.store.cancel()}>${t.cancel}</button>
    </div>`;
  }

  #failure() {
    const { failure } = this.store;
    if (!failure) return nothing;
    const died = failure.code === "died";
    const plain = ["died", "cancelled", "no_wasm", "drop"].includes(failure.code);
    const final = ["no_wasm", "drop"].includes(failure.code);
    const place = [failure.file, failure.line ? `${t.line} ${failure.line}` : ""]
      .filter(Boolean)
      .join(" · ");
    const rows: [string, string | undefined][] = [
      [t.found, failure.found],
      [t.expected, failure.expected],
    ];
    return html`<section class="failure" aria-label=${t.failed}>
      <p>
        ${
          plain ? nothing : html`<strong>${t.failed}.</strong> `
        }${died ? t.died : failure.code === "no_wasm" ? t.noWasm : failure.message}
        ${place ? html`<bdi class="muted">${place}</bdi>` : nothing}
      </p>
      ${
        rows.some(([, text]) => text)
          ? html`<dl>
              ${rows.map(([name, text]) =>
                text
                  ? html`<dt>${name}</dt>
                      <dd><bdi>${text}</bdi></dd>`
                  : nothing,
              )}
            </dl>`
          : nothing
      }
      ${failure.hint ? html`<p>${failure.hint}</p>` : nothing}
      <div class="row">
        ${
          final
            ? nothing
            : html`<button id="retry" @click=${() => this.store.score()}>${t.retry}</button>`
        }
        <button class="plain" @click=${() => this.store.tell(null)}>${t.dismiss}</button>
      </div>
    </section>`;
  }

  openPrivacy = () => {
    this.renderRoot.querySelector<HTMLDialogElement>("#privacy")?.showModal();
    // Not the button below, which would scroll the promise out of a small screen.
    this.renderRoot.querySelector<HTMLElement>("#privacy-heading")?.focus();
  };

  // Not a form: a sandboxed frame may forbid forms.
  #closePrivacy = () => {
    this.renderRoot.querySelector<HTMLDialogElement>("#privacy")?.close();
  };

  #nextTheme() {
    this.chosenTheme = themes[(themes.indexOf(this.chosenTheme) + 1) % themes.length] as Theme;
    if (this.chosenTheme === "system") this.removeAttribute("theme");
    else this.setAttribute("theme", this.chosenTheme);
  }

  #view(view: View) {
    const { store } = this;
    const active = store.view === view;
    if (active) this.#seen.add(view);
    if (!this.#seen.has(view)) return nothing;
    switch (view) {
      case "files":
        return html`<cs-files .store=${store} .active=${active} @privacy=${this.openPrivacy}></cs-files>`;
      case "score":
        return html`<cs-score .store=${store} .active=${active}></cs-score>`;
      case "why":
        return html`<cs-why .store=${store} .active=${active} .embedded=${this.embedded}></cs-why>`;
      case "compare":
        return html`<cs-compare .store=${store} .active=${active}></cs-compare>`;
      case "take":
        return html`<cs-take .store=${store} .active=${active}></cs-take>`;
    }
  }

  override render() {
    const { store } = this;
    return html`
      <header>
        <h1>${t.title} <small>${build.version}</small></h1>
        <div role="tablist" aria-label=${t.views} @keydown=${this.#tabKey}>
          ${views.map(
            (view) => html`<button
              role="tab"
              id=${`tab-${view}`}
              aria-selected=${store.view === view}
              aria-controls=${`view-${view}`}
              tabindex=${store.view === view ? 0 : -1}
              @click=${() => store.show(view)}
            >
              ${t.tabs[view]}
            </button>`,
          )}
        </div>
        <div class="tools">
          <button class="badge" @click=${this.openPrivacy}>${t.localOnly}</button>
          <button class="theme plain" @click=${this.#nextTheme}>${t.theme[this.chosenTheme]}</button>
        </div>
        ${this.#busy()}
      </header>
      ${this.#failure()}
      <div role="status" class="unseen">${store.said}</div>
      <main>
        ${
          // Files and Compare hold more than one dataset, and have the choice where it matters.
          ["score", "why", "take"].includes(store.view)
            ? html`<div class="shown">${datasetChoice(store)}</div>`
            : nothing
        }
        ${views.map(
          (view) => html`<div
            role="tabpanel"
            id=${`view-${view}`}
            aria-labelledby=${`tab-${view}`}
            ?hidden=${store.view !== view}
          >
            ${this.#view(view)}
          </div>`,
        )}
      </main>
      ${this.dragging ? html`<div class="over"><span>${t.files.dropAnywhere}</span></div>` : nothing}
      <dialog id="privacy" aria-labelledby="privacy-heading">
        <div class="stack">
          <h2 id="privacy-heading" tabindex="-1">${t.privacy.heading}</h2>
          <p>${t.privacy.promise}</p>
          <h3>${t.privacy.how}</h3>
          <ol>
            ${t.privacy.checks.map((check) => html`<li>${check}</li>`)}
          </ol>
          <p>${t.privacy.exports}</p>
          <div><button class="main" @click=${this.#closePrivacy}>${t.close}</button></div>
        </div>
      </dialog>
    `;
  }

  protected override firstUpdated() {
    this.addEventListener("dragover", this.#dragOver);
    this.addEventListener("dragleave", (event) => {
      if (!event.relatedTarget || !this.contains(event.relatedTarget as Node))
        this.dragging = false;
    });
    this.addEventListener("drop", this.#drop);
  }
}
