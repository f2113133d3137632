import { integerDigitsMax, parseDecimal } from "@disburse/kernel/decimal.ts";
import { carriedProblem, isPlaceholder } from "@disburse/kernel/payment-methods/limits.ts";
import { textProblem } from "@disburse/kernel/text.ts";
import { isCalendarDate, parseMoment } from "@disburse/kernel/time.ts";
import { iso31661 } from "iso-3166/1.js";
import isEmail from "validator/lib/isEmail.js";
import type { CheckContext, TextField, TextKind } from "../fields/field.ts";

/** The code for Kosovo, as used by SWIFT, the IBAN registry and the European Union. */
const userAssigned = ["XK"];

/** All country codes that ISO 3166-1 assigns, and `XK`, sorted. */
export const countryCodes: readonly string[] = [
  ...iso31661.filter((country) => country.state === "assigned").map(({ alpha2 }) => alpha2),
  ...userAssigned,
].sort();

const countries = new Set(countryCodes);

/**
 * Returns a text's problem in words for the merchant, or `undefined`. The text must be trimmed,
 * NFC-composed and not empty.
 */
export function checkText(
  field: TextField,
  text: string,
  context: CheckContext,
): string | undefined {
  const characters = textProblem(text);
  if (characters !== undefined) return characters;
  if (field.allowed !== undefined) {
    const allowed = context.allowed?.[field.name] ?? field.allowed;
    return allowed.includes(text) ? undefined : `must be one of ${allowed.join(", ")}`;
  }
  const kind = checkKind[field.kind](text, context);
  if (kind !== undefined && shortKinds.has(field.kind)) return kind;
  if (longerThan(text, field.maxLength)) return `must be at most ${field.maxLength} characters`;
  if (kind !== undefined) return kind;
  const { pattern } = field;
  if (pattern !== undefined && !patternOf(pattern.source).test(text)) return pattern.problem;
  return uncarried(field, text);
}

/** Returns the reason why the field's payment method cannot carry a text, or `undefined`. */
export function uncarried({ carried }: TextField, text: string): string | undefined {
  if (carried === undefined || (carried.mayBeNone && isPlaceholder(text))) return undefined;
  return carriedProblem(text, carried.limit, carried.over);
}

/** For these kinds, the kind's own error message is clearer than one about length. */
const shortKinds: ReadonlySet<TextKind> = new Set(["country", "date", "time", "amount"]);

type CheckKind = (text: string, context: CheckContext) => string | undefined;

const checkKind: Readonly<Record<TextKind, CheckKind>> = {
  text: () => undefined,
  country: (text) =>
    countries.has(text) ? undefined : "must be an ISO 3166-1 alpha-2 country code",
  date: (text, { now }) => {
    if (!isCalendarDate(text)) return "must be a valid date in the form yyyy-mm-dd";
    return text > now.toISOString().slice(0, "yyyy-mm-dd".length)
      ? "must not be in the future"
      : undefined;
  },
  time: (text) =>
    parseMoment(text) === undefined
      ? "must be an ISO 8601 time such as 2026-11-20T11:26:00.123Z"
      : undefined,
  // The package is CommonJS, but its types describe an ES module. The function is therefore at
  // `default`.
  email: (text) => (isEmail.default(text) ? undefined : "must be a valid email address"),
  digits: (text) => (/^[0-9]+$/.test(text) ? undefined : "must contain digits only"),
  amount: checkAmount,
  url: (text) => {
    const sound = /^https?:\/\//i.test(text) && URL.canParse(text);
    return sound ? undefined : "must be an http or https URL";
  },
};

/** Checks an amount. The number of decimals depends on the currency, which is unknown here. */
function checkAmount(text: string): string | undefined {
  const decimal = parseDecimal(text);
  if (decimal === undefined) return "must be a decimal number";
  if (decimal.units <= 0n) return "must be greater than zero";
  const whole = decimal.units / 10n ** BigInt(decimal.scale);
  return whole < 10n ** BigInt(integerDigitsMax)
    ? undefined
    : `must have at most ${integerDigitsMax} digits before the point`;
}

function longerThan(text: string, maxLength: number): boolean {
  if (text.length <= maxLength) return false;
  return Array.from(text).length > maxLength;
}

const patterns = new Map<string, RegExp>();

function patternOf(source: string): RegExp {
  const known = patterns.get(source) ?? new RegExp(source, "u");
  patterns.set(source, known);
  return known;
}
