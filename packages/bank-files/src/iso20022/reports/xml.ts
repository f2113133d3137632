import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import { SaxesParser, type SaxesTagPlain } from "saxes";
import { fileBytesMax, isCard, replacement, tooLarge, xmlText } from "../../normalise/text.ts";
import { ownText } from "../../text/own-text.ts";

/** An element of a message: local name, attributes, child elements and its own trimmed text. */
export type XmlElement = {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  readonly text: string;
  /** Damaged texts in the element, by their paths. */
  readonly faults?: readonly TextFault[];
};

/** A damaged text; `path` leads to it from an element. */
export type TextFault = { readonly path: string; readonly problem: string };

type OpenElement = Pick<XmlElement, "name" | "attributes"> & {
  readonly children: OpenElement[];
  readonly shape: Shape;
  text: string;
  faults?: TextFault[];
};

/** The reason why a whole file is unreadable. `detail` contains no content of the file. */
export type Unreadable = Refused<"UNREADABLE">;

/**
 * The elements of a message to keep, by local name. All others are dropped without reading them.
 */
export type Shape = { readonly [name: string]: Shape };

/** Elements without child elements. */
export function leaves(...names: readonly string[]): Shape {
  return Object.fromEntries(names.map((name) => [name, {}]));
}

/** Reads one message, element by element. */
export type MessageReader<Document> = {
  readonly shape: Shape;
  /**
   * The kept elements that may occur several times below one parent. Repeats of any other element
   * are merged into one.
   */
  readonly repeated: ReadonlySet<string>;
  /**
   * Called at the end of each element. After `true`, the parent drops the element to save memory.
   * After `false`, the parent keeps it.
   */
  take(element: XmlElement, parent: string): boolean;
  /**
   * Called at the end of the root element. Returns the parsed message. `namespace` is that of the
   * root.
   */
  end(root: XmlElement, namespace: string | undefined): Document;
};

/** Returns the reader of a message by the local name of its root, or `undefined` if unknown. */
export type ReaderFor<Document> = (name: string) => MessageReader<Document> | undefined;

/**
 * All messages of a file. `outside` counts the lines outside of messages, except transmission
 * cards.
 */
export type XmlFile<Document> = {
  readonly documents: readonly Document[];
  readonly outside: number;
};

/**
 * The maximum depth of elements. The deepest path of the supported messages has 20 levels, and
 * envelopes add a few.
 */
const depthMax = 64;

/**
 * The maximum length of one text. References have at most 35 characters, and lines of a reason 105.
 */
const textMax = 1_000;

/**
 * The maximum length of one text, comment or tag. Real ones have a few hundred characters, so a
 * longer one is an attack or a defect.
 */
const unbrokenMax = 1_048_576;

/** The maximum kept length of a line between documents. Of a longer line, only the end is kept. */
const heldMax = 4_096;

/** Padding between documents: control characters, and a byte order mark read as Latin-1. */
const noText = /\u00ef\u00bb\u00bf|\ufffd/g;

const malformed = "is not well-formed XML";

class UnreadableXml extends Error {}

/**
 * Reads all messages of a file. Documents may follow each other, each with its own XML declaration,
 * and may be in envelopes. Refuses the whole file if one document is unreadable, has more than 64
 * levels, declares a document type (and so entities), or is an unknown message. To save memory, it
 * keeps only the elements of the reader's shape, and drops an element as soon as the reader takes
 * it.
 */
export function readXml<Document>(
  chunks: Iterable<string>,
  readerFor: ReaderFor<Document>,
): XmlFile<Document> | Unreadable {
  const file = new XmlFileReader(readerFor);
  try {
    for (const chunk of chunks) file.write(chunk);
    return file.end();
  } catch (error) {
    if (!(error instanceof UnreadableXml)) throw error;
    return refused("UNREADABLE", `line ${file.line}: ${error.message}`);
  }
}

/** Reads a file with exactly one message. Returns `otherwise` for any other file. */
export function readOne<Document>(
  bytes: Uint8Array,
  readerFor: ReaderFor<Document>,
  otherwise: string,
): Document | Unreadable {
  if (bytes.length > fileBytesMax) return tooLarge;
  const file = readXml(xmlText(bytes).chunks, readerFor);
  if (isRefused(file)) return file;
  const [document, ...others] = file.documents;
  return document === undefined || others.length > 0 ? refused("UNREADABLE", otherwise) : document;
}

/** Reads the documents of a file, each with its own XML parser. */
class XmlFileReader<Document> {
  readonly #readerFor: ReaderFor<Document>;
  readonly #documents: Document[] = [];
  #reading: DocumentParser<Document> | undefined;
  #held = "";
  /** The end marker of the comment, declaration or instruction to skip. */
  #skipTo: string | undefined;
  #outside = 0;
  #linesBefore = 0;

  constructor(readerFor: ReaderFor<Document>) {
    this.#readerFor = readerFor;
  }

  get line(): number {
    return this.#linesBefore + (this.#reading?.line ?? 1);
  }

  write(chunk: string): void {
    let text = this.#held + chunk;
    this.#held = "";
    while (text !== "") {
      if (this.#reading !== undefined) text = this.#document(text);
      else if (this.#skipTo !== undefined) text = this.#skip(text, this.#skipTo);
      else text = this.#between(text);
    }
  }

  end(): XmlFile<Document> {
    if (this.#skipTo !== undefined || this.#held.includes("<")) throw new UnreadableXml(malformed);
    this.#countOutside(this.#held);
    this.#reading?.close();
    if (this.#documents.length === 0) throw new UnreadableXml("has no message that is known");
    return { documents: this.#documents, outside: this.#outside };
  }

  /** Finds the next document, comment or instruction, and returns the text from there on. */
  #between(text: string): string {
    const at = text.indexOf("<");
    // A line may continue in the next chunk, and so may the characters that start a comment.
    const known = at < 0 ? Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r"), 0) : at;
    const rest = text.slice(known);
    this.#countOutside(text.slice(0, known));
    this.#countLines(text.slice(0, known));
    if (at < 0 || ("<!--".startsWith(rest) && rest !== "<!--")) {
      this.#held = rest.slice(-heldMax);
      return "";
    }
    if (rest.startsWith("<?")) this.#skipTo = "?>";
    else if (rest.startsWith("<!--")) this.#skipTo = "-->";
    else this.#reading = new DocumentParser(this.#readerFor);
    return rest;
  }

  /** Skips a comment, declaration or instruction between documents. */
  #skip(text: string, end: string): string {
    const at = text.indexOf(end);
    if (at < 0) {
      this.#held = text.slice(-end.length);
      this.#countLines(text.slice(0, -end.length));
      return "";
    }
    this.#skipTo = undefined;
    this.#countLines(text.slice(0, at));
    return text.slice(at + end.length);
  }

  #document(text: string): string {
    const reading = this.#reading;
    const end = reading?.write(text);
    if (reading === undefined || end === undefined) return "";
    this.#documents.push(...reading.documents);
    this.#linesBefore += reading.line - 1;
    this.#reading = undefined;
    return text.slice(end);
  }

  #countOutside(text: string): void {
    const lines = text.replace(noText, " ").split(/[\r\n]/);
    if (lines.some((line) => /^\s*101.{31}094101/.test(line))) {
      throw new UnreadableXml("has a NACHA file beside XML");
    }
    this.#outside += lines.filter((line) => line.trim() !== "" && !isCard(line)).length;
  }

  #countLines(text: string): void {
    this.#linesBefore += text.split(/\r\n|\r|\n/).length - 1;
  }
}

/** An element around messages, such as an envelope, a header or `Document`. */
type Scope = {
  readonly isDocument: boolean;
  /** Maps prefixes to namespaces; the default namespace has the prefix "". */
  readonly namespaces: ReadonlyMap<string, string>;
  hasMessage: boolean;
};

class DocumentParser<Document> {
  readonly documents: Document[] = [];
  readonly #readerFor: ReaderFor<Document>;
  readonly #parser = new SaxesParser();
  readonly #scopes: Scope[] = [];
  readonly #open: OpenElement[] = [];
  #reader: MessageReader<Document> | undefined;
  #namespace: string | undefined;
  /** Levels below the dropped element. */
  #dropped = 0;
  #written = 0;
  /** Characters since the start of the last tag. */
  #unbroken = 0;
  #end: { readonly position: number; readonly line: number } | undefined;
  #hasRoot = false;

  constructor(readerFor: ReaderFor<Document>) {
    this.#readerFor = readerFor;
    // The parser's error is replaced, because its text may quote content of the file.
    this.#parser.on("error", () => {
      throw new UnreadableXml(malformed);
    });
    this.#parser.on("doctype", () => {
      throw new UnreadableXml("declares a document type or entities");
    });
    this.#parser.on("opentag", (tag) => this.#begin(tag));
    this.#parser.on("text", (text) => this.#text(text));
    this.#parser.on("cdata", (text) => this.#text(text));
    this.#parser.on("closetag", () => this.#close());
  }

  get line(): number {
    return this.#end?.line ?? this.#parser.line;
  }

  /**
   * Reads the next piece of text. Returns the position at which the document ends, or nothing if it
   * continues.
   */
  write(text: string): number | undefined {
    const [firstTag, lastTag] = [text.indexOf("<"), text.lastIndexOf("<")];
    if (this.#unbroken + (firstTag < 0 ? text.length : firstTag) > unbrokenMax) {
      throw new UnreadableXml(`has ${unbrokenMax} characters without an element`);
    }
    this.#unbroken = lastTag < 0 ? this.#unbroken + text.length : text.length - lastTag;
    try {
      this.#parser.write(text);
    } catch (error) {
      // An error after the end is ignored, because that text belongs to the next document. An error
      // at the end itself is thrown.
      if (this.#end === undefined || this.#parser.position <= this.#end.position) throw error;
    }
    if (this.#end !== undefined) return this.#end.position - this.#written;
    this.#written += text.length;
    return undefined;
  }

  /**
   * Throws if the document is incomplete. Text without elements after the last document is allowed.
   */
  close(): void {
    if (this.#hasRoot) this.#parser.close();
    else if (this.write("<a/>") === undefined) this.#parser.close();
  }

  #begin({ name: qualified, attributes }: SaxesTagPlain): void {
    if (this.#end !== undefined) throw new UnreadableXml(malformed);
    this.#hasRoot = true;
    const depth = this.#scopes.length + this.#open.length + this.#dropped;
    if (depth >= depthMax) throw new UnreadableXml(`is more than ${depthMax} levels deep`);
    if (this.#dropped > 0) {
      this.#dropped += 1;
      return;
    }
    const colon = qualified.indexOf(":");
    const name = qualified.slice(colon + 1);
    const parent = this.#open.at(-1);
    if (parent === undefined) {
      this.#beginAround(name, colon < 0 ? "" : qualified.slice(0, colon), attributes);
      return;
    }
    const shape = Object.hasOwn(parent.shape, name) ? parent.shape[name] : undefined;
    if (shape === undefined) this.#dropped = 1;
    else this.#open.push(opened(name, attributes, shape));
  }

  /** Begins an envelope, or the root of a message. */
  #beginAround(name: string, prefix: string, attributes: Record<string, string>): void {
    const namespaces = namespacesOf(attributes);
    const scope = { isDocument: name === "Document", namespaces, hasMessage: false };
    this.#reader = this.#readerFor(name);
    if (this.#reader === undefined) {
      this.#scopes.push(scope);
      return;
    }
    const scopes = [...this.#scopes, scope];
    this.#namespace = scopes
      .findLast((each) => each.namespaces.has(prefix))
      ?.namespaces.get(prefix);
    for (const each of this.#scopes) each.hasMessage = true;
    this.#open.push(opened(name, attributes, this.#reader.shape));
  }

  #text(text: string): void {
    const element = this.#open.at(-1);
    if (element === undefined || this.#dropped > 0) return;
    // Skips white space between elements. White space within a text is kept, because a text may
    // arrive in several parts.
    if (element.text === "" && text.trim() === "") return;
    element.text += text;
  }

  #close(): void {
    if (this.#dropped > 0) {
      this.#dropped -= 1;
      return;
    }
    const element = this.#open.pop();
    if (element === undefined) this.#leaveScope();
    else this.#endElement(element);
    if (this.#open.length > 0 || this.#scopes.length > 0) return;
    this.#end = { position: this.#parser.position, line: this.#parser.line };
  }

  #endElement(element: OpenElement): void {
    setText(element);
    const parent = this.#open.at(-1);
    if (parent === undefined) {
      const document = this.#reader?.end(element, this.#namespace);
      if (document !== undefined) this.documents.push(document);
      return;
    }
    if (this.#reader === undefined || this.#reader.take(element, parent.name)) return;
    const faults = adopt(parent, element, this.#reader.repeated);
    for (const fault of [...(element.faults ?? []), ...faults]) {
      addFault(parent, below(element.name, fault));
    }
  }

  /**
   * Every document of a file must be read. An envelope without a known message makes the file
   * unreadable.
   */
  #leaveScope(): void {
    const scope = this.#scopes.pop();
    if (scope?.isDocument === true && !scope.hasMessage) {
      throw new UnreadableXml("has a document with a message that is not known");
    }
  }
}

function opened(name: string, { Ccy }: Record<string, string>, shape: Shape): OpenElement {
  const attributes = Ccy === undefined ? none : { Ccy: ownText(Ccy) };
  return { name, attributes, children: [], text: "", shape };
}

const none: Readonly<Record<string, string>> = {};

/** The namespaces that an element declares. Some banks write `Xmlns`. */
function namespacesOf(attributes: Record<string, string>): ReadonlyMap<string, string> {
  const namespaces = new Map<string, string>();
  for (const [name, value] of Object.entries(attributes)) {
    const [declared, prefix] = /^xmlns(?::(.*))?$/i.exec(name) ?? [];
    if (declared !== undefined) namespaces.set(prefix ?? "", ownText(value.trim()));
  }
  return namespaces;
}

function setText(element: OpenElement): void {
  const text = element.text.trim();
  if (text.includes(replacement)) {
    addFault(element, { path: "", problem: "has a replaced character" });
  }
  if (text.length > textMax) {
    addFault(element, { path: "", problem: `is cut off after ${textMax} characters` });
  }
  element.text = ownText(text.slice(0, textMax));
}

/**
 * Adds an element to its parent. A repeated element that may occur only once is merged with the
 * first. If their texts differ, both are joined, so that neither is used as the value, and a fault
 * is returned.
 */
function adopt(
  parent: OpenElement,
  element: OpenElement,
  repeated: ReadonlySet<string>,
): TextFault[] {
  const { name, text, attributes, children } = element;
  const first = repeated.has(name) ? undefined : parent.children.find((each) => each.name === name);
  if (first === undefined) {
    parent.children.push(element);
    return [];
  }
  const faults = children.flatMap((child) =>
    adopt(first, child, repeated).map((fault) => below(child.name, fault)),
  );
  if (first.text === text && first.attributes.Ccy === attributes.Ccy) return faults;
  first.text = ownText(`${first.text} | ${text}`.slice(0, textMax));
  return [{ path: "", problem: "stands again with another text" }, ...faults];
}

function below(name: string, { path, problem }: TextFault): TextFault {
  return { path: path === "" ? name : `${name}/${path}`, problem };
}

function addFault(element: OpenElement, fault: TextFault): void {
  element.faults ??= [];
  element.faults.push(fault);
}

/** Returns all descendants on a path of names, such as `Tp/CdOrPrtry`. */
export function elementsAt(element: XmlElement, path: string): XmlElement[] {
  return path
    .split("/")
    .reduce<XmlElement[]>(
      (found, name) =>
        found.flatMap(({ children }) => children.filter((child) => child.name === name)),
      [element],
    );
}

export function elementAt(element: XmlElement, path: string): XmlElement | undefined {
  let found: XmlElement | undefined = element;
  for (const name of path.split("/")) found = found?.children.find((child) => child.name === name);
  return found;
}

/** Returns the text of the first element on a path as one line, or `undefined`. */
export function textAt(element: XmlElement, path: string): string | undefined {
  const text = elementAt(element, path)?.text.replace(/\s+/g, " ");
  return text === "" ? undefined : text;
}
