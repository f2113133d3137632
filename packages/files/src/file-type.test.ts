import { expect, it } from "vitest";
import { mediaTypeOf } from "./file-type.ts";

const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

it.each<[string, Buffer, string | undefined]>([
  ["a PDF", Buffer.from("%PDF-1.7\n%\xe2\xe3\xcf\xd3", "latin1"), "application/pdf"],
  ["a PNG", png, "image/png"],
  ["a JPEG", Buffer.from("ffd8ffe000104a464946", "hex"), "image/jpeg"],
  ["CSV", Buffer.from("name,born\r\n“Zoë”,1971-03-14\n"), "text/plain"],
  ["text with a byte-order mark", Buffer.from("\ufeffnote\tone"), "text/plain"],
  ["a program", Buffer.from("7f454c46020101", "hex"), undefined],
  ["a Windows program", Buffer.from("4d5a90000300", "hex"), undefined],
  ["an archive", Buffer.from("504b030414000600", "hex"), undefined],
  ["a GIF", Buffer.from("GIF89a\x01\x00\x01\x00", "latin1"), undefined],
  ["text in Latin-1", Buffer.from("Zo\xeb", "latin1"), undefined],
  ["text with a zero byte", Buffer.from("a\0b"), undefined],
  ["a PDF after other bytes", Buffer.from("\x00%PDF-1.7", "latin1"), undefined],
  ["the begin of a PNG", png.subarray(0, 7), undefined],
])("%s", (_name, content, type) => {
  expect(mediaTypeOf(content)).toBe(type);
});
