import { parseExactJson } from "@disburse/kernel/exact-json.ts";
import { describe, expect, it } from "vitest";
import { checkBody } from "../checks/body.ts";
import { fieldsOf, readBody } from "../checks/read.ts";
import { exampleOf } from "../describe/examples.ts";
import type { BodyValues, Condition, Field, Form, PublicBody } from "../fields/field.ts";
import { publicBodies } from "../test-bodies.ts";

/** Properties of every table, checked on each of its fields. */

const context = { now: new Date("2026-11-20T00:00:00Z") };

type Sample = { readonly body: PublicBody; readonly form: Form; readonly values: BodyValues };

function sample(body: PublicBody, form: Form, changed: BodyValues = {}): Sample {
  return { body, form, values: { ...exampleOf(form), ...changed } };
}

const samples: readonly (readonly [string, Sample])[] = publicBodies
  .flatMap((body) => body.forms.map((form) => sample(body, form)))
  .flatMap((each): Sample[] => {
    if (!each.form.name.startsWith("fiat")) return [each];
    const corporate = { beneficiary_account_type: "Corporate" };
    return [each, sample(each.body, each.form, corporate)];
  })
  .map((each) => [`${each.form.name} ${each.values.beneficiary_account_type ?? ""}`, each]);

type Place = [path: string, field: Field, values: BodyValues];

/**
 * All fields in a sample with their paths, and the values that their conditions read. Lists
 * contribute their first entry.
 */
function walk(fields: readonly Field[], values: BodyValues, prefix = ""): Place[] {
  return fields.flatMap((field): Place[] => {
    if (field.when !== undefined && !holds(field.when, values)) return [];
    const path = `${prefix}${field.name}`;
    const here: Place = [path, field, values];
    if (field.kind === "object") return [here, ...walk(field.fields, values, `${path}.`)];
    if (field.kind !== "list") return [here];
    const [line] = values[field.name] as BodyValues[];
    return [here, ...walk(field.fields, line ?? {}, `${path}[0].`)];
  });
}

function holds(condition: Condition, values: BodyValues): boolean {
  const value = String(values[condition.field] ?? "");
  if ("set" in condition) return (value === "true") === condition.set;
  if ("in" in condition) return condition.in.includes(value);
  if ("notIn" in condition) return !condition.notIn.includes(value);
  return (value === "") === "absent" in condition;
}

/** Returns a deep copy with one path set, or removed. */
function changed(values: BodyValues, path: string, value: unknown): BodyValues {
  const copy = structuredClone(values);
  const steps = path.split(/[.[\]]+/).filter((step) => step !== "");
  const last = steps.pop() ?? "";
  let at = copy as Record<string, unknown>;
  for (const step of steps) at = at[step] as Record<string, unknown>;
  if (value === undefined) delete at[last];
  else at[last] = value;
  return copy;
}

/** Name fields of a beneficiary, person or company. */
const nameField = /(?:^beneficiary_(?:first_|last_)?name|\.(?:first|last)?name)$/;

/** Passes a body through all stages: JSON text, reading at the edge, the owner's check. */
function problems(body: PublicBody, values: object): Record<string, string> {
  const read = readBody(body, parseExactJson(JSON.stringify(values)));
  const answer = checkBody(body, read.values, { ...context, unreadable: read.unreadable });
  if (!Array.isArray(answer)) return {};
  return Object.fromEntries(answer.map((each) => [each.field, each.problem]));
}

function isRequired(field: Field, values: BodyValues): boolean {
  return typeof field.required === "boolean" ? field.required : holds(field.required, values);
}

function otherCase(text: string): string {
  return text === text.toLowerCase() ? text.toUpperCase() : text.toLowerCase();
}

const never: readonly unknown[] = [{ $gt: "" }, ["a"], true];

/** JSON values that are invalid for each kind. */
const wrongOf: Readonly<Record<Field["kind"], readonly unknown[]>> = {
  text: [...never, 1],
  country: [...never, 1],
  date: [...never, 1],
  email: [...never, 1],
  url: [...never, 1],
  digits: [...never, -1, 1.5],
  amount: [...never, -1, 0],
  integer: [...never, -1, 1.5, "1"],
  time: [...never, 1],
  flag: [{}, [], 1, "true"],
  texts: [
    ...[{}, [], "a", 1, true, ["NONE"], [1], ["\ud800"], [""]],
    ...[["*", "*"], Array(51).fill("*"), Array(9).fill("exhausted")],
  ],
  pairs: [[], "a", 1, true, { a: 1 }, { a: null }, { a: ["b"] }, { "a b": "c" }, { "": "c" }],
  object: [[], "a", 1, true],
  list: [{}, "a", 1, true],
};

describe.each(samples)("%s", (_name, { body, form, values }) => {
  const fields = walk(form.fields, values);
  const texts = fields.flatMap(([path, field, own]) =>
    "maxLength" in field ? [{ path, field, own }] : [],
  );

  it("takes its example, whole", () => {
    const answer = checkBody(body, values, context);
    expect(Array.isArray(answer) ? answer : answer.form.name).toBe(form.name);
    const expected = Object.fromEntries(
      fields.flatMap(([path]) => (path in values ? [[path, values[path]]] : [])),
    );
    expect(answer).toHaveProperty("values", expected);
  });

  it.each(fields)("left out or null: %s", (path, field, own) => {
    for (const value of [undefined, null]) {
      const found = problems(body, changed(values, path, value));
      if (isRequired(field, own)) expect(found[path]).toBe("is required");
      else expect(found).toEqual({});
    }
  });

  it.each(fields)("of a wrong type: %s", (path, field) => {
    for (const wrong of wrongOf[field.kind]) {
      const found = problems(body, changed(values, path, wrong));
      expect(found[path], JSON.stringify(wrong)).toMatch(/^must /);
    }
  });

  it.each(texts)("blank: $path", ({ path, field, own }) => {
    const found = problems(body, changed(values, path, "  \u00a0 "));
    if (isRequired(field, own)) expect(found[path]).toBe("is required");
    else expect(found).toEqual({});
  });

  it.each(texts)("unprintable: $path", ({ path }) => {
    for (const text of ["a\u0000b", "a\u202eb", "a\ud800b", "\u001b[0m"]) {
      expect(problems(body, changed(values, path, text))[path]).toMatch(/^must /);
    }
  });

  it.each(texts.filter(({ field }) => field.allowed !== undefined))(
    "out of its set: $path",
    ({ path, field }) => {
      for (const wrong of ["NONE", otherCase(String(field.example)), `${field.example}x`]) {
        const found = problems(body, changed(values, path, wrong));
        expect(found[path]).toMatch(/^must be one of /);
      }
    },
  );

  const dates = texts.filter(({ field }) => field.kind === "date");
  it.runIf(dates.length > 0).each(dates)("a date out of range: $path", ({ path }) => {
    const at = (date: string) => problems(body, changed(values, path, date))[path];
    expect(at("2026-11-21")).toBe("must not be in the future");
    expect(at("2026-11-20")).toBeUndefined();
    const isBirth = path.endsWith("of_birth");
    for (const old of ["1899-12-31", "1650-01-01"]) {
      expect(at(old)).toBe(isBirth ? "must not be before 1900-01-01" : undefined);
    }
    expect(at("1900-01-01")).toBeUndefined();
  });

  const names = fields.map(([path]) => path).filter((path) => nameField.test(path));
  const owners = [...new Set(names.map((path) => path.slice(0, path.lastIndexOf(".") + 1)))];
  const namesOf = (owner: string) =>
    names.filter((path) => path.slice(0, path.lastIndexOf(".") + 1) === owner);
  const withNames = (owner: string, name: string) =>
    namesOf(owner).reduce((body, path) => changed(body, path, name), values);
  it.runIf(form.name !== "create_beneficiary_link" && owners.length > 0).each(owners)(
    "a whole name that is none, of the object at '%s'",
    (owner) => {
      const found = (name: string) =>
        namesOf(owner).map((path) => problems(body, withNames(owner, name))[path]);
      for (const none of ["N/A", "null", " None ", "-"]) {
        expect(found(none).some((problem) => problem?.startsWith("must "))).toBe(true);
      }
      const isPerson = values.beneficiary_account_type === "Individual" || owner.includes("person");
      expect(found("1234").includes("must have a letter")).toBe(isPerson);
      const last = namesOf(owner).at(-1) ?? "";
      if (namesOf(owner).length > 1) {
        expect(problems(body, changed(values, last, "Null"))).toEqual({});
      }
    },
  );

  const parts = names.filter((path) => /(?:first|last)_?name$/.test(path));
  it.runIf(parts.length > 0).each(parts)("a part of a person's name: %s", (path) => {
    const found = (name: string) => problems(body, changed(values, path, name))[path];
    for (const none of ["\u200b", "😀", ".", "123", "\u3164", "\u3164\uffa0"]) {
      expect(found(none), JSON.stringify(none)).toBe("must have a letter");
    }
    for (const name of ["J.", "O", "D'", "Null", "J\u200b", "Ng", "3rd", "Юлия"]) {
      expect(found(name), name).toBeUndefined();
    }
    // Depositors with one name have no flag for it.
    const dash = path.includes("person_details") ? undefined : "must have a letter";
    expect(found("-")).toBe(dash);
    const latin = { ...values, beneficiary_name_latin: "Jane Doe" };
    for (const name of ["李", "ᠪᠠᠲᠤ", "ᠪᠠ\u180eᠲ", "김", "ʻAlī", "בן", "นก"]) {
      expect(problems(body, changed(latin, path, name)), name).toEqual({});
    }
  });

  const lines = texts.filter(({ field }) => field.kind === "text" && field.allowed === undefined);
  it.each(lines)("one too long: $path", ({ path, field }) => {
    const tooLong = `must be at most ${field.maxLength} characters`;
    const fits = problems(body, changed(values, path, "a".repeat(field.maxLength)));
    expect(fits[path]).not.toBe(tooLong);
    const found = problems(body, changed(values, path, "a".repeat(field.maxLength + 1)));
    expect(found[path]).toBe(tooLong);
  });

  it("names every failing field at once, in its own order", () => {
    const selectors = [...form.selectedBy.map(({ field }) => field), "beneficiary_account_type"];
    const chosen = selectors.filter((field) => field in values);
    const bare = Object.fromEntries(chosen.map((field) => [field, values[field] ?? ""]));
    const missing = form.fields.filter(
      (field) =>
        !chosen.includes(field.name) &&
        (field.when === undefined || holds(field.when, bare)) &&
        isRequired(field, bare),
    );
    expect(Object.keys(problems(body, bare))).toEqual(missing.map((field) => field.name));
  });
});

describe("every table", () => {
  it.each(publicBodies.map((body) => [body.name, body] as const))("%s", (_name, body) => {
    for (const form of [...body.forms, body.unselected]) {
      const names = form.fields.map((field) => field.name);
      expect(new Set(names).size).toBe(names.length);
      for (const rule of form.rules ?? []) {
        expect(names).toEqual(expect.arrayContaining([...rule.reads, rule.reports]));
      }
      const known = new Map(fieldsOf(body).map((field) => [field.name, field.kind]));
      for (const field of form.fields) expect(known.get(field.name)).toBe(field.kind);
    }
  });
});
