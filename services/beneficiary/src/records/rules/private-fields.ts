/** A value of a stored body, under the field names of the API. */
export type FieldValue = string | number | boolean | Fields | FieldValue[];
export type Fields = { [name: string]: FieldValue };

/** Plain texts by path, such as `company_owner_details[0].documents.document_number`. */
export type Secrets = Readonly<Record<string, string>>;

/** Fields encrypted at rest: account, wallet and document numbers, dates of birth. */
const privateNames: ReadonlySet<string> = new Set([
  "beneficiary_account_number",
  "beneficiary_document_id",
  "beneficiary_date_of_birth",
  "business_identification_number",
  "date_of_birth",
  "depositor_business_id",
  "depositor_wallet_address",
  "document_number",
  "iban",
]);

/** Splits a body into its open part and the texts to encrypt. */
export function splitPrivate(fields: Fields): { open: Fields; secrets: Secrets } {
  const secrets: Record<string, string> = {};
  const part = (value: Fields, prefix: string): Fields => {
    const open: Fields = {};
    for (const [name, each] of Object.entries(value)) {
      const path = `${prefix}${name}`;
      if (typeof each === "string" && privateNames.has(name)) secrets[path] = each;
      // Keys of the merchant's metadata may equal private field names; they are not private.
      else open[name] = path === "metadata" ? each : partValue(each, path);
    }
    return open;
  };
  const partValue = (value: FieldValue, path: string): FieldValue => {
    if (Array.isArray(value)) return value.map((item, at) => partValue(item, `${path}[${at}]`));
    return typeof value === "object" ? part(value, `${path}.`) : value;
  };
  return { open: part(fields, ""), secrets };
}

export function joinPrivate(open: Fields, secrets: Secrets): Fields {
  const whole = structuredClone(open);
  for (const [path, plain] of Object.entries(secrets)) {
    const steps = path.split(/[.[\]]+/);
    const name = steps.pop() ?? "";
    let place: FieldValue | undefined = whole;
    for (const step of steps) place = child(place, step);
    if (!isFields(place))
      throw new Error("the record has no object for the path of an encrypted field");
    place[name] = plain;
  }
  return whole;
}

function child(value: FieldValue | undefined, step: string): FieldValue | undefined {
  if (Array.isArray(value)) return value[Number(step)];
  return isFields(value) ? value[step] : undefined;
}

function isFields(value: FieldValue | undefined): value is Fields {
  return typeof value === "object" && !Array.isArray(value);
}

/** Returns a text field, or `""` if absent. */
export function textOf(fields: Fields, name: string): string {
  const value = fields[name];
  return typeof value === "string" ? value : "";
}

/** Returns a nested object, or an empty one if absent. */
export function fieldsOf(fields: Fields, name: string): Fields {
  const value = fields[name];
  return isFields(value) ? value : {};
}

export function listOf(fields: Fields, name: string): readonly Fields[] {
  const value = fields[name];
  return Array.isArray(value) ? value.filter(isFields) : [];
}
