import { isRefused } from "@disburse/kernel/refusal.ts";
import { describe, expect, it } from "vitest";
import { elementAt, elementsAt, leaves, readXml, textAt, type XmlElement } from "./xml.ts";

type Message = { readonly root: XmlElement; readonly namespace: string | undefined };

/** Reads messages with the root `M`. `taken` collects the elements `T` as they end. */
function read(text: string, taken: string[] = []) {
  return readChunks(text.match(/.{1,65536}/gs) ?? [], taken);
}

function readChunks(chunks: readonly string[], taken: string[]) {
  return readXml<Message>(chunks, (name) => {
    if (name !== "M") return undefined;
    return {
      shape: { ...leaves("B", "E"), C: { ...leaves("B"), T: {} }, D: { D: leaves("D") } },
      repeated: new Set(["B"]),
      take: (element, parent) => {
        if (element.name === "T") taken.push(`${parent}:${element.text}`);
        return element.name === "T";
      },
      end: (root, namespace) => ({ root, namespace }),
    };
  });
}

function only(text: string): Message {
  const file = read(text);
  if (isRefused(file)) throw new Error(file.detail);
  const [document, ...others] = file.documents;
  if (document === undefined || others.length > 0)
    throw new Error("the file does not contain exactly one document");
  return document;
}

describe("XML of a bank", () => {
  it("is read by local names, with text in one line", () => {
    const { root } = only(
      '<a:M xmlns:a="urn:x"><a:B Ccy="1"> x\n  y <!-- z --></a:B><B><E/></B></a:M>',
    );
    expect(root.name).toBe("M");
    expect(elementAt(root, "B")?.attributes).toEqual({ Ccy: "1" });
    expect(textAt(root, "B")).toBe("x y");
    expect(elementsAt(root, "B")).toHaveLength(2);
    expect(textAt(root, "D")).toBeUndefined();
  });

  it("keeps no element outside of the shape, and none that is taken", () => {
    const taken: string[] = [];
    const file = read("<M><C><T>1</T><B>2</B></C><X><C><T>3</T></C></X><T>4</T></M>", taken);
    expect(taken).toEqual(["C:1"]);
    const { root } = isRefused(file) ? only("") : file.documents[0]!;
    expect(root.children.map(({ name }) => name)).toEqual(["C"]);
    expect(elementAt(root, "C/T")).toBeUndefined();
    expect(textAt(root, "C/B")).toBe("2");
  });

  it("has one of each element, unless it may repeat", () => {
    const same = only("<M><C><B>1</B></C><E>2</E><D><D/></D><C><B>2</B></C><E>2</E><D/></M>").root;
    expect(same.children.map(({ name }) => name)).toEqual(["C", "E", "D"]);
    expect(elementsAt(same, "C/B").map(({ text }) => text)).toEqual(["1", "2"]);
    expect(same.faults).toBeUndefined();
  });

  it.each([
    ["<E>1</E><E>2</E><E>1</E>", "E", "1 | 2 | 1"],
    ["<E Ccy='USD'>1</E><E Ccy='EUR'>1</E>", "E", "1 | 1"],
    ["<E/><E>2</E>", "E", " | 2"],
    ["<D><D><D>1</D></D></D><D><D><D>2</D></D></D>", "D/D/D", "1 | 2"],
  ])("accepts neither of two differing texts: %s", (parts, path, text) => {
    const { root } = only(`<M>${parts}</M>`);
    expect(elementsAt(root, path).map((each) => each.text)).toEqual([text]);
    expect(root.faults?.[0]).toEqual({ path, problem: "stands again with another text" });
  });

  it("cuts off a long text and reports that", () => {
    const { root } = only(`<M><C><B>${"x".repeat(1_001)}</B></C></M>`);
    expect(textAt(root, "C/B")).toBe("x".repeat(1_000));
    expect(root.faults).toEqual([{ path: "C/B", problem: "is cut off after 1000 characters" }]);
  });

  it.each([
    ["default, after another one", '<M xmlns:xsi="urn:i" xmlns="urn:m"/>', "urn:m"],
    ["prefixed", '<a:M xmlns="urn:x" xmlns:a="urn:m"/>', "urn:m"],
    ["of an element around it", '<D xmlns="urn:m"><M/></D>', "urn:m"],
    ["of the nearest element", '<D xmlns="urn:x"><M xmlns="urn:m"/></D>', "urn:m"],
    ["prefixed, of an element around it", '<D xmlns="urn:x" xmlns:a="urn:m"><a:M/></D>', "urn:m"],
    ["with a capital", '<D Xmlns="urn:m"><M/></D>', "urn:m"],
    ["absent", '<D xmlns:a="urn:m"><M/></D>', undefined],
  ])("has the namespace of its message: %s", (_, text, namespace) => {
    expect(only(text).namespace).toBe(namespace);
  });

  it.each([
    ['<!DOCTYPE M [<!ENTITY b "c">]><M>&b;</M>', "declares a document type or entities"],
    ['<!DOCTYPE M SYSTEM "file:///etc/passwd"><M/>', "declares a document type or entities"],
    ['<!DOCTYPE M PUBLIC "x" "http://127.0.0.1/x.dtd"><M/>', "declares a document type"],
    ['<M/><!DOCTYPE M [<!ENTITY b "c">]><M/>', "declares a document type or entities"],
    ["<M>&b;</M>", "is not well-formed XML"],
    ["<a>".repeat(65), "is more than 64 levels deep"],
    [`<M>${"<a>".repeat(64)}`, "is more than 64 levels deep"],
    [`<M>${"<D>".repeat(64)}`, "is more than 64 levels deep"],
    ["<a>".repeat(1_000_000), "is more than 64 levels deep"],
    ["<M><b></M></b>", "is not well-formed XML"],
    ["<M", "is not well-formed XML"],
    ["<M/><", "is not well-formed XML"],
    ["<M/><?xml version='1.0'", "is not well-formed XML"],
    ["<M/><M>", "is not well-formed XML"],
    ["<M/><!-- no end", "is not well-formed XML"],
    ["<M>Jane Doe", "is not well-formed XML"],
    ["<M>\u0001</M>", "is not well-formed XML"],
    [`<M><B>${"x".repeat(1_048_576)}</B></M>`, "has 1048576 characters without an element"],
    [`<M><!--${"x".repeat(1_048_576)}--></M>`, "has 1048576 characters without an element"],
    [`<M a="${"x".repeat(1_048_576)}"/>`, "has 1048576 characters without an element"],
    ["", "has no message that is known"],
    ["<Jane/>", "has no message that is known"],
    ["<Document><Jane/></Document>", "has a document with a message that is not known"],
    ["<M/><Document><Jane/></Document>", "has a document with a message that is not known"],
    ["<E><Document><M/></Document><Document/></E>", "has a document with a message that is not"],
  ])("%.60j is refused", (text, problem) => {
    const refusal = read(text);
    expect(refusal).toMatchObject({ refused: "UNREADABLE" });
    expect(JSON.stringify(refusal)).toContain(problem);
    expect(JSON.stringify(refusal)).not.toContain("Jane");
  });

  it("may be 64 levels deep", () => {
    expect(read(`<M>${"<a>".repeat(63)}${"</a>".repeat(63)}</M>`)).toMatchObject({ outside: 0 });
    expect(read(`${"<a>".repeat(63)}<M/>${"</a>".repeat(63)}`)).toMatchObject({ outside: 0 });
  });

  it("names the line of a fault, also of a later document", () => {
    expect(read("\n<?xml version='1.0'?>\n<M/>\n\n<M>\n</a>")).toMatchObject({
      detail: "line 6: is not well-formed XML",
    });
  });

  it.each([
    ["in a row", "<M/><M/><M/>"],
    [
      "with declarations",
      "<?xml version='1.0'?><M/>\n<?xml version='1.0'?>\n<M/>\n<?xml encoding='x' version='1.0'?><M/>",
    ],
    [
      "with comments and instructions",
      "<!-- <M/> --><M/><?a <M/> ?><M/><!-- x --><M></M><!-- y -->",
    ],
    ["in an envelope", "<E><H/><Document><M/></Document><Document><M/></Document><M/></E>"],
    ["in envelopes", "<E><F><M/></F></E><E><M/></E><M/>"],
  ])("has several documents %s", (_, text) => {
    expect(read(text)).toMatchObject({ documents: [{}, {}, {}], outside: 0 });
  });

  it("counts lines outside of its documents, unless they are cards or padding", () => {
    expect(read("$$ADD ID=X\n//* x\n\ufeff\n  <M/>\n\ufffd\ufffd\n/*EOF")).toMatchObject({
      outside: 0,
    });
    expect(read("hello\n<M/>between<M/>\nafter\nand more")).toMatchObject({ outside: 4 });
  });

  it("is read in the same way however its text is cut", () => {
    const text =
      "x\r\n<?xml version='1.0'?>\r\n<E>\r\n<M><B>é\u{1f600}&amp;</B></M>\r\n</E>\r\n<?xml version='1.0'?><M><C>\r\n<T>1</T></C></M>\ny";
    const whole = read(text);
    expect(whole).toMatchObject({ documents: [{}, {}], outside: 2 });
    for (let size = 1; size < 20; size += 1) {
      const taken: string[] = [];
      const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
        text.slice(at * size, (at + 1) * size),
      );
      expect(readChunks(chunks, taken)).toEqual(whole);
      expect(taken).toEqual(["C:1"]);
    }
  });
});
