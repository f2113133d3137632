import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..");
const folder = "docs/decisions";
const indexPath = `${folder}/README.md`;
const files = readdirSync(join(root, folder)).filter((name) => /^\d{4}-.+\.md$/.test(name));
const numbers = new Set(files.map((name) => name.slice(0, 4)));
const read = (path: string) => readFileSync(join(root, path), "utf8");

const date = String.raw`\d{1,2} (?:January|February|March|April|May|June|July|August|September|October|November|December) 20\d\d`;
const link = String.raw`\[(?<number>\d{4})\]\(\k<number>-[\w-]+\.md\)`;
/** `accepted, DATE.` or `replaced by LINK, DATE.`; sentences about other records may follow. */
const statusLine = new RegExp(
  String.raw`^Status: (accepted|replaced by ${link}), ${date}\.(?: [A-Z].*\.)?$`,
);
const sections = ["Context", "Decision", "Consequences"];

const statusOf = (text: string) => /^Status: .*$/m.exec(text)?.[0] ?? "";

/** Returns the text without code, which may have brackets and hashes of its own. */
const prose = (text: string) => text.replaceAll(/```.*?```/gs, "");

const headings = (text: string) =>
  [...prose(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) => heading.trim());

/** Folders of generated or installed files. */
const skipped = /^(?:node_modules|gen|dist|\.[\w-]+)$/;

function textFilesIn(path: string): string[] {
  return readdirSync(join(root, path), { withFileTypes: true }).flatMap((entry) => {
    const below = `${path}/${entry.name}`;
    if (entry.isDirectory()) return skipped.test(entry.name) ? [] : textFilesIn(below);
    return /\.(?:md|ts|tsx|mjs|proto|yaml|yml)$/.test(entry.name) ? [below] : [];
  });
}

describe.each(files)("decision record %s", (name) => {
  const text = read(`${folder}/${name}`);

  it("has a title with its number, a valid status and each section", () => {
    expect(text.split("\n")[0]).toMatch(new RegExp(`^# ${name.slice(0, 4)}: [A-Z]`));
    expect(statusOf(text)).toMatch(statusLine);
    const own = headings(text);
    expect(sections.filter((section) => !own.includes(section))).toEqual([]);
  });

  it("has a row in the index with its title and status", () => {
    const [, title = ""] = /^# \d{4}: (.+)$/m.exec(text) ?? [];
    const [, status = ""] = statusLine.exec(statusOf(text)) ?? [];
    const row = `| [${name.slice(0, 4)}](${name}) | ${title} | ${status} | `;
    const line = read(indexPath)
      .split("\n")
      .find((each) => each.startsWith(`| [${name.slice(0, 4)}]`));
    expect(line?.slice(0, row.length)).toBe(row);
    expect(line?.slice(row.length)).toMatch(/^[A-Z][^|]+\. \|$/);
  });
});

it("the index lists each record once, by number", () => {
  const listed = [...read(indexPath).matchAll(/^\| \[(\d{4})\]/gm)].map(([, number]) => number);
  expect(listed).toEqual([...numbers].sort());
});

describe("texts of the repository", () => {
  const folders = ["deploy", "docs", "packages", "proto", "scripts", "services", "tests"];
  const texts = new Map(
    [...folders.flatMap(textFilesIn), "README.md", "CHANGELOG.md", "docker-compose.yml"].map(
      (path) => [path, read(path)] as const,
    ),
  );

  it("name decision records that are there", () => {
    const missing = [...texts].flatMap(([path, text]) => [
      ...[...text.matchAll(/decisions\/((\d{4})(?:-[\w-]+\.md)?)/g)]
        .filter(([, file = "", number = ""]) =>
          file === number ? !numbers.has(number) : !files.includes(file),
        )
        .map(([whole]) => `${path}: ${whole}`),
      ...[...text.matchAll(/\bdecisions? (\d{1,4})\b/gi)]
        .filter(([, number = ""]) => !numbers.has(number.padStart(4, "0")))
        .map(([whole]) => `${path}: ${whole}`),
    ]);
    expect(missing).toEqual([]);
  });

  it("name documents that are there", () => {
    const missing = [...texts].flatMap(([path, text]) =>
      [...text.matchAll(/(?<![\w/.-])docs\/[\w./-]+\.(?:md|json|sh|png)\b/g)]
        .filter(([file]) => !existsSync(join(root, file)))
        .map(([file]) => `${path}: ${file}`),
    );
    expect(missing).toEqual([]);
  });
});
