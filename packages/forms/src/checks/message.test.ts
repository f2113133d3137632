import { create, createFileRegistry, type DescMessage, fromJson, toJson } from "@bufbuild/protobuf";
import {
  FileDescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { type PublicBody, singleForm } from "../fields/field.ts";
import { textField } from "../fields/make.ts";
import { checkedMessage } from "./message.ts";

/** A contract's message with text fields of these names. One has another name in the body. */
function messageOf(...names: readonly string[]): DescMessage {
  const field = (name: string, at: number) => ({
    name,
    number: at + 1,
    type: Type.STRING,
    label: Label.OPTIONAL,
    ...(name === "rate_per_second" ? { jsonName: "rate" } : {}),
  });
  const file = create(FileDescriptorProtoSchema, {
    name: "test.proto",
    package: "test",
    syntax: "proto3",
    messageType: [{ name: "Order", field: names.map(field) }],
  });
  const schema = createFileRegistry(file, () => undefined).getMessage("test.Order");
  if (schema === undefined) throw new Error("the test's message is not in its file");
  return schema;
}

const order: PublicBody = singleForm({
  name: "order",
  description: "An order.",
  fields: [
    textField("first_name", "First name.", "Jane"),
    textField("rate", "How fast.", "1", { kind: "digits" }),
    textField("speed", "How.", "slow", { required: false, default: "slow", maxLength: 4 }),
    textField("note", "Note.", "A", {
      required: false,
      when: { field: "speed", in: ["fast"] },
    }),
  ],
  rules: [],
});
const schema = messageOf("merchant_id", "first_name", "rate_per_second", "speed", "note");

function check(
  json: { readonly [name: string]: string } | undefined,
  unreadable: readonly { field: string; problem: string }[] = [],
) {
  const sent = json === undefined ? undefined : fromJson(schema, json);
  const context = { now: new Date("2026-11-20T00:00:00Z"), unreadable };
  const answer = checkedMessage(order, schema, sent, context);
  return "refused" in answer ? answer : toJson(schema, answer, { useProtoFieldName: true });
}

describe("a checked message", () => {
  it("has its body's fields trimmed and defaults filled in, and keeps all other fields", () => {
    expect(check({ merchant_id: " mer_1 ", first_name: " Jane ", rate: "5" })).toEqual({
      merchant_id: " mer_1 ",
      first_name: "Jane",
      rate_per_second: "5",
      speed: "slow",
    });
  });

  it("lacks what its form does not have", () => {
    const sent = { first_name: "Jane", rate: "5", note: "A" };
    expect(check({ ...sent, speed: "fast" })).toHaveProperty("note", "A");
    expect(check({ ...sent, speed: "slow" })).not.toHaveProperty("note");
  });

  it("is refused with every failing field by its public name", () => {
    const unreadable = [{ field: "first_name", problem: "must be a string" }];
    expect(check({ rate: "x", speed: "slower" }, unreadable)).toEqual({
      refused: "INVALID_REQUEST",
      detail:
        "first_name: must be a string; rate: must contain digits only; speed: must be at most 4 characters",
    });
  });

  it("is refused like an empty one if it is missing", () => {
    expect(check(undefined)).toEqual(check({}));
    expect(check({})).toHaveProperty("detail", "first_name: is required; rate: is required");
  });

  it("of a contract that lacks a field of the body is a bug", () => {
    const other = messageOf("first_name", "rate_per_second", "speed");
    const context = { now: new Date(), unreadable: [] };
    expect(() => checkedMessage(order, other, undefined, context)).toThrow(
      "test.Order has no field for note",
    );
  });
});
