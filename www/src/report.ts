// The report's types, under the names the page uses.
export type * from "./generated/report.js";
