import { posix } from "node:path";
import { expect, test } from "vitest";
import { redrawn } from "./drawing.ts";
import { forbiddenImports } from "./imports.ts";
import { readRepository } from "./repository.ts";
import { disordered, subjects } from "./subjects.ts";

const { pages, sources } = readRepository();

test("sees the sources of every workspace", () => {
  const paths = sources.map(({ path }) => path);
  for (const path of ["packages/kernel/src/money.ts", "services/payout/src/main.ts"]) {
    expect(paths).toContain(path);
  }
});

test("files import what they may: packages, folders of a package, subjects of a service", () => {
  const found = sources.flatMap(forbiddenImports);
  expect(found.map(({ path, line, message }) => `${path}:${line} ${message}`)).toEqual([]);
});

test("the order of subjects has no circle", () => expect(disordered(subjects)).toEqual([]));

test("ARCHITECTURE.md draws the imports between subjects that there are", () => {
  const page = pages.get("docs/ARCHITECTURE.md") ?? "";
  const stale = page !== redrawn(page, sources);
  expect(stale && "stale: run `npm run architecture` and commit what it changes").toBe(false);
});

test("pages link to pages that are there", () => {
  const found = [...pages].flatMap(([path, text]) =>
    [...text.matchAll(/\]\(([\w./-]+\.md)(?:#[^)]*)?\)/g)]
      .map(([, to = ""]) => posix.join(posix.dirname(path), to))
      .filter((to) => !pages.has(to))
      .map((to) => `${path}: there is no ${to}`),
  );
  expect(found).toEqual([]);
});
