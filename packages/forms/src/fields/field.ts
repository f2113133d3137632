import type { Carried } from "@disburse/kernel/payment-methods/limits.ts";
import { cleanText } from "@disburse/kernel/text.ts";

/**
 * The language of the field tables. Everything that a check, an error message, an OpenAPI schema
 * and a discovery route need to know of a public body is data of these types.
 */

/** Holds or not for one body; compares another top-level field's text after trimming. */
export type Condition =
  | { readonly field: string; readonly in: readonly string[] }
  | { readonly field: string; readonly notIn: readonly string[] }
  /** The other field was not sent at all. */
  | { readonly field: string; readonly absent: true }
  /** A flag is true, or is not. */
  | { readonly field: string; readonly set: boolean };

type Described = {
  readonly name: string;
  /** Always, never, or where the condition holds. */
  readonly required: boolean | Condition;
  /** Where it does not hold, the body has no such field: what was sent is ignored. */
  readonly when?: Condition;
  readonly description: string;
};

/** What a JSON string of a body stands for. */
export type TextKind =
  /** Free text. */
  | "text"
  /** ISO 3166-1 alpha-2, upper case. */
  | "country"
  /** A calendar day `yyyy-mm-dd`, not in the future. */
  | "date"
  /** A moment as ISO 8601 with its offset from UTC, or a day, which begins at midnight UTC. */
  | "time"
  | "email"
  /** Digits only; a JSON number is taken too, by its own text. */
  | "digits"
  /** A decimal above zero; a JSON number is taken too, by its own text. */
  | "amount"
  /** An absolute http or https URL. */
  | "url";

/** A field whose value is text, for the owning service too. */
export type TextField = Described & {
  readonly kind: TextKind;
  /** In Unicode code points, as JSON Schema counts them. */
  readonly maxLength: number;
  /**
   * Closed set of values; a deployment may name another one for a field (`CheckContext.allowed`).
   */
  readonly allowed?: readonly string[];
  readonly pattern?: Pattern;
  /** How a text is rewritten before it is checked and stored; the checks are of the result. */
  readonly normal?: NormalForm;
  /**
   * As a pattern's source, for documents alone: another check refuses what it does not match, with
   * a code of its own.
   */
  readonly shape?: string;
  /** The limit of the payment method that carries it to a bank. */
  readonly carried?: CarriedBy;
  /** What an absent optional field stands for. */
  readonly default?: string;
  readonly example: string;
  /** What is different where a condition holds; the first that does counts. */
  readonly variants?: readonly Variant[];
};

/** A payment method's limit of a field. */
export type CarriedBy = {
  readonly limit: Carried;
  /** The method's name in the interface. */
  readonly over: string;
  /** Whether `-` and `N/A` are taken, which are left out of the file. */
  readonly mayBeNone: boolean;
};

/** See `checks/normal.ts`. */
export type NormalForm = {
  readonly of: "iban" | "telephone" | "wallet";
  /** A text as it may be sent, for documents, where that is more than the checks take. */
  readonly sent?: { readonly maxLength: number; readonly pattern: string };
};

/** ECMAScript regular expression with the `u` flag, anchored, with the message of its failure. */
export type Pattern = { readonly source: string; readonly problem: string };

/** Parts of a text field in bodies where the condition holds. */
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

/** `true` or `false`. */
export type FlagField = Described & { readonly kind: "flag"; readonly example: boolean };

/** A JSON array of different texts of one shape; an empty one counts as not sent. */
export type TextsField = Described & {
  readonly kind: "texts";
  /** Closed set of texts; one that is there twice then counts once. */
  readonly allowed?: readonly string[];
  readonly maxItems: number;
  /** Each text's shape, and what the merchant reads of an array that is wrong in whatever way. */
  readonly pattern: Pattern;
  readonly example: readonly string[];
};

/** A nested JSON object. */
export type ObjectField = Described & {
  readonly kind: "object";
  readonly fields: readonly Field[];
  /** How its own fields must agree; conditions are on top-level fields, as everywhere. */
  readonly rules?: readonly Rule[];
};

/** A JSON array of objects, with at least one entry where it is required. */
export type ListField = Described & {
  readonly kind: "list";
  readonly maxItems: number;
  readonly fields: readonly Field[];
};

/** A JSON object of texts under keys of the merchant's own; an empty one counts as not sent. */
export type PairsField = Described & {
  readonly kind: "pairs";
  /** Each key's shape. */
  readonly keys: string;
  readonly maxItems: number;
  /** Of a value, in Unicode code points. */
  readonly valueMax: number;
  /** What the merchant reads of an object that is wrong in whatever way. */
  readonly problem: string;
  readonly example: Readonly<Record<string, string>>;
};

/** A field of a public body. */
export type Field =
  | TextField
  | IntegerField
  | FlagField
  | TextsField
  | PairsField
  | ObjectField
  | ListField;

/** A value of a body as it was read: protobuf JSON with the contract's own field names. */
export type BodyValue = string | number | boolean | BodyValues | BodyValue[];
/** A body, or an object in it, by the names of its fields. */
export type BodyValues = { [name: string]: BodyValue };

/** What a rule needs beside the body. */
export type CheckContext = {
  /** Dates after this day (UTC) are in the future. */
  readonly now: Date;
  /** Per name of a field with a closed set: what this deployment takes instead of the table's. */
  readonly allowed?: Readonly<Record<string, readonly string[]>>;
};

/** Reads one text beside the rule, in the body or object; `""` where it was not sent. */
export type ReadText = (field: string) => string;

/** Where fields have to agree with one another; declared beside the table that it belongs to. */
export type Rule = {
  /** For the documents: `The currency must live on the network.` */
  readonly description: string;
  /** Where it does not hold, the rule says nothing of the body. */
  readonly when?: Condition;
  /** Fields beside it that it reads; it is tried only where each of them is sound by itself. */
  readonly reads: readonly string[];
  /** The field that its failure is reported on. */
  readonly reports: string;
  /** Whether it is about what a payment method can carry: it is asked of stored bodies too. */
  readonly ofMethod?: true;
  /** The problem in words for the merchant, or `undefined`. */
  readonly check: (text: ReadText) => string | undefined;
};

/** One variant of a body: which bodies it is for, its fields in order, and how they must agree. */
export type Form = {
  readonly name: string;
  readonly description: string;
  /** Every one holds for a body of this form; none for the only form of a body. */
  readonly selectedBy: readonly Condition[];
  readonly fields: readonly Field[];
  readonly rules?: readonly Rule[];
};

/** The body of one public operation. */
export type PublicBody = {
  readonly name: string;
  readonly description: string;
  /** The first that is selected is the one that is checked. */
  readonly forms: readonly Form[];
  /** Checked where none is selected: what all have in common, and the fields that select. */
  readonly unselected: Form;
};

/** A body that has a single form. */
export function singleForm(form: Omit<Form, "selectedBy">): PublicBody {
  const only: Form = { ...form, selectedBy: [] };
  return { name: form.name, description: form.description, forms: [only], unselected: only };
}

/** The same entry, not required: for a form that only takes it. */
export function optional<F extends Field>(field: F): F {
  return { ...field, required: false };
}

/** Whether a condition holds for a body; a field that could not be read was sent all the same. */
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

/** A top-level text of a body, cleaned; `""` where it was not sent. */
export function textOf(values: BodyValues, field: string): string {
  const value = values[field];
  return typeof value === "string" ? cleanText(value) : "";
}

/** The field as it is for a body of which the conditions hold that `holds` says. */
export function variantOf(field: TextField, holds: (condition: Condition) => boolean): TextField {
  const variant = field.variants?.find(({ when }) => holds(when));
  if (variant === undefined) return field;
  const { when: _, ...parts } = variant;
  return { ...field, ...parts };
}

/** What is known of a body before it is filled in: per field, the values that it may still have. */
export type Known = ReadonlyMap<string, readonly string[]>;

/**
 * Whether a condition holds for every body that is possible, for none, or only for some. Flags
 * count as not sent.
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
