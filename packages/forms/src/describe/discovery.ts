import { cryptoBeneficiary } from "../bodies/crypto-beneficiary.ts";
import { fiatBeneficiary } from "../bodies/fiat-beneficiary.ts";
import { countryCodes } from "../checks/text.ts";
import {
  type CheckContext,
  type Condition,
  decide,
  type Form,
  type Known,
  type PublicBody,
  type Rule,
  type TextField,
  variantOf,
} from "../fields/field.ts";
import { ownFields } from "../fields/make.ts";

/** The fields to request for one kind of beneficiary. */
export type BeneficiaryForm = {
  readonly body: "crypto" | "fiat";
  /** Name of the form in the field tables. */
  readonly name: string;
  readonly description: string;
  readonly destinationCurrency: string;
  /** "" for a crypto beneficiary, whose body has no such field. */
  readonly transferType: string;
  readonly accountType: string;
  readonly fields: readonly RequestedField[];
  /** Constraints that concern several fields, in words. */
  readonly rules: readonly string[];
};

/** A field of one form, after its conditions were evaluated. */
export type RequestedField = Omit<
  TextField,
  "required" | "when" | "variants" | "carried" | "normal"
> & {
  readonly required: boolean;
  /** The name of a flag that makes this required field optional if it is `true`. */
  readonly requiredUnless?: string;
};

type Allowed = NonNullable<CheckContext["allowed"]>;

const bodies = { crypto: cryptoBeneficiary, fiat: fiatBeneficiary } as const;

const axes = {
  destinationCurrency: "destination_currency",
  transferType: "transfer_type",
  accountType: "beneficiary_account_type",
} as const;

/** Selects forms. An absent axis allows any value. */
export type FormChoice = { readonly [axis in keyof typeof axes]?: string };

/** Returns all values of a field in all forms, for the caller's error message. */
export function choicesOf(axis: keyof FormChoice): readonly string[] {
  const fields = Object.values(bodies).map(({ unselected }) => textOf(unselected, axes[axis]));
  return [...new Set(fields.flatMap((field) => field?.allowed ?? []))];
}

/**
 * Returns the beneficiary forms that match `choice`, one for each valid combination of currency,
 * transfer type and account type. `allowed` replaces closed sets in the tables by the deployment's
 * own sets. `checkBody` does the same, so both accept the same values.
 */
export function beneficiaryForms(choice: FormChoice, allowed: Allowed = {}): BeneficiaryForm[] {
  return (["crypto", "fiat"] as const).flatMap((body) =>
    bodies[body].forms.flatMap((form) =>
      combinations(form, choice).flatMap((chosen) => narrowed(body, form, chosen, allowed) ?? []),
    ),
  );
}

type Chosen = Readonly<Record<string, string>>;

/** Returns the distinct combinations of values that select the form and match the choice. */
function combinations(form: Form, choice: FormChoice): Chosen[] {
  let found: Chosen[] = [{}];
  for (const axis of ["destinationCurrency", "transferType", "accountType"] as const) {
    const name = axes[axis];
    const field = textOf(form, name);
    const wanted = choice[axis];
    if (field === undefined) {
      if (wanted !== undefined) return [];
      continue;
    }
    const values = (field.allowed ?? []).filter((value) => (wanted ?? value) === value);
    found = found.flatMap((chosen) => values.map((value) => ({ ...chosen, [name]: value })));
  }
  return found.filter((chosen) => form.selectedBy.every((each) => isSelected(each, chosen)));
}

function isSelected(condition: Condition, chosen: Chosen): boolean {
  const known = new Map(Object.entries(chosen).map(([field, value]) => [field, [value]]));
  return decide(condition, known) === true;
}

function textOf(form: Form, name: string): TextField | undefined {
  return textFields(form).find((field) => field.name === name);
}

/**
 * Returns the text fields of a body without nested objects. Metadata and the merchant's own fields
 * are left out because no one has to fill them in. A flag is left out because the field that it
 * makes optional describes it.
 */
function textFields(form: Form): TextField[] {
  return form.fields.flatMap((field) => {
    if (field.kind === "pairs" || field.kind === "flag" || ownFields.has(field)) return [];
    if (!("maxLength" in field)) throw new Error(`${field.name} is not a text field`);
    return field;
  });
}

/** Returns `undefined` if the rules allow no body with this combination. */
function narrowed(
  body: keyof typeof bodies,
  form: Form,
  chosen: Chosen,
  allowed: Allowed,
): BeneficiaryForm | undefined {
  const { rules = [] } = form;
  const known = possibleValues(form, chosen, allowed);
  if ([...known.values()].some((values) => values.length === 0)) return undefined;
  const fields = textFields(form).flatMap((field) => requested(field, known, allowed) ?? []);
  return {
    body,
    name: form.name,
    description: form.description,
    destinationCurrency: chosen[axes.destinationCurrency] ?? "",
    transferType: chosen[axes.transferType] ?? "",
    accountType: chosen[axes.accountType] ?? "",
    fields,
    rules: rules.filter((rule) => !isSettled(rule, known)).map((rule) => rule.description),
  };
}

/**
 * Returns the possible values of each field with a closed set. Repeatedly removes values that a
 * rule rejects, given the fields with only one possible value, until nothing changes.
 */
export function possibleValues(form: Form, chosen: Chosen, allowed: Allowed): Known {
  const { rules = [] } = form;
  const known = new Map<string, readonly string[]>();
  for (const field of textFields(form)) {
    const values = closedSet(field, allowed);
    const choice = chosen[field.name];
    if (values === undefined) continue;
    known.set(field.name, choice === undefined ? values : values.filter((it) => it === choice));
  }
  for (let changed = true; changed; ) {
    changed = false;
    for (const [name, values] of known) {
      const deciding = rules.filter((rule) => decidesOn(rule, name, known));
      const kept = values.filter((value) => deciding.every(allows(name, value, known)));
      if (kept.length === values.length) continue;
      known.set(name, kept);
      changed = true;
    }
  }
  return known;
}

function closedSet(field: TextField, allowed: Allowed): readonly string[] | undefined {
  if (field.allowed !== undefined) return allowed[field.name] ?? field.allowed;
  return field.kind === "country" ? countryCodes : undefined;
}

/**
 * Returns true if the rule reads the field and each other field of the rule has only one possible
 * value.
 */
function decidesOn(rule: Rule, name: string, known: Known): boolean {
  if (!rule.reads.includes(name)) return false;
  if (rule.when !== undefined && decide(rule.when, known) !== true) return false;
  const isCertain = (field: string) => known.get(field)?.length === 1;
  return [...rule.reads, rule.reports].every((field) => field === name || isCertain(field));
}

/** Returns true if the rule accepts the value, given the fields with only one possible value. */
const allows = (name: string, value: string, known: Known) => (rule: Rule) =>
  rule.check((field) => (field === name ? value : (known.get(field)?.[0] ?? ""))) === undefined;

/**
 * Returns true if the rule does not apply, or if all its fields have only one possible value. The
 * description omits such a rule.
 */
function isSettled(rule: Rule, known: Known): boolean {
  if (rule.when !== undefined && decide(rule.when, known) === false) return true;
  return [...rule.reads, rule.reports].every((field) => known.get(field)?.length === 1);
}

function requested(field: TextField, known: Known, allowed: Allowed): RequestedField | undefined {
  const {
    required,
    when,
    variants: _,
    carried,
    normal,
    ...rest
  } = variantOf(field, (condition) => decide(condition, known) === true);
  if (when !== undefined && decide(when, known) !== true) return undefined;
  const values = known.get(field.name);
  const isNarrowed =
    values !== undefined && values.length < (closedSet(field, allowed) ?? []).length;
  const shown = values !== undefined && (field.allowed !== undefined || isNarrowed);
  const isExampleGone = values !== undefined && !values.includes(rest.example);
  const needed = typeof required === "boolean" ? required : decide(required, known);
  if (needed === "open")
    throw new Error(`It cannot be decided whether the field ${field.name} is required`);
  const limit = carried?.limit.longer === "refused" ? carried.limit.max : rest.maxLength;
  return {
    ...rest,
    ...sentAs(rest, normal),
    ...(limit < rest.maxLength && { maxLength: limit }),
    ...(typeof required === "object" && "set" in required
      ? { requiredUnless: required.field }
      : {}),
    ...(shown ? { allowed: values } : {}),
    ...(isExampleGone ? { example: values[0] ?? "" } : {}),
    required: needed,
  };
}

/** Returns the limits of the text as sent, if the text is rewritten before it is checked. */
function sentAs({ pattern }: Pick<TextField, "pattern">, normal: TextField["normal"]) {
  if (normal?.sent === undefined) return {};
  const { maxLength, pattern: source } = normal.sent;
  return {
    maxLength,
    pattern: { source, problem: pattern?.problem ?? "must contain digits only" },
  };
}

export function bodyOf(form: BeneficiaryForm): PublicBody {
  return bodies[form.body];
}
