import { isCalendarDate } from "@disburse/kernel/time.ts";
import { type Money, readMoney } from "../../text/minor-units.ts";
import { elementAt, leaves, type Shape, textAt, type XmlElement } from "./xml.ts";

/** What could not be read, and where; without content. An operator looks at the file itself. */
export type Unread = { readonly place: string; readonly problem: string };

/** A reason as a bank gives it: of ISO 20022's lists, of its own list, in words. */
export type Reason = {
  readonly code?: string;
  readonly proprietary?: string;
  readonly text?: string;
};

/** More problems of one document are counted and not named. */
const unreadMax = 1_000;

/** Collects what could not be read of a document. */
export class UnreadList {
  readonly #all: Unread[] = [];
  #more = 0;

  add(place: string, problem: string): void {
    if (this.#all.length < unreadMax) this.#all.push({ place, problem });
    else this.#more += 1;
  }

  /** The problems, in their order; the last one counts those that are not named. */
  all(): Unread[] {
    if (this.#more === 0) return this.#all;
    return [...this.#all, { place: "file", problem: `has ${this.#more} more problems` }];
  }
}

/** Where a value was read, and where to name what could not be. */
export class Place {
  readonly #name: string;
  readonly #unread: UnreadList;
  readonly #parent: Place | undefined;

  constructor(name: string, unread: UnreadList, parent?: Place) {
    this.#name = name;
    this.#unread = unread;
    this.#parent = parent;
  }

  /** A place below this one. */
  at(name: string): Place {
    return new Place(name, this.#unread, this);
  }

  /** Names what could not be read. */
  unread(problem: string): undefined {
    this.#unread.add(this.#path(), problem);
    return undefined;
  }

  /** Names the texts of an element that are damaged. */
  unreadTexts({ faults = [] }: XmlElement): void {
    for (const { path, problem } of faults) this.at(path).unread(problem);
  }

  /** Places are many and problems few: the path is made when it is needed. */
  #path(): string {
    return this.#parent === undefined ? this.#name : `${this.#parent.#path()}/${this.#name}`;
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

/** What banks write where there is no reference: of ISO 20022, of SWIFT's MT, and fillers. */
const noReference = /^(?:NOT ?PROVIDED|NONREF|[0\p{P}\p{S}\s]*)$/iu;

/** The text of a reference; `undefined` where there is none. */
export function referenceAt(element: XmlElement, path: string): string | undefined {
  const text = textAt(element, path);
  return text === undefined || noReference.test(text) ? undefined : text;
}

/** The elements of a reason; the older editions name them otherwise. */
export const reasonShape: Shape = {
  Rsn: leaves("Cd", "Prtry"),
  StsRsn: leaves("Cd", "Prtry"),
  RtrRsn: leaves("Cd", "Prtry"),
  ...leaves("AddtlInf", "AddtlStsRsnInf", "AddtlRtrRsnInf"),
};

/** The elements of messages that are kept and may stand several times. */
export const repeated: ReadonlySet<string> = new Set([
  ...["StsRsnInf", "AddtlInf", "AddtlStsRsnInf", "AddtlRtrRsnInf"],
  ...["Bal", "Chrgs", "Rcrd"],
]);

const reasonNames = ["Rsn", "StsRsn", "RtrRsn"] as const;

/** Lines of one reason are kept up to here. */
const reasonTextMax = 1_000;

/** The reason of an element with `Rsn` and `AddtlInf`. */
export function reasonOf(element: XmlElement, place: Place): Reason {
  const text = element.children
    .filter(({ name }) => /^Addtl/.test(name))
    .map((line) => line.text)
    .join(" ");
  if (text.length > reasonTextMax) {
    place.at("AddtlInf").unread(`is cut off after ${reasonTextMax} characters`);
  }
  const at = (kind: "Cd" | "Prtry") => {
    return reasonNames.map((name) => textAt(element, `${name}/${kind}`)).find(isPresent);
  };
  return present<Reason>({
    code: at("Cd"),
    proprietary: at("Prtry"),
    text: text === "" ? undefined : text.slice(0, reasonTextMax),
  });
}

function isPresent<T>(value: T | undefined): value is T {
  return value !== undefined;
}

/** Editions whose elements are those that are read here; of others `unread` says so. */
const editionsRead: Readonly<Record<string, readonly [first: number, last: number]>> = {
  "pain.002.001": [3, 13],
  "camt.052.001": [2, 12],
  "camt.053.001": [2, 12],
  "camt.054.001": [2, 12],
};

/** The edition of a message by the namespace of its root: `camt.053.001.08`. */
export function versionOf(namespace: string | undefined, place: Place): string | undefined {
  // National variants have a prefix or a suffix of their own.
  const found = /(?:^|[:/$])([a-z]{4}\.\d{3}\.\d{3})\.(\d{2})(?=$|[./_-])/.exec(namespace ?? "");
  if (found === null) return place.unread("does not say its version");
  const [, message = "", edition = ""] = found;
  const [first, last] = editionsRead[message] ?? [0, -1];
  const isRead = first <= Number(edition) && Number(edition) <= last;
  if (!isRead) place.unread("is of a version that was not tried");
  return `${message}.${edition}`;
}

/** A flag as XML Schema writes it; an absent one is `false`, and any other text is named. */
export function flagAt(element: XmlElement, name: string, place: Place): boolean | undefined {
  const text = elementAt(element, name)?.text ?? "false";
  if (/^(?:true|1)$/.test(text)) return true;
  if (/^(?:false|0)$/.test(text)) return false;
  return place.at(name).unread("is neither true nor false");
}
