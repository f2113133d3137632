import type { Carried } from "@disburse/kernel/payment-methods/limits.ts";
import { cleanText } from "@disburse/kernel/text.ts";

/**
 * Types of the field tables. The checks of a request body, its error messages, its OpenAPI schema
 * and the route that lists its fields all derive from its table.
 */

/** Compares another field's text, trimmed: a top-level field, or one of the same line of a list. */
export type Condition =
  | { readonly field: string; readonly in: readonly string[] }
  | { readonly field: string; readonly notIn: readonly string[] }
  /** The other field was not sent. */
  | { readonly field: string; readonly absent: true }
  /** The other field was sent. */
  | { readonly field: string; readonly present: true }
  /** The other field is a flag with this value. An absent flag is `false`. */
  | { readonly field: string; readonly set: boolean };

type Described = {
  readonly name: string;
  readonly required: boolean | Condition;
  /** The condition under which the field exists. Otherwise a sent value is ignored. */
  readonly when?: Condition;
  /** Set if few bodies have the field. The example of a whole body then omits it. */
  readonly rare?: true;
  readonly description: string;
};

/** The meaning of a JSON string in a body. */
export type TextKind =
  | "text"
  /** ISO 3166-1 alpha-2, upper case. */
  | "country"
  /** A calendar day `yyyy-mm-dd`, not in the future. */
  | "date"
  /** An ISO 8601 time with its UTC offset, or a day, which means midnight UTC. */
  | "time"
  | "email"
  /** Only digits. A JSON number is accepted too, and its exact text is kept. */
  | "digits"
  /** A decimal above zero. A JSON number is accepted too, and its exact text is kept. */
  | "amount"
  /** An absolute http or https URL. */
  | "url";

/** A field whose value is a text, also in the contract of the owning service. */
export type TextField = Described & {
  readonly kind: TextKind;
  /** The maximum length in Unicode code points, as JSON Schema counts them. */
  readonly maxLength: number;
  /** The closed set of values. A deployment may replace the set (`CheckContext.allowed`). */
  readonly allowed?: readonly string[];
  readonly pattern?: Pattern;
  /** Set for an amount whose empty text is a value: it removes the amount. */
  readonly mayBeEmpty?: true;
  /** The rewriting of a text before it is checked and stored. The checks apply to the result. */
  readonly normal?: NormalForm;
  /**
   * The source of a pattern that is only documented. Another check with its own error code rejects
   * other text.
   */
  readonly shape?: string;
  /** The limit of the payment method that carries the field to a bank. */
  readonly carried?: CarriedBy;
  /** The value to use if the optional field is absent. */
  readonly default?: string;
  readonly example: string;
  /** Conditional variants of the field. The first one whose condition holds applies. */
  readonly variants?: readonly Variant[];
};

/** A payment method's limit on a field. */
export type CarriedBy = {
  readonly limit: Carried;
  readonly over: string;
  /** If true, `-` and `N/A` are accepted and omitted from the bank's file. */
  readonly mayBeNone: boolean;
};

/** The name of a rewriting, which `checks/normal.ts` implements. */
export type NormalForm = {
  readonly of: "iban" | "telephone" | "wallet";
  /** For documents: the limits of the text as sent, if they are wider than those of the checks. */
  readonly sent?: { readonly maxLength: number; readonly pattern: string };
};

/** An anchored ECMAScript regular expression with the `u` flag, and its error message. */
export type Pattern = { readonly source: string; readonly problem: string };

/** Properties of a text field that apply if the condition holds. */
export type Variant = {
  readonly when: Condition;
  readonly example?: string;
  readonly pattern?: Pattern;
  readonly shape?: string;
  readonly carried?: CarriedBy;
};

/** A whole JSON number within inclusive bounds. */
export type IntegerField = Described & {
  readonly kind: "integer";
  readonly min: number;
  readonly max: number;
  readonly example: number;
};

export type FlagField = Described & { readonly kind: "flag"; readonly example: boolean };

/** A JSON array of distinct texts with one shape. An empty array counts as not sent. */
export type TextsField = Described & {
  readonly kind: "texts";
  /** The closed set of texts. If it is set, a duplicate is not an error and counts once. */
  readonly allowed?: readonly string[];
  readonly maxItems: number;
  /** The shape of each text. Its error message covers every error in the array. */
  readonly pattern: Pattern;
  readonly example: readonly string[];
};

export type ObjectField = Described & {
  readonly kind: "object";
  readonly fields: readonly Field[];
  /** Rules across the object's own fields. Conditions of these rules read top-level fields. */
  readonly rules?: readonly Rule[];
};

/** A JSON array of objects. If it is required, it needs at least one entry. */
export type ListField = Described & {
  readonly kind: "list";
  readonly maxItems: number;
  readonly fields: readonly Field[];
};

/** A JSON object of texts with the merchant's own keys. */
export type PairsField = Described & {
  readonly kind: "pairs";
  /** Set if an empty object is a value. Otherwise it counts as not sent. */
  readonly mayBeEmpty?: true;
  /** Pattern of each key, without anchors. */
  readonly keys: string;
  readonly maxItems: number;
  /** Maximum length of a value, in Unicode code points. */
  readonly valueMax: number;
  /** The shape of each value. The default is any text. */
  readonly value?: string;
  /** Message for every error of the object. */
  readonly problem: string;
  readonly example: Readonly<Record<string, string>>;
};

export type Field =
  | TextField
  | IntegerField
  | FlagField
  | TextsField
  | PairsField
  | ObjectField
  | ListField;

/** A value in protobuf's JSON form, with the contract's own field names. */
export type BodyValue = string | number | boolean | BodyValues | BodyValue[];
/** A body or a nested object, by field name. */
export type BodyValues = { [name: string]: BodyValue };

export type CheckContext = {
  /** The current time. Dates after this day (UTC) are in the future. */
  readonly now: Date;
  /** The deployment's values that replace a table's closed set, by field name. */
  readonly allowed?: Readonly<Record<string, readonly string[]>>;
};

/** Reads another text of the same body or object. Returns `""` if it was not sent. */
export type ReadText = (field: string) => string;

/** A constraint across fields of one body or object. */
export type Rule = {
  /** The rule in words, for the documents: `INR is sent to India.` */
  readonly description: string;
  /** The condition under which the rule applies. */
  readonly when?: Condition;
  /** The fields that the check reads. The check runs only if each field is valid by itself. */
  readonly reads: readonly string[];
  /** The field for which a failure is reported. */
  readonly reports: string;
  /**
   * Set if the rule concerns the limits of a payment method. Such rules are also checked for stored
   * bodies.
   */
  readonly ofMethod?: true;
  /** Returns the problem in words for the merchant, or `undefined`. */
  readonly check: (text: ReadText) => string | undefined;
};

/** One variant of a body. Its fields are in order. */
export type Form = {
  readonly name: string;
  readonly description: string;
  /**
   * The conditions that select the form, all of which must hold. Empty for a body with only one
   * form.
   */
  readonly selectedBy: readonly Condition[];
  readonly fields: readonly Field[];
  readonly rules?: readonly Rule[];
  /** Set if a body without any field is refused, although no field is required. */
  readonly needsField?: true;
};

export type PublicBody = {
  readonly name: string;
  readonly description: string;
  /** The forms of the body. The first one whose conditions hold applies. */
  readonly forms: readonly Form[];
  /**
   * The form that applies if no other form is selected. It has the common fields and the fields
   * that select a form.
   */
  readonly unselected: Form;
};

export function singleForm(form: Omit<Form, "selectedBy">): PublicBody {
  const only: Form = { ...form, selectedBy: [] };
  return { name: form.name, description: form.description, forms: [only], unselected: only };
}

export function optional<F extends Field>(field: F): F {
  return { ...field, required: false };
}

/**
 * Returns true if a condition holds. An unreadable field counts as sent. `prefix` is the path of
 * the line that has the fields, or "" for the whole body.
 */
export function conditionHolds(
  condition: Condition,
  values: BodyValues,
  unreadable: ReadonlyMap<string, string> = new Map(),
  prefix = "",
): boolean {
  const text = textOf(values, condition.field);
  if ("set" in condition) return (values[condition.field] === true) === condition.set;
  if ("in" in condition) return condition.in.includes(text);
  if ("notIn" in condition) return !condition.notIn.includes(text);
  const isAbsent = text === "" && !unreadable.has(`${prefix}${condition.field}`);
  return isAbsent === "absent" in condition;
}

/** Returns a top-level text of a body, cleaned. Returns `""` if it was not sent. */
export function textOf(values: BodyValues, field: string): string {
  const value = values[field];
  return typeof value === "string" ? cleanText(value) : "";
}

/** Returns the field with the first variant applied whose condition holds. */
export function variantOf(field: TextField, holds: (condition: Condition) => boolean): TextField {
  const variant = field.variants?.find(({ when }) => holds(when));
  if (variant === undefined) return field;
  const { when: _, ...parts } = variant;
  return { ...field, ...parts };
}

/** The values that each field of an incomplete body may still have. */
export type Known = ReadonlyMap<string, readonly string[]>;

/**
 * Evaluates a condition for an incomplete body. Returns `open` if it holds for only some possible
 * bodies. Flags count as not sent.
 */
export function decide(condition: Condition, known: Known): boolean | "open" {
  if ("set" in condition) return !condition.set;
  const values = known.get(condition.field);
  if (values === undefined || "absent" in condition || "present" in condition) {
    return "open";
  }
  const listed = new Set("in" in condition ? condition.in : condition.notIn);
  const hits = values.filter((value) => listed.has(value)).length;
  if (hits > 0 && hits < values.length) return "open";
  return hits > 0 === "in" in condition;
}
