import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import { SaxesParser } from "saxes";

/** An element of a report: local name, attributes, elements below, own text without white space. */
export type XmlElement = {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  readonly text: string;
};

type OpenElement = XmlElement & { readonly children: XmlElement[]; text: string };

/** Why a file as a whole cannot be read; `detail` has no content of it. */
export type Unreadable = Refused<"UNREADABLE">;

/** Takes an element once it ends; its parent then does not keep it. `false`: it is kept. */
export type TakeElement = (element: XmlElement, parent: string) => boolean;

/** A statement of 50,000 entries; more at once is no file of a bank. */
const bytesMax = 64 * 2 ** 20;

/** The deepest path of these messages has 20 levels. */
const depthMax = 64;

class HostileXml extends Error {}

/**
 * The root of an XML file. Refuses document types (and so entities and external files), more than
 * 64 levels or 64 MiB, and text that is not in its encoding. `take` sees elements as they end, so
 * that a long statement is never whole in memory.
 */
export function readXml(bytes: Uint8Array, take: TakeElement): XmlElement | Unreadable {
  if (bytes.length > bytesMax) return refused("UNREADABLE", `has more than ${bytesMax} bytes`);
  const text = decoded(bytes);
  if (typeof text !== "string") return text;
  const parser = new SaxesParser();
  try {
    return rootOf(parser, text, take);
  } catch (error) {
    // What the parser says of it may quote content.
    const problem = error instanceof HostileXml ? error.message : "is not well-formed XML";
    return refused("UNREADABLE", `line ${parser.line}: ${problem}`);
  }
}

function rootOf(parser: SaxesParser, text: string, take: TakeElement): XmlElement {
  const open: OpenElement[] = [];
  let root: XmlElement | undefined;
  parser.on("doctype", () => {
    throw new HostileXml("declares a document type or entities");
  });
  parser.on("opentag", ({ name, attributes }) => {
    if (open.length >= depthMax) throw new HostileXml(`is more than ${depthMax} levels deep`);
    open.push({ name: localName(name), attributes, children: [], text: "" });
  });
  const addText = (part: string): void => {
    const element = open.at(-1);
    if (element !== undefined) element.text += part;
  };
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("closetag", () => {
    const element = open.pop();
    if (element === undefined) return;
    element.text = element.text.trim();
    const parent = open.at(-1);
    if (parent === undefined) root = element;
    else if (!take(element, parent.name)) parent.children.push(element);
  });
  parser.write(text).close();
  if (root === undefined) throw new HostileXml("has no element");
  return root;
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

/** Encodings that banks send; a byte order mark decides before the declaration. */
const encodings: ReadonlyMap<string, string> = new Map([
  ["utf-8", "utf-8"],
  ["utf8", "utf-8"],
  ["us-ascii", "utf-8"],
  ["iso-8859-1", "iso-8859-1"],
  ["iso-8859-15", "iso-8859-15"],
  ["windows-1252", "windows-1252"],
]);

function decoded(bytes: Uint8Array): string | Unreadable {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 200));
  const declared = /^(?:ï»¿)?\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.-]+)["']/.exec(head)?.[1];
  const marked = /^(?:þÿ|ÿþ)/.exec(head)?.[0];
  const encoding =
    marked === undefined
      ? encodings.get(declared?.toLowerCase() ?? "utf-8")
      : { þÿ: "utf-16be", ÿþ: "utf-16le" }[marked];
  if (encoding === undefined) return refused("UNREADABLE", "its encoding is not known");
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return refused("UNREADABLE", `is not text in ${encoding}`);
  }
}

/** The elements below one, by a path of names: `Tp/CdOrPrtry`. */
export function elementsAt(element: XmlElement, path: string): XmlElement[] {
  return path
    .split("/")
    .reduce<XmlElement[]>(
      (found, name) =>
        found.flatMap(({ children }) => children.filter((child) => child.name === name)),
      [element],
    );
}

/** The first element of a path. */
export function elementAt(element: XmlElement, path: string): XmlElement | undefined {
  let found: XmlElement | undefined = element;
  for (const name of path.split("/")) found = found?.children.find((child) => child.name === name);
  return found;
}

/** The text of the first element of a path in one line; `undefined` where there is none. */
export function textAt(element: XmlElement, path: string): string | undefined {
  const text = elementAt(element, path)?.text.replace(/\s+/g, " ");
  return text === "" ? undefined : text;
}
