import { create } from "@bufbuild/protobuf";
import { Actor_Kind, MutationSchema } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { describe, expect, it } from "vitest";
import { readMutation, serviceMutation } from "./mutation.ts";

const asked = (operationId: string, kind: Actor_Kind, id: string) =>
  create(MutationSchema, { operationId, actor: { kind, id } });
const long = "~".repeat(128);

describe("a mutation", () => {
  it.each([
    ["a merchant's", asked("op-1", Actor_Kind.API_KEY, "key_1"), "op-1", "api_key", "key_1"],
    ["the longest", asked(long, Actor_Kind.OPERATOR, long), long, "operator", long],
    ["a service's own", serviceMutation("relay", "op-2"), "op-2", "service", "relay"],
  ])("is read: %s", (_what, mutation, operationId, kind, id) => {
    expect(readMutation(mutation)).toEqual({ operationId, actor: { kind, id } });
  });

  const operation = "mutation.operation_id: must be 1 to 128 printable characters";
  const actor = "mutation.actor: kind and id are required";

  it.each([
    ["none", undefined, operation],
    ["one without an operation", asked("", Actor_Kind.API_KEY, "key_1"), operation],
    ["an operation with a space", asked("op 1", Actor_Kind.API_KEY, "key_1"), operation],
    ["an operation too long", asked(`${long}~`, Actor_Kind.API_KEY, "key_1"), operation],
    ["one without an actor", create(MutationSchema, { operationId: "op-1" }), actor],
    ["an actor of no kind", asked("op-1", Actor_Kind.UNSPECIFIED, "key_1"), actor],
    ["an actor without an id", asked("op-1", Actor_Kind.API_KEY, ""), actor],
    ["an actor's id too long", asked("op-1", Actor_Kind.API_KEY, `${long}~`), actor],
  ])("is refused: %s", (_what, mutation, message) => {
    expect(() => readMutation(mutation)).toThrow(`[invalid_argument] ${message}`);
  });
});
