// What every view shares: the store, and an update whenever it changes.

import { html, LitElement, type PropertyValues, type TemplateResult } from "lit";
import type { Store } from "../store.js";

/** An element that shows the store. An inactive one waits until it is seen. */
export class StoreElement extends LitElement {
  static override properties = {
    store: { attribute: false },
    active: { type: Boolean },
  };
  declare store: Store;
  declare active: boolean;
  #listen = () => this.requestUpdate();

  constructor() {
    super();
    this.active = true;
  }

  protected override firstUpdated(_: PropertyValues) {
    this.store.addEventListener("change", this.#listen);
  }

  override connectedCallback() {
    super.connectedCallback();
    if (this.hasUpdated) this.store.addEventListener("change", this.#listen);
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.store?.removeEventListener("change", this.#listen);
  }

  protected override shouldUpdate(_: PropertyValues): boolean {
    return this.active;
  }
}

/** Sets custom properties through CSSOM: style attributes are against the page's policy. */
export function setStyle(element: Element | undefined, name: string, value: string) {
  (element as HTMLElement | undefined)?.style.setProperty(name, value);
}

let downloads: Promise<void> = Promise.resolve();

/** Saves text as a file. */
export function download(name: string, text: string, type: string) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  downloads = downloads.then(
    () => new Promise((done) => setTimeout(() => done(URL.revokeObjectURL(url)), 10_000)),
  );
}

/** Copies text; tells whether the browser let it. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Older ways still work where the clipboard needs a permission, as in a sandboxed frame.
    const area = document.createElement("textarea");
    area.value = text;
    area.readOnly = true;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

/** A button that reads a JSON object from a file; `refuse` is told the name of one that holds none. */
export function loader(
  id: string,
  label: string,
  words: string,
  use: (name: string, value: object) => void,
  refuse: (name: string) => void,
): TemplateResult {
  const read = async (event: Event) => {
    const input = event.target as HTMLInputElement;
    const file = input.files?.[0];
    input.value = "";
    if (!file) return;
    let value: unknown;
    try {
      value = JSON.parse((await file.text()).replace(/^\ufeff/, ""));
    } catch {
      value = null;
    }
    if (value && typeof value === "object" && !Array.isArray(value)) use(file.name, value);
    else refuse(file.name);
  };
  const pick = (event: Event) =>
    ((event.currentTarget as HTMLElement).previousElementSibling as HTMLElement).click();
  return html`<input type="file" id=${id} accept=".json,application/json" hidden @change=${read} />
    <button aria-label=${label} @click=${pick}>${words}</button>`;
}
