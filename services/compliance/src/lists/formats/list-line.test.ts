import { describe, expect, it } from "vitest";
import { parseListLine } from "./json-lines.ts";

const whole = {
  uid: "ofac:1",
  list: "ofac_sdn",
  type: "individual",
  names: [
    { name: "Ёлкин Zoë", kind: "original_script" },
    { name: "ELKIN, Zoe", kind: "primary" },
    { name: "Zed", kind: "weak_alias" },
  ],
  dob: ["1966-09-08", "1966-09", "1966"],
  countries: ["RU"],
  ids: [{ type: "Passport", number: "A 12", country: null }],
  crypto: [{ currency: "XBT", address: "abc" }],
  programs: ["P"],
};
const changed = (change: object): string => JSON.stringify({ ...whole, ...change });

describe("parseListLine", () => {
  it("reads a whole line, primary name first", () => {
    expect(parseListLine(changed({ more: "ignored" }))).toEqual({
      uid: "ofac:1",
      source: "ofac_sdn",
      type: "individual",
      names: [
        { name: "ELKIN, Zoe", kind: "primary" },
        { name: "Ёлкин Zoë", kind: "alias" },
        { name: "Zed", kind: "weak" },
      ],
      births: ["1966-09-08", "1966-09", "1966"],
      countries: ["RU"],
      documents: [{ type: "Passport", number: "A 12", country: "" }],
      wallets: [{ currency: "XBT", address: "abc" }],
      programs: ["P"],
    });
  });

  it("accepts a line with only uid, type and a name", () => {
    const line = JSON.stringify({ uid: "1", type: "vessel", names: [{ name: "X" }] });
    expect(parseListLine(line)).toMatchObject({ uid: "1", names: [{ name: "X", kind: "alias" }] });
  });

  it.each([
    ["{", "is not JSON"],
    ["[]", "line must be an object"],
    ["null", "line must be an object"],
    [changed({ uid: "" }), "uid must be"],
    [changed({ uid: 7 }), "uid must be"],
    [changed({ uid: "a b" }), "uid must be"],
    [changed({ type: "person" }), "type must be one of"],
    [changed({ names: [] }), "names must have"],
    [changed({ names: undefined }), "names must have"],
    [changed({ names: [{ name: " " }] }), "names[0].name must not be empty"],
    [changed({ names: [{ name: { $gt: "" } }] }), "names[0].name must be a text"],
    [changed({ names: [{ name: "x".repeat(1_001) }] }), "names[0].name must be a text"],
    [changed({ names: [{ name: "x", kind: "funny" }] }), "names[0].kind must be one of"],
    [changed({ dob: ["66"] }), "dob[0] must be a date"],
    [changed({ dob: ["1966-13"] }), "dob[0] must be a date"],
    [changed({ dob: "1966" }), "dob must be an array"],
    [changed({ countries: ["Russia"] }), "countries[0] must be"],
    [changed({ ids: [{ type: "Passport" }] }), "ids[0].number must be a text"],
    [changed({ crypto: [{ currency: "XBT", address: "" }] }), "crypto[0].address must not"],
    [changed({ programs: [1] }), "programs[0] must be a text"],
  ])("refuses %s: %s", (line, problem) => {
    expect(parseListLine(line)).toEqual({ problem: expect.stringContaining(problem) });
  });
});
