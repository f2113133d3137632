import { parseXml, XmlElement, XmlError } from "@rgrove/parse-xml";
import { fileText } from "./file-bytes.ts";
import type { ListFile } from "./list-format.ts";
import { Unreadable } from "./unreadable.ts";

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

function checkDepth(text: string): void {
  let depth = 0;
  for (const tag of text.matchAll(/<(\/?)[^\s<>!?/][^<>]*?(\/?)>/g)) {
    if (tag[1] === "/") depth -= 1;
    else if (tag[2] !== "/") depth += 1;
    if (depth > depthMax) {
      throw new Unreadable(`line ${lineOf(text, tag.index)}: is more than ${depthMax} levels deep`);
    }
  }
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
