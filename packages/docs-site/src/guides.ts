import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import type { Page } from "./pages.ts";

const root = join(import.meta.dirname, "../../..");

/** The first page. */
const first = "docs/guides/README.md";

const read = (file: string) => readFileSync(join(root, file), "utf8");

/** The pages that people write, by the group that the sidebar shows them in. */
function sources(): (readonly [group: string, file: string])[] {
  const folder = join(root, "docs/guides");
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  const guides = names.filter((name) => name.endsWith(".md") && name !== "README.md");
  const receivers = ["python", "go", "java"].map((name) => `guides/webhook-receivers/${name}`);
  const reference = [
    "conventions",
    "errors",
    "payout-states",
    "rate-limits",
    "versioning",
    "changelog",
  ];
  return [
    ["Guides", first],
    ["Guides", "docs/tutorials/first-payout.md"],
    ...guides.map((name) => ["Guides", `docs/guides/${name}`] as const),
    ...["reference/webhooks", ...receivers].map((name) => ["Webhooks", `docs/${name}.md`] as const),
    ...["testing", "test-values"].map((name) => ["Testing", `docs/reference/${name}.md`] as const),
    ...reference.map((name) => ["Reference", `docs/reference/${name}.md`] as const),
  ];
}

const pathOf = (file: string) =>
  file === first ? "index" : file.replace(/^docs\/(?:reference\/)?(.*)\.md$/, "$1");

/** Files of `docs` that the site serves as they are. */
export const servedFiles = [
  "webhook-vectors.json",
  "postman/collection.json",
  "postman/environment.json",
  ...readdirSync(join(root, "docs/http")).map((name) => `http/${name}`),
];

/** Reads the guides. Links to files that the site doesn't serve become plain text. */
export function guidePages(): Page[] {
  const all = sources();
  const served = new Map(all.map(([, file]) => [file, addressOf(pathOf(file))]));
  for (const file of servedFiles) served.set(`docs/${file}`, `/docs/${file}`);
  served.set("docs/openapi.json", "/openapi.json");
  return all.map(([group, file]) => {
    const [, title, text] = /^# ([^\n]*)\n(.*)$/s.exec(read(file)) ?? [];
    if (title === undefined || text === undefined) throw new Error(`${file} has no title`);
    return { path: pathOf(file), title, text: linked(text.trim(), file, served), group };
  });
}

/** Returns a page's address. */
export function addressOf(path: string): string {
  return path === "index" ? "/docs" : `/docs/${path}`;
}

/** Replaces the links to files by links to pages. */
export function linked(text: string, file: string, served: ReadonlyMap<string, string>): string {
  return text.replaceAll(
    /\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g,
    (whole, shown: string, href: string) => {
      if (/^(?:https?:|\/|#)/.test(href)) return whole;
      const [path = "", anchor] = href.split("#");
      const address = served.get(posix.join(dirname(file), path));
      if (address === undefined) return shown;
      return `[${shown}](${address}${anchor === undefined ? "" : `#${anchor}`})`;
    },
  );
}

/** Reads the first and the last column of a table under a heading of a file. */
export function tableOf(file: string, heading: string): Map<string, string> {
  const [, section = ""] = read(file).split(`\n## ${heading}\n`);
  const lines = (section.split("\n## ")[0] ?? "")
    .split("\n")
    .filter((line) => line.startsWith("|"));
  return new Map(
    lines.slice(2).map((line) => {
      const cells = line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((each) => each.trim());
      return [(cells[0] ?? "").replaceAll("`", ""), cells.at(-1) ?? ""];
    }),
  );
}

export function contractText(): string {
  return read("docs/openapi.json");
}
