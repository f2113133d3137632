import type { Carried } from "@disburse/kernel/payment-methods/limits.ts";
import { cleanText } from "@disburse/kernel/text.ts";

/**
 * Types of the field tables. Checks, error messages, OpenAPI schemas and the discovery route all
 * derive from a public body's table.
 */

/** Compares another top-level field's text, trimmed. */
export type Condition =
  | { readonly field: string; readonly in: readonly string[] }
  | { readonly field: string; readonly notIn: readonly string[] }
  /** The other field was not sent. */
  | { readonly field: string; readonly absent: true }
  /** The other field is a flag with this value. An absent flag is `false`. */
  | { readonly field: string; readonly set: boolean };

type Described = {
  readonly name: string;
  readonly required: boolean | Condition;
  /** If it does not hold, the body has no such field and a sent value is ignored. */
  readonly when?: Condition;
  readonly description: string;
};

/** Meaning of a JSON string in a body. */
export type TextKind =
  | "text"
  /** ISO 3166-1 alpha-2, upper case. */
  | "country"
  /** A calendar day `yyyy-mm-dd`, not in the future. */
  | "date"
  /** An ISO 8601 time with its UTC offset, or a day, which begins at midnight UTC. */
  | "time"
  | "email"
  /** Only digits. A JSON number is accepted, by its own text. */
  | "digits"
  /** A decimal above zero. A JSON number is accepted, by its own text. */
  | "amount"
  /** An absolute http or https URL. */
  | "url";

/** A field whose value is text for the owning service too. */
export type TextField = Described & {
  readonly kind: TextKind;
  /** In Unicode code points, as JSON Schema counts them. */
  readonly maxLength: number;
  /** Closed set of values. A deployment may replace it (`CheckContext.allowed`). */
  readonly allowed?: readonly string[];
  readonly pattern?: Pattern;
  /** Rewrites a text before it is checked and stored. Checks apply to the result. */
  readonly normal?: NormalForm;
  /** A pattern's source, for documents only. Another check rejects a mismatch with its own code. */
  readonly shape?: string;
  /** The limit of the payment method that carries it to a bank. */
  readonly carried?: CarriedBy;
  /** Value of an absent optional field. */
  readonly default?: string;
  readonly example: string;
  /** Conditional differences. The first variant that holds applies. */
  readonly variants?: readonly Variant[];
};

/** A payment method's limit on a field. */
export type CarriedBy = {
  readonly limit: Carried;
  readonly over: string;
  /** `-` and `N/A` are accepted and left out of the file. */
  readonly mayBeNone: boolean;
};

/** The rewrites are in `checks/normal.ts`. */
export type NormalForm = {
  readonly of: "iban" | "telephone" | "wallet";
  /** Limits of the text as sent, for documents, if it may be more than the checks accept. */
  readonly sent?: { readonly maxLength: number; readonly pattern: string };
};

/** Source of an anchored ECMAScript regular expression with the `u` flag, and its error message. */
export type Pattern = { readonly source: string; readonly problem: string };

/** Parts of a text field that apply if the condition holds. */
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

/** A JSON array of distinct texts of one shape. An empty one counts as not sent. */
export type TextsField = Described & {
  readonly kind: "texts";
  /** Closed set of texts. A duplicate then counts once. */
  readonly allowed?: readonly string[];
  readonly maxItems: number;
  /** Shape of each text. Its message covers every error of the array. */
  readonly pattern: Pattern;
  readonly example: readonly string[];
};

export type ObjectField = Described & {
  readonly kind: "object";
  readonly fields: readonly Field[];
  /** Rules across its own fields. Their conditions read top-level fields. */
  readonly rules?: readonly Rule[];
};

/** A JSON array of objects. If required, it has at least one entry. */
export type ListField = Described & {
  readonly kind: "list";
  readonly maxItems: number;
  readonly fields: readonly Field[];
};

/** A JSON object of texts with the merchant's own keys. An empty one counts as not sent. */
export type PairsField = Described & {
  readonly kind: "pairs";
  /** Pattern of each key, without anchors. */
  readonly keys: string;
  readonly maxItems: number;
  /** Maximum length of a value, in Unicode code points. */
  readonly valueMax: number;
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

/** Protobuf JSON with the contract's own field names. */
export type BodyValue = string | number | boolean | BodyValues | BodyValue[];
/** A body or a nested object, by field name. */
export type BodyValues = { [name: string]: BodyValue };

export type CheckContext = {
  /** Dates after this day (UTC) are in the future. */
  readonly now: Date;
  /** A deployment's values in place of the table's closed set, by field name. */
  readonly allowed?: Readonly<Record<string, readonly string[]>>;
};

/** Reads another text of the same body or object; `""` if not sent. */
export type ReadText = (field: string) => string;

/** A constraint across fields of one body or object. */
export type Rule = {
  /** For the documents, such as `INR is sent to India.` */
  readonly description: string;
  /** If it does not hold, the rule does not apply. */
  readonly when?: Condition;
  /** Fields that the check reads. It runs only if each of them is valid by itself. */
  readonly reads: readonly string[];
  /** The field that a failure is reported on. */
  readonly reports: string;
  /** The rule concerns the limits of a payment method, so stored bodies are checked too. */
  readonly ofMethod?: true;
  /** Returns the problem in words for the merchant, or `undefined`. */
  readonly check: (text: ReadText) => string | undefined;
};

/** One variant of a body. Its fields are in order. */
export type Form = {
  readonly name: string;
  readonly description: string;
  /** All must hold. Empty for a body's only form. */
  readonly selectedBy: readonly Condition[];
  readonly fields: readonly Field[];
  readonly rules?: readonly Rule[];
};

export type PublicBody = {
  readonly name: string;
  readonly description: string;
  /** The first selected form applies. */
  readonly forms: readonly Form[];
  /** Applies if no form is selected: the common fields and the selecting fields. */
  readonly unselected: Form;
};

export function singleForm(form: Omit<Form, "selectedBy">): PublicBody {
  const only: Form = { ...form, selectedBy: [] };
  return { name: form.name, description: form.description, forms: [only], unselected: only };
}

export function optional<F extends Field>(field: F): F {
  return { ...field, required: false };
}

/** A field that was unreadable counts as sent. */
export function conditionHolds(
  condition: Condition,
  values: BodyValues,
  unreadable: ReadonlyMap<string, string> = new Map(),
): boolean {
  const text = textOf(values, condition.field);
  if ("set" in condition) return (values[condition.field] === true) === condition.set;
  if ("in" in condition) return condition.in.includes(text);
  if ("notIn" in condition) return !condition.notIn.includes(text);
  return text === "" && !unreadable.has(condition.field);
}

/** Returns a top-level text of a body, cleaned; `""` if not sent. */
export function textOf(values: BodyValues, field: string): string {
  const value = values[field];
  return typeof value === "string" ? cleanText(value) : "";
}

/** Returns the field with its first variant that holds applied. */
export function variantOf(field: TextField, holds: (condition: Condition) => boolean): TextField {
  const variant = field.variants?.find(({ when }) => holds(when));
  if (variant === undefined) return field;
  const { when: _, ...parts } = variant;
  return { ...field, ...parts };
}

/** Values that each field of an incomplete body may still have. */
export type Known = ReadonlyMap<string, readonly string[]>;

/**
 * Returns `open` if the condition holds for some possible bodies only. Flags count as not
 * sent.
 */
export function decide(condition: Condition, known: Known): boolean | "open" {
  if ("set" in condition) return !condition.set;
  const values = known.get(condition.field);
  if (values === undefined || "absent" in condition) return "open";
  const listed = new Set("in" in condition ? condition.in : condition.notIn);
  const hits = values.filter((value) => listed.has(value)).length;
  if (hits > 0 && hits < values.length) return "open";
  return hits > 0 === "in" in condition;
}
