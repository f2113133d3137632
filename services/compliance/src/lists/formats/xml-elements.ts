import { parseXml, XmlElement, XmlError } from "@rgrove/parse-xml";
import { fileText, type ListFile, Unreadable } from "./file-bytes.ts";

export type { XmlElement };

/** That list has five levels; the parser goes down them by recursion. */
const depthMax = 64;

/**
 * The root of an XML file. A file with a document type is refused before it is parsed: entities
 * are declared there, and no list needs one.
 */
export function parsedXml(file: ListFile): XmlElement {
  const text = fileText(file);
  const declaration = text.search(/<!(?:DOCTYPE|ENTITY)/i);
  if (declaration >= 0) {
    throw new Unreadable(`line ${lineOf(text, declaration)}: declares a document type or entities`);
  }
  checkDepth(text);
  try {
    const { root } = parseXml(text);
    if (root === null) throw new Unreadable("line 1: has no element");
    return root;
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    const problem = error.message.split(" (line")[0] ?? "";
    throw new Unreadable(`line ${error.line}: is not XML: ${problem}`, { cause: error });
  }
}

function lineOf(text: string, place: number): number {
  return text.slice(0, place).split("\n").length;
}

/** What may hold anything that looks like a tag, from its start to its end. */
const notTags = [
  ["<!--", "-->"],
  ["<![CDATA[", "]]>"],
  ["<?", "?>"],
] as const;

function checkDepth(text: string): void {
  let depth = 0;
  for (let at = text.indexOf("<"); at >= 0; ) {
    const other = notTags.find(([start]) => text.startsWith(start, at));
    const end =
      other === undefined ? tagEnd(text, at) : text.indexOf(other[1], at + other[0].length);
    // The parser gets no further than something that has no end.
    if (end < 0) return;
    if (other === undefined) depth += levelsOf(text, at, end);
    if (depth > depthMax) {
      throw new Unreadable(`line ${lineOf(text, at)}: is more than ${depthMax} levels deep`);
    }
    at = text.indexOf("<", end);
  }
}

/** The `>` of a tag: its quoted values may hold some too; -1 where there is none. */
function tagEnd(text: string, start: number): number {
  for (let at = start; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === ">") return at;
    if (sign !== '"' && sign !== "'") continue;
    at = text.indexOf(sign, at + 1);
    if (at < 0) return at;
  }
  return -1;
}

/** How much deeper it is after a tag. */
function levelsOf(text: string, start: number, end: number): number {
  if (text[start + 1] === "/") return -1;
  return text[end - 1] === "/" ? 0 : 1;
}

/** The elements right below one. */
export function elementsIn({ children }: XmlElement): XmlElement[] {
  return children.filter((child) => child instanceof XmlElement);
}

/** The text of the first element of a name right below, in one line; "" where there is none. */
export function textIn(element: XmlElement, name: string): string {
  const found = elementsIn(element).find((child) => child.name === name);
  return found?.text.replace(/\s+/g, " ").trim() ?? "";
}
