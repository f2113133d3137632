import { create } from "@bufbuild/protobuf";
import {
  Actor_Kind,
  type Mutation,
  MutationSchema,
} from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { describe, expect, it } from "vitest";
import { withCallContext } from "../call-context.ts";
import type { Principal } from "../principal.ts";
import { readMutation } from "./mutation.ts";

const claiming = (kind: Actor_Kind, id: string, operationId = "op-1") =>
  create(MutationSchema, { operationId, actor: { kind, id } });
const plain = (operationId: string) => create(MutationSchema, { operationId });
const ada: Principal = { kind: "person", id: "ada", roles: new Set(["treasury"]) };
const service = (name: string): Principal => ({ kind: "service", name });
const read = (mutation: Mutation | undefined, principal: Principal | undefined = ada) =>
  withCallContext({ requestId: "req-1", principal }, () => readMutation(mutation));
const long = "~".repeat(128);
const { API_KEY, MEMBER, OPERATOR, SERVICE, UNSPECIFIED } = Actor_Kind;

describe("the actor of a change is the caller", () => {
  it.each([
    ["a person in another's name", ada, claiming(OPERATOR, "bob"), "operator", "ada"],
    ["a person as a service", ada, claiming(SERVICE, "payout"), "operator", "ada"],
    ["a person as a merchant's key", ada, claiming(API_KEY, "key_1"), "operator", "ada"],
    ["a person who claims nothing", ada, plain("op-1"), "operator", "ada"],
    ["a service as a person", service("payout"), claiming(OPERATOR, "bob"), "service", "payout"],
    ["a service as another", service("payout"), claiming(SERVICE, "quote"), "service", "payout"],
    [
      "a service as a merchant's key",
      service("payout"),
      claiming(API_KEY, "key_1"),
      "service",
      "payout",
    ],
    ["a service that claims nothing", service("relay"), plain("op-1"), "service", "relay"],
    [
      "the gateway for a merchant's key",
      service("gateway"),
      claiming(API_KEY, "key_1"),
      "api_key",
      "key_1",
    ],
    ["the gateway for a member", service("gateway"), claiming(MEMBER, "mem_1"), "member", "mem_1"],
    ["a person as a member", ada, claiming(MEMBER, "mem_1"), "operator", "ada"],
    ["a service as a member", service("payout"), claiming(MEMBER, "mem_1"), "service", "payout"],
    [
      "the gateway for the longest id",
      service("gateway"),
      claiming(API_KEY, long),
      "api_key",
      long,
    ],
    [
      "the gateway as a person",
      service("gateway"),
      claiming(OPERATOR, "bob"),
      "service",
      "gateway",
    ],
    [
      "the gateway as a service",
      service("gateway"),
      claiming(SERVICE, "payout"),
      "service",
      "gateway",
    ],
    [
      "the gateway as nothing",
      service("gateway"),
      claiming(UNSPECIFIED, "key_1"),
      "service",
      "gateway",
    ],
  ])("%s", (_what, principal, mutation, kind, id) => {
    expect(read(mutation, principal)).toEqual({ operationId: "op-1", actor: { kind, id } });
  });

  it("is missing outside of a call", () => {
    const mutation = plain("op-1");
    expect(() => readMutation(mutation)).toThrow(
      "[unauthenticated] the call has no authenticated caller",
    );
    const anonymous = () => withCallContext({ requestId: "req-1" }, () => readMutation(mutation));
    expect(anonymous).toThrow("[unauthenticated] the call has no authenticated caller");
  });
});

describe("a mutation", () => {
  const operation = "mutation.operation_id: must be 1 to 128 printable characters";
  const key = "mutation.actor: the ids of a key or member must be 1 to 128 printable characters";

  it("accepts the longest operation id", () => {
    expect(read(plain(long)).operationId).toBe(long);
  });

  it.each([
    ["none", undefined, ada, operation],
    ["one without an operation", claiming(OPERATOR, "ada", ""), ada, operation],
    ["an operation with a space", claiming(OPERATOR, "ada", "op 1"), ada, operation],
    ["an operation too long", claiming(OPERATOR, "ada", `${long}~`), ada, operation],
    ["a key without an id", claiming(API_KEY, ""), service("gateway"), key],
    ["a member without an id", claiming(MEMBER, ""), service("gateway"), key],
    ["a key's id too long", claiming(API_KEY, `${long}~`), service("gateway"), key],
  ])("is refused: %s", (_what, mutation, principal, message) => {
    expect(() => read(mutation, principal)).toThrow(`[invalid_argument] ${message}`);
  });
});
