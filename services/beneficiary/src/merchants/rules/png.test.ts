import { describe, expect, it } from "vitest";
import { readPng } from "./png.ts";
import { chunk, header, pngOf, signature } from "./test-png.ts";

const read = (bytes: Buffer) => readPng(bytes.toString("base64"));

describe("a logo", () => {
  it.each<[string, Buffer, number, number]>([
    ["small", pngOf(), 2, 2],
    ["as large as may be", pngOf({ width: 1_024, height: 1_024 }), 1_024, 1_024],
    ["grey of one bit", pngOf({ colour: 0, depth: 1 }), 2, 2],
    ["with a text in it", pngOf({}, [chunk("tEXt", Buffer.from("Author\0Acme"))]), 2, 2],
  ])("is a PNG %s", (_what, bytes, width, height) => {
    expect(read(bytes)).toEqual({ bytes, width, height });
  });

  const sound = pngOf();
  const damaged = Buffer.from(sound);
  damaged[signature.length + 10] = 7;
  const padding = (size: number) => [chunk("zzZz", Buffer.alloc(size - sound.length - 12))];
  const none = "must be a PNG";
  it.each<[string, Buffer, string]>([
    ["nothing", Buffer.alloc(0), none],
    ["a JPEG", Buffer.from([0xff, 0xd8, 0xff, 0xe0]), none],
    ["an SVG", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), none],
    ["its signature alone", signature, none],
    ["a page after the image", Buffer.concat([sound, Buffer.from("<script>")]), none],
    ["a damaged chunk", damaged, none],
    ["no end", sound.subarray(0, -12), none],
    ["half a chunk", sound.subarray(0, -1), none],
    ["no pixels", Buffer.concat([signature, header(), chunk("IEND")]), none],
    ["another first chunk", Buffer.concat([signature, chunk("IDAT"), chunk("IEND")]), none],
    ["an unknown colour type", pngOf({ colour: 1 }), none],
    ["a depth that its colours don't have", pngOf({ depth: 4 }), none],
    ["moving images", pngOf({}, [chunk("acTL", Buffer.alloc(8))]), "must not be animated"],
    ["no width", pngOf({ width: 0 }), "must be at most 1024 pixels wide and high"],
    ["too much width", pngOf({ width: 1_025 }), "must be at most 1024 pixels wide and high"],
    ["too much height", pngOf({ height: 70_000 }), "must be at most 1024 pixels wide and high"],
    ["too many bytes", pngOf({}, padding(65_537)), "must be at most 65536 bytes"],
  ])("is not %s", (_what, bytes, problem) => {
    expect(read(bytes)).toBe(problem);
  });

  it("may have 65,536 bytes", () => {
    expect(read(pngOf({}, padding(65_536)))).toMatchObject({ width: 2 });
  });

  it.each(["a", "===", "not base64!", `${sound.toString("base64")}\n`])("is not %j", (text) => {
    expect(readPng(text)).toBe("must be base64");
  });
});
