import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { errorTable, refusalReasons } from "@disburse/kernel/errors.ts";
import { failureCodes } from "@disburse/kernel/failure.ts";
import { type CarriedPart, paymentLimits } from "@disburse/kernel/payment-methods/limits.ts";
import { violationRules } from "@disburse/kernel/violations.ts";
import { listedParties, riskyWallets } from "@disburse/sandbox/sandbox-list.ts";
import { describe, expect, it } from "vitest";

/** Checks that guides and code list the same names. */

const at = (path: string) => join(import.meta.dirname, "..", path);
const read = (path: string) => readFileSync(at(path), "utf8");
const guide = (name: string) => read(`docs/reference/${name}.md`);

/**
 * Reads the simulated rail's scenarios from its source, since a service's modules can't be
 * imported.
 */
const [, listed = ""] =
  /scenarios = \[(.*?)\]/s.exec(read("services/payout/src/rails/sandbox/scenarios.ts")) ?? [];
const scenarios = [...listed.matchAll(/"([a-z-]+)"/g)].map(([, name]) => name);

function rowsUnder(text: string, heading: string): string[][] {
  const [, part = ""] = text.split(`## ${heading}\n`);
  const lines = (part.split("\n## ")[0] ?? "").split("\n").filter((line) => line.startsWith("|"));
  return lines.slice(2).map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll("`", "")),
  );
}

const firsts = (rows: readonly string[][]) => rows.map(([first = ""]) => first).sort();

it("documents have lower-case names, except for alerts", () => {
  const paths = readdirSync(at("docs"), { recursive: true, encoding: "utf8" });
  const allowed =
    /^(?:operators\/runbook\/Disburse[A-Za-z]+\.md|(?:[a-z0-9-]+\/)*(?:README|[a-z0-9-]+)(?:\.\w+)*)$/;
  expect(paths.length).toBeGreaterThan(100);
  expect(paths.filter((path) => !allowed.test(path))).toEqual([]);
});

describe("the guide to errors", () => {
  const text = guide("errors");

  it("has every code with its status", () => {
    const rows = rowsUnder(text, "Every code").map(([code, status]) => [code, Number(status)]);
    const table = Object.entries(errorTable).map(([code, { status }]) => [code, status]);
    expect(rows.toSorted()).toEqual(table.toSorted());
  });

  it("has every rule, reason and failure code", () => {
    expect(firsts(rowsUnder(text, "Fields that failed"))).toEqual([...violationRules].sort());
    expect(firsts(rowsUnder(text, "Reasons"))).toEqual(Object.keys(refusalReasons).sort());
    expect(firsts(rowsUnder(text, "Why a payout failed"))).toEqual([...failureCodes].sort());
  });

  it("has the limits of every payment method", () => {
    const { SWIFT, SEPA, ACH, LOCAL_USD, LOCAL_INR } = paymentLimits;
    const methods = [SWIFT, SEPA, ACH, LOCAL_USD, LOCAL_INR];
    const parts = [...new Set(methods.flatMap((limits) => Object.keys(limits)))] as CarriedPart[];
    const rows = parts.map((part) => {
      const maxima = methods.map((limits) => String(limits[part]?.max ?? "–"));
      const isCut = methods.some((limits) => limits[part]?.longer === "cut");
      return [part, ...maxima, isCut ? "cut for the bank; your record keeps all of it" : "refused"];
    });
    expect(rowsUnder(text, "Limits of payment methods")).toEqual(rows);
  });

  it("says of every status what to do", () => {
    const documented = rowsUnder(text, "Trying again")
      .map(([status = ""]) => status)
      .join();
    const missing = Object.values(errorTable).filter(
      ({ status }) => !documented.includes(`${status}`),
    );
    expect(missing).toEqual([]);
  });
});

describe("the page for contributors", () => {
  it("names files and folders that are there", () => {
    const paths = [...read("docs/contributing/README.md").matchAll(/`([\w.-]+\/[\w./-]*)`/g)].map(
      ([, path = ""]) => path,
    );
    expect(paths.length).toBeGreaterThan(30);
    const below = ["", "services/gateway/src/resources/", "services/payout/src/payouts/"];
    const missing = paths.filter((path) => !below.some((each) => existsSync(at(each + path))));
    expect(missing).toEqual([]);
  });
});

describe("the guide to testing", () => {
  const text = guide("testing");

  it("has every magic value", () => {
    const rows = firsts(rowsUnder(text, "Payout scenarios"));
    expect(scenarios.length).toBeGreaterThan(10);
    expect(rows).toEqual(scenarios.map((each) => `sandbox-${each}`).sort());
    const parties = rowsUnder(text, "Screening").filter(([name]) => name !== undefined);
    for (const { name, date_of_birth, country } of listedParties) {
      const row = parties.find(([first]) => first === name);
      expect(row).toMatchObject({ 2: date_of_birth, 3: country });
    }
    for (const address of Object.values(riskyWallets)) expect(text).toContain(address);
  });
});
