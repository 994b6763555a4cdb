// Where the browsers are that the tests drive.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const applications = "/Applications";

/** Each with the variable that names it, where to look for it, and how to get it. */
const browsers = {
  chromium: {
    variable: "CHROMIUM",
    programs: [
      "chromium",
      "chromium-browser",
      "google-chrome",
      `${applications}/Google Chrome.app/Contents/MacOS/Google Chrome`,
    ],
    package: "chromium",
  },
  firefox: {
    variable: "FIREFOX",
    programs: ["firefox-esr", "firefox", `${applications}/Firefox.app/Contents/MacOS/firefox`],
    package: "firefox-esr",
  },
};

/** @typedef {keyof typeof browsers} BrowserName */

/** The path of a program, or undefined. */
function find(/** @type {string} */ program) {
  const folders = program.includes("/") ? [""] : (process.env.PATH ?? "").split(delimiter);
  return folders
    .map((folder) => (folder ? join(folder, program) : program))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** The browser's program, or undefined where it is missing. */
export function programOf(/** @type {BrowserName} */ name) {
  const { variable, programs } = browsers[name];
  const chosen = process.env[variable];
  return chosen ? find(chosen) : programs.map(find).find(Boolean);
}

/** How to get a missing browser, as one sentence. */
export function howToGet(/** @type {BrowserName} */ name) {
  const { variable, package: debian } = browsers[name];
  return `${name} is missing (Debian: apt-get install ${debian}; or name its program in ${variable})`;
}
