import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tooRecentForDatabase } from "./database-versions.ts";
import { redrawn } from "./drawing.ts";
import { forbiddenImports, importsOf } from "./imports.ts";
import { brokenLinks } from "./links.ts";
import { metricsPage } from "./metrics-page.ts";
import { replacedProtoWords, replacedWords } from "./names.ts";
import { home, readRepository } from "./repository.ts";
import { isForTests, isOurs, workspaceOf } from "./source.ts";
import { disordered, subjects } from "./subjects.ts";

const { pages, protos, sources } = readRepository();

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

test("each workspace lists the workspaces that it imports in its package.json", () => {
  // Packages that the test kit imports list it for their tests, so it can't list them.
  const ours = sources.filter((each) => isOurs(each) && !isForTests(each.path));
  const missing = ours.flatMap((source) => {
    const { name, ...listed } = manifestOf(workspaceOf(source));
    const { dependencies, devDependencies, peerDependencies } = listed;
    const all = { [name]: "", ...dependencies, ...devDependencies, ...peerDependencies };
    return importsOf(source).flatMap(({ specifier }) => {
      const [of = ""] = /^@disburse\/[^/]+/.exec(specifier) ?? [];
      return of === "" || Object.hasOwn(all, of) ? [] : [`${name}: ${of}`];
    });
  });
  expect([...new Set(missing)]).toEqual([]);
});

type Manifest = {
  name: string;
  dependencies?: object;
  devDependencies?: object;
  peerDependencies?: object;
};

function manifestOf(workspace: string): Manifest {
  return JSON.parse(readFileSync(join(home, workspace, "package.json"), "utf8"));
}

const services = ["beneficiary", "compliance", "gateway", "notifier", "payout", "quote"];

test.each(services)("%s has the shape of every service", (service) => {
  const top = new RegExp(`^services/${service}/src/([^/]+)\\.ts$`);
  const files = sources.flatMap(({ path }) => top.exec(path)?.[1] ?? []);
  const parts = ["main", "wiring", "rpc", "config", "migrations"];
  expect(parts.filter((part) => !files.includes(part))).toEqual([]);
  const others = files.filter((file) => !parts.includes(file) && !/test|^refusals$/.test(file));
  // Payout's metrics and gauges show several subjects.
  expect(others).toEqual(service === "payout" ? ["gauges", "metrics"] : []);
});

test("names are the field's terms", () => {
  const found = [
    ...sources.flatMap(replacedWords),
    ...[...protos].flatMap(([path, text]) => replacedProtoWords(path, text)),
  ];
  expect(found.map(({ path, line, message }) => `${path}:${line} ${message}`)).toEqual([]);
});

test("database expressions and commands run on MongoDB 6.0", () => {
  const found = sources.flatMap(tooRecentForDatabase);
  expect(found.map(({ path, line, message }) => `${path}:${line} ${message}`)).toEqual([]);
});

test("the order of subjects has no circle", () => expect(disordered(subjects)).toEqual([]));

test("architecture.md draws the imports between subjects that there are", () => {
  const page = pages.get("docs/explanation/architecture.md") ?? "";
  const stale = page !== redrawn(page, sources);
  expect(stale && "stale: run `npm run architecture` and commit what it changes").toBe(false);
});

test("the page of metrics has every metric as it is defined", () => {
  const { page, names } = metricsPage(sources);
  expect(names.length).toBeGreaterThan(100);
  // A metric's row has a meaning.
  const rows = [...page.matchAll(/^\| `(\w+)` \|.*\| [A-Z1][^|]+\. \|$/gm)].map(([, name]) => name);
  expect(names.filter((name) => rows.filter((row) => row === name).length !== 1)).toEqual([]);
  const stale = pages.get("docs/reference/metrics.md") !== page;
  expect(stale && "stale: run `npm run generate` and commit what it changes").toBe(false);
});

test("every page's relative links lead to a file and a heading", () => {
  expect(pages.size).toBeGreaterThan(100);
  expect(brokenLinks(pages)).toEqual([]);
});
