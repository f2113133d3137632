import { type JsonObject, type JsonValue, ScalarType } from "@bufbuild/protobuf";
import type {
  CallCommand,
  Described,
  Option,
  RequestCommand,
  Source,
} from "@disburse/commands/table/command.ts";
import { choicesOf, fieldAt, jsonOfText, setAt } from "@disburse/commands/table/fields.ts";
import { InputError } from "@disburse/commands/table/input-error.ts";
import { valueAt } from "@disburse/commands/table/plain.ts";
import { requestOf } from "@disburse/commands/table/request.ts";

/** The texts of a form, by the fields' keys. A value of a removed list item is undefined. */
export type Values = Readonly<Record<string, string | undefined>>;

/** Returns the values that have a text. */
export const textsIn = (values: Values): Record<string, string> =>
  Object.fromEntries(Object.entries(values).flatMap(([key, text]) => (text ? [[key, text]] : [])));

/** A field of an action's form. */
export type ActionField = {
  /** The name in the form's values and in the page's address. */
  readonly key: string;
  /** The label in errors of the request: `<merchant>`, `--note`. */
  readonly label: string;
  readonly title: string;
  readonly hint: string;
  readonly path: string;
  readonly kind: "text" | "lines" | "choice" | "flag" | "file" | "many";
  readonly isRequired: boolean;
  /** True for an argument, which names the record. */
  readonly isKey: boolean;
  readonly choices: readonly string[];
  readonly source?: Source | undefined;
};

export const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** Returns a name as words: `account_id` and `accountId` are "Account id". */
export const titleOf = (name: string): string =>
  sentence(
    name
      .replaceAll(/[-_]/g, " ")
      .replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
  );

/** The path of an action's page: `rails-pause`. */
export const slugOf = ({ name }: Pick<Described, "name">): string => name.replaceAll(" ", "-");

type Given = Option & { label: string; isRequired: boolean; isKey: boolean };

/** Returns the fields of an action, without those of lists' items. */
export function fieldsOf(command: RequestCommand): readonly ActionField[] {
  const { arguments: positional = [], options = [], file, method } = command;
  const given: readonly Given[] = [
    ...positional.map(({ isOptional = false, ...each }) => {
      const shared = { value: "text", label: `<${each.name}>`, isKey: true };
      return { ...each, ...shared, isRequired: !isOptional };
    }),
    ...options.map((each) => {
      return { isRequired: false, ...each, label: `--${each.name}`, isKey: false };
    }),
  ];
  const own = given.flatMap(({ name, about, field, label, isRequired, isKey, ...each }) => {
    if (field === undefined) return [];
    const shown = { key: name, label, title: titleOf(name), hint: sentence(about), path: field };
    const choices = each.choices ?? choicesIn(command, field);
    const single = each.isText ? "lines" : kindOf(choices);
    const kind = each.isFile ? "file" : each.value === "" ? "flag" : each.isMany ? "many" : single;
    return [{ ...shown, kind, isRequired, isKey, choices, source: each.source } as const];
  });
  const ofFile = (file?.fields ?? []).filter(({ field }) => !field.includes("*"));
  return [
    ...own,
    ...ofFile.map(({ field, about }) => {
      const choices = choicesIn({ method }, field);
      const shown = { key: field, label: field, title: sentence(about), hint: "", path: field };
      return { ...shown, kind: kindOf(choices), isRequired: false, isKey: false, choices };
    }),
  ];
}

const kindOf = (choices: readonly string[]): ActionField["kind"] =>
  choices.length > 0 ? "choice" : "text";

function choicesIn({ method }: Pick<RequestCommand, "method">, path: string): readonly string[] {
  const field = fieldAt(method.input, path);
  return choicesOf(field) ?? (field.scalar === ScalarType.BOOL ? ["yes", "no"] : []);
}

/** A list of the request whose items a person adds and removes, with the fields of each. */
export type ItemList = {
  readonly path: string;
  readonly fields: readonly { readonly name: string; readonly title: string }[];
};

export function listsOf({ file }: RequestCommand): readonly ItemList[] {
  const fields = (file?.fields ?? []).filter(({ field }) => field.includes(".*."));
  const paths = [...new Set(fields.map(({ field }) => field.split(".*.")[0] ?? ""))];
  return paths.map((path) => ({
    path,
    fields: fields
      .filter(({ field }) => field.startsWith(`${path}.*.`))
      .map(({ field, about }) => ({ name: field.split(".*.")[1] ?? "", title: sentence(about) })),
  }));
}

/** Returns the fields of a list's item with their keys in the form. */
export const itemFields = ({ path, fields }: ItemList, at: number) =>
  fields.map((field) => ({ ...field, key: `${path}.${at}.${field.name}` }));

/** Returns the numbers of a list's items in the form. */
export function itemsIn(values: Values, { path }: ItemList): readonly number[] {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  const keys = entries.flatMap(([key]) => (key.startsWith(`${path}.`) ? [key] : []));
  const numbers = keys.map((key) => Number(key.slice(path.length + 1).split(".")[0]));
  return [...new Set(numbers)].toSorted((one, two) => one - two);
}

const lines = (text: string | undefined) =>
  (text ?? "").split(/[\n,]/).flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));

/** Builds the request. Throws an `InputError` for a value that doesn't fit. */
export function requestIn(command: RequestCommand, values: Values): JsonObject {
  const fields = fieldsOf(command);
  const byLabel = new Map(fields.map((field) => [field.label, field]));
  const textOf = (label: string) => values[byLabel.get(label)?.key ?? ""]?.trim() || undefined;
  const isFlag = (label: string) => byLabel.get(label)?.kind === "flag";
  for (const { label, isRequired } of fields) {
    if (isRequired && textOf(label) === undefined) throw new InputError("is required", { label });
  }
  const json = requestOf(command, {
    text: (label) => (isFlag(label) ? undefined : textOf(label)),
    many: (label) => lines(textOf(label)),
    has: (label) => isFlag(label) && textOf(label) === "yes",
  });
  for (const { kind, label, path } of fields) {
    const text = textOf(label);
    if (kind === "file" && text !== undefined) json[path] = text.slice(text.indexOf("\n") + 1);
  }
  const { input } = command.method;
  const setText = (path: string, label: string, text: string | undefined) => {
    if (text) setAt(json, path, jsonOfText(fieldAt(input, path), label, text.trim()));
  };
  if (command.file === undefined) return json;
  for (const { key, label, path } of fields) if (key === path) setText(path, label, values[key]);
  for (const list of listsOf(command)) {
    const isFilled = (at: number) => itemFields(list, at).some(({ key }) => values[key]?.trim());
    for (const [place, at] of itemsIn(values, list).filter(isFilled).entries()) {
      for (const { name, key } of itemFields(list, at)) {
        setText(`${list.path}.${place}.${name}`, key, values[key]);
      }
    }
  }
  return json;
}

/**
 * Builds the request of a reviewed form. An action that changes only what it is sent gets the fields
 * that differ from the record.
 */
export function reviewedRequest(command: CallCommand, before: Values, values: Values): JsonObject {
  if (command.current?.isPartial !== true) return requestIn(command, values);
  const text = (of: Values, key: string) => of[key]?.trim() ?? "";
  const sent = fieldsOf(command).filter(
    ({ key, isKey }) => isKey || text(values, key) !== text(before, key),
  );
  const json = requestIn(command, Object.fromEntries(sent.map(({ key }) => [key, values[key]])));
  for (const { key, label, path, kind, isKey } of sent) {
    if (isKey || text(values, key) !== "") continue;
    if (kind !== "text") throw new InputError("can't be removed", { label });
    setAt(json, path, "");
  }
  return json;
}

/** Returns the values of an address that the form shows. */
export function valuesFrom(command: RequestCommand, search: Values): Record<string, string> {
  const shown = fieldsOf(command).flatMap(({ key, kind, choices }) => {
    const text = search[key];
    const isShown =
      kind === "choice" ? choices.includes(text ?? "") : kind === "flag" ? text === "yes" : true;
    return text && kind !== "file" && isShown ? [[key, text] as const] : [];
  });
  return Object.fromEntries(shown);
}

/** Returns the values that mean the same in another action, because they fill the same field. */
export function sharedValues(from: CallCommand, to: CallCommand, values: Values): Values {
  const paths = new Map(fieldsOf(from).map(({ key, path }) => [key, path]));
  const same = fieldsOf(to).filter(({ key, path }) => paths.get(key) === path);
  return Object.fromEntries(same.map(({ key }) => [key, values[key]]));
}

function textIn(value: JsonValue | undefined): string {
  if (Array.isArray(value)) return value.map(textIn).join("\n");
  if (value === undefined || value === null || typeof value === "object") return "";
  return typeof value === "boolean" ? (value ? "yes" : "no") : String(value);
}

/** Returns the form's values for a record as it is now. */
export function valuesOf(command: CallCommand, record: JsonObject): Values {
  const at = command.current?.at ?? "";
  const inside = (path: string) => (at === "" ? path : path.slice(at.length + 1));
  const read = (path: string) => textIn(valueAt(record, inside(path)));
  const own = fieldsOf(command).map(({ key, path }) => [key, read(path)] as const);
  const items = listsOf(command).flatMap((list) => {
    const all = valueAt(record, inside(list.path));
    const places = Array.isArray(all) ? [...all.keys()] : [];
    const fields = places.flatMap((place) => itemFields(list, place));
    return fields.map(({ key }) => [key, read(key)] as const);
  });
  return Object.fromEntries([...own, ...items].filter(([, text]) => text !== ""));
}

export type Change = { readonly title: string; readonly before: string; readonly after: string };

/** Returns the fields whose values differ, in words. */
export function changesIn(command: CallCommand, before: Values, after: Values): readonly Change[] {
  // What names the record is shown apart.
  const fields = fieldsOf(command).filter(({ isKey }) => !isKey || command.current === undefined);
  const own = fields.map(({ key, title, kind }) => {
    const text = (values: Values) =>
      kind === "file" ? (values[key]?.split("\n")[0] ?? "") : (values[key]?.trim() ?? "");
    return { title, before: text(before), after: text(after) };
  });
  const items = listsOf(command).flatMap((list) => {
    const places = new Set([before, after].flatMap((each) => itemsIn(each, list)));
    return [...places].flatMap((place) =>
      itemFields(list, place).map(({ title, key }) => {
        const of = { before: before[key] ?? "", after: after[key] ?? "" };
        return { title: `${title} (${place + 1})`, ...of };
      }),
    );
  });
  return [...own, ...items].filter((each) => each.before !== each.after);
}
