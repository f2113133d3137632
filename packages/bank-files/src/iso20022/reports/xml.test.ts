import { describe, expect, it } from "vitest";
import { elementAt, elementsAt, readXml, textAt, type XmlElement } from "./xml.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const read = (text: string) => readXml(bytes(text), () => false);

describe("XML of a bank", () => {
  it("is read by local names, with text in one line", () => {
    const root = read('<a:A xmlns:a="urn:x"><a:B c="1"> x\n  y <!-- z --></a:B><B><C/></B></a:A>');
    expect(root).toMatchObject({ name: "A", attributes: { "xmlns:a": "urn:x" } });
    expect(textAt(root as XmlElement, "B")).toBe("x y");
    expect(elementsAt(root as XmlElement, "B")).toHaveLength(2);
    expect(elementAt(root as XmlElement, "B/C")).toBeUndefined();
    expect(textAt(root as XmlElement, "D")).toBeUndefined();
  });

  it("is given out by elements as they end, and not kept then", () => {
    const taken: string[] = [];
    const root = readXml(bytes("<A><B>1</B><C><B>2</B></C></A>"), ({ name, text }, parent) => {
      if (name !== "B") return false;
      taken.push(`${parent}:${text}`);
      return true;
    });
    expect(taken).toEqual(["A:1", "C:2"]);
    expect(elementAt(root as XmlElement, "B")).toBeUndefined();
  });

  it.each([
    ['<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "declares a document type or entities"],
    ['<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', "declares a document type or entities"],
    ['<!DOCTYPE a PUBLIC "x" "http://127.0.0.1/x.dtd"><a/>', "declares a document type"],
    ["<a>&b;</a>", "is not well-formed XML"],
    ["<a>".repeat(65), "is more than 64 levels deep"],
    ["<a>".repeat(1_000_000), "is more than 64 levels deep"],
    ["<a><b></a></b>", "is not well-formed XML"],
    ["<a", "is not well-formed XML"],
    ["<a/><a/>", "is not well-formed XML"],
    ["<a>Jane Doe", "is not well-formed XML"],
    ["", "is not well-formed XML"],
    ["<a>\u0001</a>", "is not well-formed XML"],
  ])("%.60j is refused", (text, problem) => {
    const refusal = read(text);
    expect(refusal).toMatchObject({ refused: "UNREADABLE" });
    expect(JSON.stringify(refusal)).toContain(problem);
    expect(JSON.stringify(refusal)).not.toContain("Jane");
  });

  it("may be 64 levels deep", () => {
    expect(read(`${"<a>".repeat(64)}${"</a>".repeat(64)}`)).toMatchObject({ name: "a" });
  });

  it("is refused where it is larger than a file of a bank", () => {
    const refusal = readXml(new Uint8Array(64 * 2 ** 20 + 1), () => false);
    expect(refusal).toEqual({ refused: "UNREADABLE", detail: "has more than 67108864 bytes" });
  });

  it("is decoded as it says, or as its byte order mark says", () => {
    const latin = Uint8Array.from(
      [...'<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>'].map((each) => each.charCodeAt(0)),
    );
    const wide = Uint8Array.from(Buffer.from("\ufeff<a>é</a>", "utf16le"));
    for (const each of [latin, wide, bytes("\ufeff<a>é</a>")]) {
      expect(readXml(each, () => false)).toMatchObject({ name: "a", text: "é" });
    }
  });

  it("is refused in an encoding that is not known, or not kept", () => {
    const named = bytes('<?xml version="1.0" encoding="EBCDIC-US"?><a/>');
    expect(readXml(named, () => false)).toMatchObject({ detail: "its encoding is not known" });
    const broken = Uint8Array.from([...bytes("<a>"), 0xe9, ...bytes("</a>")]);
    expect(readXml(broken, () => false)).toMatchObject({ detail: "is not text in utf-8" });
  });
});
