import { isCalendarDate } from "@disburse/kernel/time.ts";
import { type Money, readMoney } from "../../text/minor-units.ts";
import { textAt, type XmlElement } from "./xml.ts";

/** What could not be read, and where; without content. An operator looks at the file itself. */
export type Unread = { readonly place: string; readonly problem: string };

/** A reason as a bank gives it: of ISO 20022's lists, of its own list, in words. */
export type Reason = {
  readonly code?: string;
  readonly proprietary?: string;
  readonly text?: string;
};

/** Where a value was read, and where to name what could not be. */
export class Place {
  readonly #path: string;
  readonly #unread: Unread[];

  constructor(path: string, unread: Unread[]) {
    this.#path = path;
    this.#unread = unread;
  }

  /** A place below this one. */
  at(path: string): Place {
    return new Place(`${this.#path}/${path}`, this.#unread);
  }

  /** Names what could not be read. */
  unread(problem: string): undefined {
    this.#unread.push({ place: this.#path, problem });
    return undefined;
  }
}

/** A value with those of its fields that are there. */
export function present<T extends object>(fields: { [Key in keyof T]: T[Key] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

/** The amount of an element with a currency; `undefined` without one, named where unreadable. */
export function moneyAt(element: XmlElement | undefined, place: Place): Money | undefined {
  if (element === undefined) return undefined;
  const amount = readMoney(element.text, element.attributes.Ccy ?? "");
  return amount ?? place.unread("is not an amount of its currency");
}

/** The day of a date, or of a time as the bank writes it in its own zone. */
export function dayAt(element: XmlElement | undefined, place: Place): string | undefined {
  if (element === undefined) return undefined;
  const text = textAt(element, "Dt") ?? textAt(element, "DtTm") ?? element.text;
  const day = text.slice(0, 10);
  return isCalendarDate(day) ? day : place.unread("is not a day");
}

/** The text of a reference; a bank says `NOTPROVIDED` where there is none. */
export function referenceAt(element: XmlElement, path: string): string | undefined {
  const text = textAt(element, path);
  return text === undefined || /^NOT ?PROVIDED$/i.test(text) ? undefined : text;
}

/** The reason of an element with `Rsn` and `AddtlInf`. */
export function reasonOf(element: XmlElement): Reason {
  const lines = element.children.filter(({ name }) => name === "AddtlInf").map(({ text }) => text);
  return present<Reason>({
    code: textAt(element, "Rsn/Cd"),
    proprietary: textAt(element, "Rsn/Prtry"),
    text: lines.length === 0 ? undefined : lines.join(" "),
  });
}

/** Versions whose files were read field by field; another one is read by the same names. */
const versionsRead: ReadonlySet<string> = new Set([
  ...["pain.002.001.03", "pain.002.001.11", "camt.053.001.02", "camt.053.001.08"],
  ...["camt.054.001.02", "camt.054.001.08"],
  ...["camt.052.001.02", "camt.052.001.08"],
]);

/** The message and version that a document says it is. */
export function versionOf(root: XmlElement, place: Place): string | undefined {
  const namespace = Object.entries(root.attributes).find(([name]) => /^xmlns(?::|$)/.test(name));
  const version = /^urn:iso:std:iso:20022:tech:xsd:([a-z]{4}\.\d{3}\.\d{3}\.\d{2})$/.exec(
    namespace?.[1] ?? "",
  )?.[1];
  if (version === undefined) return place.unread("does not say its version");
  if (!versionsRead.has(version)) place.unread("is of a version that was not tried");
  return version;
}
