import { expect, it } from "vitest";
import { openProgram } from "./program.ts";
import { unhandledPromises } from "./promises.ts";

/** Code of services and of installed packages; commands of `verification` may end by an error. */
const isProduct = (path: string) =>
  /^(?:packages|services)\/(?!verification\/)/.test(path) && !path.endsWith(".test.ts");

it("no promise of the product is without a handler", () => {
  const program = openProgram(["packages/*/src", "services/*/src"]);
  const findings = unhandledPromises(program, isProduct);
  program.close();
  expect(findings.map(({ path, line, message }) => `${path}:${line} ${message}`)).toEqual([]);
}, 120_000);

const before = `
declare const work: () => Promise<number>;
declare const each: (run: () => void) => void;
declare const log: (error: unknown) => void;
const safe = async () => { try { await work(); } catch (error) { log(error); } };
const passing = async () => { await work(); };
const guarded = async () => { await safe(); await work().catch(log); };
declare const pool: { close(): Promise<void> };
`;

const faulty = [
  "export const a = () => void work();",
  "export const a = () => { work(); };",
  "export const a = () => void work().finally(() => log(1));",
  "export const a = () => void work().then(log);",
  "export const a = () => void pool.close().finally(() => log(1));",
  "export const a = () => void passing();",
  "export const a = () => void safe();",
  "export const a = () => { safe(); };",
  "export const a = () => void guarded();",
  "export const a = () => void (async () => { await work(); })();",
  "export const a = (is: boolean) => void (is && work());",
  "export const a = () => each(async () => { await work(); });",
  "export const a = () => each(passing);",
  "export const a = () => each(() => work());",
  "export const a = () => setTimeout(passing, 1);",
  "export const a = () => process.on('SIGTERM', async () => { await work(); });",
  "export const a: { run: () => void } = { run: async () => { await work(); } };",
  "export const a = async () => { const one = work(); await safe(); await one; };",
  "export const a = async () => { try { void work(); } catch (error) { log(error); } };",
  "export const a = async () => { try { await 1; } catch (error) { void work(); } };",
];

const fine = [
  "export const a = () => work().catch(log);",
  "export const a = () => { work().catch(log); };",
  "export const a = () => { work().then(log, log); };",
  "export const a = () => { work().finally(() => log(1)).catch(log); };",
  "export const a = () => { work().catch(log).finally(() => log(1)); };",
  "export const a = () => void safe().catch(log);",
  "export const a = () => void Promise.allSettled([work()]);",
  "export const a = async () => { await work(); };",
  "export const a = () => { const one = work(); return one; };",
  "export const a = async () => { const one = work(); await Promise.all([one, safe()]); };",
  "export const a = async () => { const one = safe(); await work(); await one; };",
  "export const a = () => each(safe);",
  "export const a = () => each(() => void log(1));",
  "export const a = () => [1].map(() => work());",
  "export const a = () => void log(1);",
];

const pathOf = (at: number) => `packages/kernel/src/example-${at}.ts`;
const examples = [...faulty, ...fine].map((text, at) => [pathOf(at), before + text] as const);
const program = openProgram([], Object.fromEntries(examples));
const found = unhandledPromises(program, (path) => path.includes("/example-"));
program.close();
const foundIn = (text: string) => {
  const [path] = examples.find(([, whole]) => whole === before + text) ?? [];
  return found.filter((finding) => finding.path === path);
};

it.each(faulty)("finds %s", (text) => {
  expect(foundIn(text)).toHaveLength(1);
});

it.each(fine)("finds nothing in %s", (text) => {
  expect(foundIn(text)).toEqual([]);
});
