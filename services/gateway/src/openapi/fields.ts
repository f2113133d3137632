import type { DescMessage, MessageShape, UnknownEnum } from "@bufbuild/protobuf";
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { type EnumName, enumName, enumNames } from "@disburse/chassis/enum-names.ts";
import type { JsonSchema } from "@disburse/forms/describe/json-schema.ts";
import { exactNumber } from "@disburse/kernel/exact-json.ts";
import { isoTime } from "@disburse/kernel/time.ts";

/**
 * The responses are described by field tables. A table gives each field its kind, description and
 * example. The response's JSON Schema, example and JSON are built from the table.
 */

/** Schema of a value, and its conversion to JSON, independent of its source. */
export type Kind<Value> = {
  readonly schema: JsonSchema;
  readonly write: (value: Value) => unknown;
  /** The response omits the field if it has no value. */
  readonly isOptional?: boolean;
  /** Only the first response contains the text. A replayed response omits it. */
  readonly isShownOnce?: boolean;
  /** For an object: the names of its fields that are returned only once. */
  readonly shownOnce?: readonly string[];
};

/** A kind that also knows where its value is in a message. */
export type Field<Message> = Omit<Kind<never>, "write"> & {
  readonly read: (message: Message) => unknown;
};

export type Fields<Message> = Readonly<Record<string, Field<Message>>>;

/** A schema with its own name in the document. */
export type NamedSchema = { readonly name: string; readonly schema: JsonSchema };

/** A kind with its own name in the document. */
export type Component<Value> = Kind<Value> & NamedSchema;

/** Prefix of references to components. */
export const componentPath = "#/components/schemas/";

/** A text that our services write. The example must be realistic. */
export function text(description: string, example: string, more: JsonSchema = {}): Kind<string> {
  return { schema: { type: "string", description, ...more, examples: [example] }, write: same };
}

/** A secret that only the first response contains. The secret is never stored for replays. */
export function secret(description: string, example: string): Kind<string> {
  const once = `${description} Shown once: empty in a replayed response.`;
  return { ...text(once, example), isShownOnce: true };
}

/**
 * A text field with known values. The schema allows other texts, because a client that rejects a
 * value added later could read no record that has it.
 */
export function oneOf(description: string, words: readonly string[]): Kind<string> {
  // A constant tells the schema from others, such as the type of a webhook.
  if (words.length === 1) {
    return { schema: { type: "string", description, enum: words, examples: words }, write: same };
  }
  const anyOf = [{ type: "string", enum: words }, { type: "string" }];
  return { schema: { description, anyOf, examples: [words[0]] }, write: same };
}

/** The name of an enum value. `words` limits the values that occur. */
export function word<E extends Readonly<Record<string, number>>>(
  values: E,
  description: string,
  words: readonly EnumName<E>[] = enumNames(values),
): Kind<E[keyof E] | UnknownEnum> {
  return { ...oneOf(description, words), write: (value) => enumName(values, value) ?? "" };
}

/** An id: a prefix and 26 characters that sort by creation time. */
export function id(prefix: string, description: string): Kind<string> {
  const pattern = `^${prefix}_[0-9a-z]{26}$`;
  return text(description, `${prefix}_01hqz0000000000000000000ab`, { pattern });
}

/** A JSON number with exact digits. Clients read it with a decimal parser. */
export function decimal(description: string, example: string): Kind<string> {
  const examples = [exactNumber(example)];
  return {
    schema: { type: "number", format: "decimal", description, examples },
    write: exactNumber,
  };
}

/** A whole number that a float represents exactly. */
export function whole(
  description: string,
  example: number,
  more: JsonSchema = {},
): Kind<number | bigint> {
  return {
    schema: { type: "integer", description, minimum: 0, ...more, examples: [example] },
    write: (value) => exactNumber(String(value)),
  };
}

/** An object of texts under the merchant's own keys. */
export function pairs(
  description: string,
  example: object,
): Kind<{ readonly [key: string]: string }> {
  const more = { additionalProperties: { type: "string" }, examples: [example] };
  return { schema: { type: "object", description, ...more }, write: same };
}

export function flag(description: string, example: boolean): Kind<boolean> {
  return { schema: { type: "boolean", description, examples: [example] }, write: same };
}

/** A time in ISO 8601 format, in UTC with milliseconds. */
export function moment(description: string): Kind<Timestamp | undefined> {
  // Without a pattern: generators turn the text into a date, to which none applies.
  const more = { format: "date-time" };
  return { ...text(description, "2026-11-20T11:26:00.123Z", more), write: timeText };
}

/** A time. It is an empty text if the event has not happened yet. */
export function momentOrNone(description: string): Kind<Timestamp | undefined> {
  const pattern = "^(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z)?$";
  return { ...text(description, "", { pattern }), write: timeText };
}

function timeText(time: Timestamp | undefined): string {
  return time === undefined ? "" : isoTime(timestampDate(time));
}

/** A UTC day. */
export function day(description: string): Kind<string> {
  return text(description, "2026-11-20", { format: "date" });
}

export const recordTimes = {
  created_at: moment("When it was created."),
  updated_at: moment("When it last changed."),
} as const;

/** The schema of a cursor. Services write them in base64url, or as an id or a number. */
export const cursorShape = { type: "string", maxLength: 255, pattern: "^[A-Za-z0-9_-]*$" } as const;

/** A cursor of the next page. */
export function cursor(description: string, example: string): Kind<string> {
  return text(description, example, cursorShape);
}

/** An array of values of one kind. */
export function listOf<Value>(description: string, kind: Kind<Value>): Kind<readonly Value[]> {
  return {
    schema: { type: "array", description, items: kind.schema },
    write: (values) => values.map(kind.write),
  };
}

/**
 * A field that is omitted if it has no value. No value means undefined, `""`, `false` or an empty
 * list.
 */
export function optional<Value>(kind: Kind<Value>): Kind<Value | undefined> {
  const write = (value: Value | undefined) => {
    const isEmpty = !value || (Array.isArray(value) && value.length === 0);
    return isEmpty ? undefined : kind.write(value);
  };
  return { ...kind, write, isOptional: true };
}

/** A field whose value is read from a field of another name or computed from several fields. */
export function from<Message, const Name extends keyof Message>(
  name: Name,
  kind: Kind<Message[Name]>,
): Field<Message>;
export function from<Message, Value>(
  read: (message: Message) => Value,
  kind: Kind<Value>,
): Field<Message>;
export function from(
  source: string | ((message: never) => unknown),
  { write, ...kind }: Kind<unknown>,
): Field<never> {
  const read = typeof source === "string" ? (message: never) => message[source] : source;
  return { ...kind, read: (message) => write(read(message)) };
}

/** Copies the fields of a nested message to the outer message. */
export function within<Message, Part>(
  read: (message: Message) => Part | undefined,
  fields: Fields<Part>,
): Fields<Message> {
  const entries = Object.entries(fields).map(([name, field]) => [
    name,
    { ...field, read: (message: Message) => field.read(present(read(message))) },
  ]);
  return Object.fromEntries(entries);
}

/** Turns `source_amount` into `sourceAmount`. */
export type CamelCase<Name> = Name extends `${infer Head}_${infer Rest}`
  ? `${Head}${Capitalize<CamelCase<Rest>>}`
  : Name;

/**
 * Type of a table entry for which the message has no field. The type's name explains the compiler's
 * error.
 */
export type NoSuchField<Name> = { readonly "the message has no such field": Name };

/** Checks that each kind in a table fits the message's field of the same name. */
export type Matching<Message, Table> = {
  readonly [Name in keyof Table]: Table[Name] extends Kind<never>
    ? Kind<CamelCase<Name> extends keyof Message ? Message[CamelCase<Name>] : NoSuchField<Name>>
    : Table[Name];
};

/** The fields of a message without protobuf's own properties. Accepts any object of this shape. */
export type Shape<Desc extends DescMessage> = Omit<MessageShape<Desc>, "$typeName" | "$unknown">;

/**
 * The fields of a response. Each is a kind under the name of a message's field, or uses `from` to
 * read another source.
 */
export type TableOf<Desc extends DescMessage> = Readonly<
  Record<string, Kind<never> | Field<Shape<Desc>>>
>;

/**
 * Builds the fields of a table. A kind without its own source reads the message's field of the same
 * name.
 */
export function fields<Desc extends DescMessage, Table extends TableOf<Desc>>(
  desc: Desc,
  table: Table & Matching<Shape<Desc>, Table>,
): Fields<Shape<Desc>> {
  const entries = Object.entries<Kind<never> | Field<never>>(table).map(([name, entry]) => {
    if ("read" in entry) return [name, entry];
    const of = desc.fields.find((each) => each.name === name)?.localName;
    if (of === undefined) throw new Error(`${desc.typeName} has no field ${name}`);
    const { write, ...kind } = entry as Kind<unknown>;
    return [name, { ...kind, read: (message: never) => write(message[of]) }];
  });
  return Object.fromEntries(entries);
}

/** Builds the schema of an object. All its fields are required except the optional ones. */
export function objectSchema(
  description: string,
  its: Readonly<Record<string, Pick<Kind<never>, "schema" | "isOptional" | "isShownOnce">>>,
): JsonSchema {
  const all = Object.entries(its);
  const properties = Object.fromEntries(all.map(([name, { schema }]) => [name, schema]));
  const required = all.flatMap(([name, { isOptional }]) => (isOptional ? [] : [name]));
  const once = shownOnceOf(its);
  if (once.length > 0) properties[shownOnceField] = shownOnceSchema(once);
  return { type: "object", description, properties, required };
}

/**
 * Name of the field that lists the secrets that were returned only once. Only the response to a
 * repeat has this field.
 */
const shownOnceField = "shown_once";

function shownOnceSchema(names: readonly string[]): JsonSchema {
  return {
    type: "array",
    description:
      "Only in the response to a repeated request: the fields that the first response showed once, and that are empty here.",
    items: oneOf("A field's name.", names).schema,
  };
}

function shownOnceOf(
  its: Readonly<Record<string, Pick<Kind<never>, "isShownOnce">>>,
): readonly string[] {
  return Object.entries(its).flatMap(([name, { isShownOnce }]) => (isShownOnce ? [name] : []));
}

/** Removes secrets from a response before it is stored for replays. */
export function withoutSecrets(written: object, shownOnce: readonly string[]): object {
  const blank = Object.fromEntries(shownOnce.map((name) => [name, ""]));
  return { ...written, ...blank, [shownOnceField]: shownOnce };
}

export function object<Message>(description: string, its: Fields<Message>): Kind<Message> {
  const all = Object.entries(its);
  return {
    schema: objectSchema(description, its),
    shownOnce: shownOnceOf(its),
    write: (message) => {
      const values: Record<string, unknown> = {};
      for (const [name, { read }] of all) {
        const value = read(message);
        if (value !== undefined) values[name] = value;
      }
      return values;
    },
  };
}

/** An object that has its own name in the document. */
export function component<Message>(
  name: string,
  description: string,
  its: Fields<Message>,
): Component<Message> {
  return { name, ...object(description, its) };
}

/** Builds a component from a message and a table of the message's fields. */
export function record<Desc extends DescMessage, Table extends TableOf<Desc>>(
  desc: Desc,
  name: string,
  description: string,
  table: Table & Matching<Shape<Desc>, Table>,
): Component<Shape<Desc>> {
  return component(name, description, fields<Desc, Table>(desc, table));
}

export function schemaRef({ name }: NamedSchema): JsonSchema {
  return { $ref: `${componentPath}${name}` };
}

/** A field that references a component. If the message lacks its value, the service has a bug. */
export function ref<Value>(its: Component<Value>): Kind<Value | undefined> {
  return { schema: schemaRef(its), write: (value) => its.write(present(value)) };
}

/** Fields of every list response, in addition to its records. */
type PageReply = { totalCount: bigint; nextCursor: string; totalCountCapped: boolean };

/** The page information in a response. */
export const pageMeta = component<PageReply>("PageMeta", "Number of records, and the next page.", {
  total_count: from("totalCount", whole("Records on all pages together.", 1)),
  next_cursor: from("nextCursor", cursor("`cursor` of the next page; empty on the last.", "")),
  total_count_capped: from(
    "totalCountCapped",
    optional(flag("True if counting stopped at 10,000; otherwise omitted.", true)),
  ),
});

/** Builds a page from a list response. The field `list` contains the records. */
export function pageOf<Desc extends DescMessage, List extends keyof Shape<Desc> & string>(
  _desc: Desc,
  name: string,
  list: List,
  item: Component<Shape<Desc>[List] extends readonly (infer Item)[] ? Item : never>,
  publicList: string = list,
): Component<Shape<Desc>> {
  const records = listOf("The records of this page.", ref(item)) as Kind<unknown>;
  return component<Shape<Desc>>(name, "A page of a list.", {
    [publicList]: from((reply) => reply[list], records),
    meta_data: from((reply) => reply as unknown as PageReply, ref(pageMeta)),
  });
}

/**
 * Returns a value that the contract requires. Throws if it is missing, which is a bug in the
 * service.
 */
export function present<Value>(value: Value | undefined): Value {
  if (value === undefined)
    throw new Error("a service's response lacks a value that its contract requires");
  return value;
}

function same<Value>(value: Value): Value {
  return value;
}
