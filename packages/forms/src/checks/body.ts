import type { Violation } from "@disburse/kernel/refusal.ts";
import { cleanText, textProblem } from "@disburse/kernel/text.ts";
import {
  type BodyValue,
  type BodyValues,
  type CheckContext,
  type Condition,
  conditionHolds,
  type Field,
  type Form,
  type ListField,
  type ObjectField,
  type PairsField,
  type PublicBody,
  type ReadText,
  type Rule,
  type TextField,
  type TextsField,
  textOf,
  variantOf,
} from "../fields/field.ts";
import { normalText } from "./normal.ts";
import { integerProblem, wholeBody } from "./read.ts";
import { checkText } from "./text.ts";

/**
 * A valid body with the form that it selected. The values are trimmed and NFC-composed, and
 * defaults are filled in.
 */
export type SoundBody = { readonly form: Form; readonly values: BodyValues };

/** The state while one body is checked. `paths` are in the form's order. */
type Walk = {
  readonly context: CheckContext;
  readonly unreadable: ReadonlyMap<string, string>;
  /** Returns true if a condition holds for the body. */
  readonly holds: (condition: Condition) => boolean;
  readonly paths: string[];
  readonly problems: Map<string, string>;
};

/**
 * Checks a body against the form that it selects. Returns every failing field once, in the form's
 * order, including fields that the gateway could not read. An unreadable field is not also reported
 * as missing. Unknown fields are removed.
 */
export function checkBody(
  body: PublicBody,
  values: BodyValues,
  context: CheckContext & { readonly unreadable?: readonly Violation[] },
): SoundBody | Violation[] {
  const unreadable = new Map(context.unreadable?.map((each) => [each.field, each.problem]));
  const nothing = unreadable.get(wholeBody);
  if (nothing !== undefined) return [{ field: wholeBody, problem: nothing }];
  const holds = (condition: Condition): boolean => conditionHolds(condition, values, unreadable);
  const form = selectedForm(body, values, unreadable);
  const walk: Walk = { context, unreadable, holds, paths: [], problems: new Map() };
  const cleaned = checkFields(form.fields, values, "", walk);
  checkRules(form.rules, cleaned, "", walk);
  if (walk.problems.size === 0) return { form, values: cleaned };
  return walk.paths.flatMap((field) => {
    const problem = walk.problems.get(field);
    return problem === undefined ? [] : [{ field, problem }];
  });
}

/** Returns the form that a body's values select. */
export function selectedForm(
  body: PublicBody,
  values: BodyValues,
  unreadable?: ReadonlyMap<string, string>,
): Form {
  const isSelected = ({ selectedBy }: Form) =>
    selectedBy.every((condition) => conditionHolds(condition, values, unreadable));
  return body.forms.find(isSelected) ?? body.unselected;
}

/**
 * Checks rules. `prefix` is the path of the object that has the rules, or "" for the whole body.
 */
function checkRules(
  rules: readonly Rule[] = [],
  cleaned: BodyValues,
  prefix: string,
  { problems, holds }: Walk,
): void {
  const text: ReadText = (field) => textOf(cleaned, field);
  const hasProblem = (field: string) => problems.has(`${prefix}${field}`);
  for (const rule of rules) {
    if (rule.when !== undefined && !holds(rule.when)) continue;
    if (rule.reads.some(hasProblem) || hasProblem(rule.reports)) continue;
    const problem = rule.check(text);
    if (problem !== undefined) problems.set(`${prefix}${rule.reports}`, problem);
  }
}

function checkFields(
  fields: readonly Field[],
  values: BodyValues,
  prefix: string,
  walk: Walk,
): BodyValues {
  const cleaned: BodyValues = {};
  for (const field of fields) {
    if (field.when !== undefined && !walk.holds(field.when)) continue;
    const path = `${prefix}${field.name}`;
    walk.paths.push(path);
    const value = checkField(field, values[field.name], path, walk);
    if (value !== undefined) cleaned[field.name] = value;
  }
  return cleaned;
}

function checkField(
  field: Field,
  value: BodyValue | undefined,
  path: string,
  walk: Walk,
): BodyValue | undefined {
  const unread = walk.unreadable.get(path);
  if (unread !== undefined) return refuse(walk, path, unread);
  switch (field.kind) {
    case "object":
      if (!isValues(value)) return refuseAbsent(field, path, walk);
      return checkObject(field, value, `${path}.`, walk);
    case "list":
    case "texts":
      if (!Array.isArray(value) || value.length === 0) return refuseAbsent(field, path, walk);
      if (field.kind === "list") return checkList(field, value, path, walk);
      return checkTexts(field, value) ?? refuse(walk, path, field.pattern.problem);
    case "pairs":
      if (!isValues(value) || (Object.keys(value).length === 0 && !field.mayBeEmpty)) {
        return refuseAbsent(field, path, walk);
      }
      return checkPairs(field, value) ?? refuse(walk, path, field.problem);
    case "flag":
      return typeof value === "boolean" ? value : refuseAbsent(field, path, walk);
    case "integer":
      if (typeof value !== "number") return refuseAbsent(field, path, walk);
      if (Number.isInteger(value) && value >= field.min && value <= field.max) return value;
      return refuse(walk, path, integerProblem(field));
    default:
      return checkTextField(field, value, path, walk);
  }
}

function checkObject(
  field: ObjectField,
  value: BodyValues,
  prefix: string,
  walk: Walk,
): BodyValues {
  const cleaned = checkFields(field.fields, value, prefix, walk);
  checkRules(field.rules, cleaned, prefix, walk);
  return cleaned;
}

function checkTextField(
  field: TextField,
  value: BodyValue | undefined,
  path: string,
  walk: Walk,
): string | undefined {
  const text = typeof value === "string" ? normalText(field, value) : "";
  if (text === "") {
    refuseAbsent(field, path, walk);
    return field.default;
  }
  const problem = checkText(variantOf(field, walk.holds), text, walk.context);
  return problem === undefined ? text : refuse(walk, path, problem);
}

/**
 * Returns the trimmed texts. Returns `undefined` for a wrong shape, a duplicate or too many items.
 */
function checkTexts(
  { allowed, maxItems, pattern }: TextsField,
  sent: BodyValue[],
): string[] | undefined {
  const texts = sent.map((each) => (typeof each === "string" ? cleanText(each) : ""));
  const different = [...new Set(texts)];
  const shape = new RegExp(pattern.source, "u");
  const isSet = allowed !== undefined || different.length === texts.length;
  const isShort = allowed !== undefined || texts.length <= maxItems;
  return isSet && isShort && different.every((each) => shape.test(each)) ? different : undefined;
}

/**
 * Returns the pairs with trimmed values. Returns `undefined` for a wrong shape or too many items.
 */
function checkPairs({ keys, maxItems, valueMax, value: own = "" }: PairsField, sent: BodyValues) {
  const shape = new RegExp(`^${keys}$`, "u");
  const valueShape = new RegExp(own, "u");
  // A contract whose field is a struct can carry other values than texts.
  const isTexts = Object.values(sent).every((value) => typeof value === "string");
  const pairs = Object.entries(sent).map(
    ([key, value]) => [key, cleanText(String(value))] as const,
  );
  const isSound = pairs.every(
    ([key, value]) =>
      isTexts &&
      shape.test(key) &&
      valueShape.test(value) &&
      textProblem(value) === undefined &&
      Array.from(value).length <= valueMax,
  );
  return isSound && pairs.length <= maxItems ? Object.fromEntries(pairs) : undefined;
}

function checkList(field: ListField, items: BodyValue[], path: string, walk: Walk): BodyValue {
  if (items.length > field.maxItems) {
    refuse(walk, path, `must have at most ${field.maxItems} entries`);
    return [];
  }
  return items.map((item, at) => {
    const place = `${path}[${at}]`;
    walk.paths.push(place);
    const unread = walk.unreadable.get(place);
    if (unread === undefined) {
      const values = isValues(item) ? item : {};
      const prefix = `${place}.`;
      const holds = (each: Condition) => conditionHolds(each, values, walk.unreadable, prefix);
      return checkFields(field.fields, values, prefix, { ...walk, holds });
    }
    refuse(walk, place, unread);
    return {};
  });
}

function isValues(value: BodyValue | undefined): value is BodyValues {
  return typeof value === "object" && !Array.isArray(value);
}

function refuse(walk: Walk, path: string, problem: string): undefined {
  walk.problems.set(path, problem);
}

function refuseAbsent(field: Field, path: string, walk: Walk): undefined {
  const { required } = field;
  const missing = typeof required === "boolean" ? required : walk.holds(required);
  if (missing) walk.problems.set(path, "is required");
}
