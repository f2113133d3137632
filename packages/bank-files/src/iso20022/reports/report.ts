import { isCalendarDate } from "@disburse/kernel/time.ts";
import { type Money, readMoney } from "../../text/minor-units.ts";
import { elementAt, leaves, type Shape, textAt, type XmlElement } from "./xml.ts";

/**
 * An unreadable part of a file. It omits the part's text, which operators read in the file itself.
 */
export type Unread = { readonly place: string; readonly problem: string };

/** A bank's reason: a code of ISO 20022's lists, a code of its own list, or words. */
export type Reason = {
  readonly code?: string;
  readonly proprietary?: string;
  readonly text?: string;
};

/** The maximum number of listed problems per document. Further problems are only counted. */
const unreadMax = 1_000;

/** Collects the unreadable parts of a document. */
export class UnreadList {
  readonly #all: Unread[] = [];
  #more = 0;

  add(place: string, problem: string): void {
    if (this.#all.length < unreadMax) this.#all.push({ place, problem });
    else this.#more += 1;
  }

  /**
   * Returns the problems in order of occurrence. The last item is the number of problems that are
   * not listed, if any.
   */
  all(): Unread[] {
    if (this.#more === 0) return this.#all;
    return [...this.#all, { place: "file", problem: `has ${this.#more} more problems` }];
  }
}

/** The position of a value in a document. Problems are reported with it. */
export class Place {
  readonly #name: string;
  readonly #unread: UnreadList;
  readonly #parent: Place | undefined;

  constructor(name: string, unread: UnreadList, parent?: Place) {
    this.#name = name;
    this.#unread = unread;
    this.#parent = parent;
  }

  /** Returns a place below this one. */
  at(name: string): Place {
    return new Place(name, this.#unread, this);
  }

  /** Reports a problem at this place. */
  unread(problem: string): undefined {
    this.#unread.add(this.#path(), problem);
    return undefined;
  }

  /** Reports the damaged texts of an element. */
  unreadTexts({ faults = [] }: XmlElement): void {
    for (const { path, problem } of faults) this.at(path).unread(problem);
  }

  /** Builds the path on demand. Most places never report a problem. */
  #path(): string {
    return this.#parent === undefined ? this.#name : `${this.#parent.#path()}/${this.#name}`;
  }
}

/** Omits fields that are `undefined`. */
export function present<T extends object>(fields: { [Key in keyof T]: T[Key] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

/** Returns `undefined` if the amount is absent or unreadable. Reports an unreadable amount. */
export function moneyAt(element: XmlElement | undefined, place: Place): Money | undefined {
  if (element === undefined) return undefined;
  const amount = readMoney(element.text, element.attributes.Ccy ?? "");
  return amount ?? place.unread("is not an amount of its currency");
}

/** Returns the day of a date or of a date with time. The day is in the bank's time zone. */
export function dayAt(element: XmlElement | undefined, place: Place): string | undefined {
  if (element === undefined) return undefined;
  const text = textAt(element, "Dt") ?? textAt(element, "DtTm") ?? element.text;
  const day = text.slice(0, 10);
  return isCalendarDate(day) ? day : place.unread("is not a day");
}

/**
 * Texts that mean "no reference": ISO 20022's `NOTPROVIDED`, SWIFT MT's `NONREF`, and fillers of
 * zeros or punctuation.
 */
const noReference = /^(?:NOT ?PROVIDED|NONREF|[0\p{P}\p{S}\s]*)$/iu;

/** Returns `undefined` for a missing reference. */
export function referenceAt(element: XmlElement, path: string): string | undefined {
  const text = textAt(element, path);
  return text === undefined || noReference.test(text) ? undefined : text;
}

/** The elements of a reason. Older versions use other names. */
export const reasonShape: Shape = {
  Rsn: leaves("Cd", "Prtry"),
  StsRsn: leaves("Cd", "Prtry"),
  RtrRsn: leaves("Cd", "Prtry"),
  ...leaves("AddtlInf", "AddtlStsRsnInf", "AddtlRtrRsnInf"),
};

/** The kept elements that may occur several times below one parent. */
export const repeated: ReadonlySet<string> = new Set([
  ...["StsRsnInf", "AddtlInf", "AddtlStsRsnInf", "AddtlRtrRsnInf"],
  ...["Bal", "Chrgs", "Rcrd"],
]);

const reasonNames = ["Rsn", "StsRsn", "RtrRsn"] as const;

/** The maximum characters of one reason's lines. */
const reasonTextMax = 1_000;

/** Reads the reason of an element with `Rsn` and `AddtlInf`. */
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

/** The supported versions of each message. `unread` reports any other version. */
const editionsRead: Readonly<Record<string, readonly [first: number, last: number]>> = {
  "pain.002.001": [3, 13],
  "camt.052.001": [2, 12],
  "camt.053.001": [2, 12],
  "camt.054.001": [2, 12],
};

/** Reads the version of a message from the namespace of its root, such as `camt.053.001.08`. */
export function versionOf(namespace: string | undefined, place: Place): string | undefined {
  // National variants add a prefix or a suffix to the ISO name.
  const found = /(?:^|[:/$])([a-z]{4}\.\d{3}\.\d{3})\.(\d{2})(?=$|[./_-])/.exec(namespace ?? "");
  if (found === null) return place.unread("has no version");
  const [, message = "", edition = ""] = found;
  const [first, last] = editionsRead[message] ?? [0, -1];
  const isRead = first <= Number(edition) && Number(edition) <= last;
  if (!isRead) place.unread("is of a version that was not tried");
  return `${message}.${edition}`;
}

/**
 * Reads a boolean of XML Schema. An absent element is `false`. Reports any text other than a
 * boolean.
 */
export function flagAt(element: XmlElement, name: string, place: Place): boolean | undefined {
  const text = elementAt(element, name)?.text ?? "false";
  if (/^(?:true|1)$/.test(text)) return true;
  if (/^(?:false|0)$/.test(text)) return false;
  return place.at(name).unread("is neither true nor false");
}
