// The core's types, under the names the page uses.
export type * from "./generated/boundary.js";
