// A directive for the one thing style attributes would be needed for.

import { noChange } from "lit";
import { Directive, directive, type ElementPart, type PartInfo, PartType } from "lit/directive.js";
import { setStyle } from "./element.js";

class Property extends Directive {
  constructor(part: PartInfo) {
    super(part);
    if (part.type !== PartType.ELEMENT) throw new Error("`property` goes on an element");
  }
  render(_name: string, _value: string) {
    return noChange;
  }
  override update(part: ElementPart, [name, value]: [string, string]) {
    setStyle(part.element, name, value);
    return noChange;
  }
}

/** `<td ${property("--heat-share", "40%")}>` */
export const property = directive(Property);
