import { randomBytes, randomUUID } from "node:crypto";
import { connectDatabase, type Database } from "@disburse/chassis/mongo.ts";
import { serviceMutation } from "@disburse/chassis/mutation.ts";
import { connectService } from "@disburse/chassis/rpc-client.ts";
import { readRefusal } from "@disburse/chassis/rpc-refusal.ts";
import {
  ComplianceService,
  type ListFormat,
  Party_Type,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { listedParties } from "@disburse/sandbox/sandbox-list.ts";
import { freshDatabase, mongodbUri } from "@disburse/testkit/engine.ts";
import { start } from "./main.ts";

/** What the integration tests of this service share: services on one fresh database, and calls. */
const serviceToken = randomBytes(32).toString("base64");
const encryptionKeys = `k1:${randomBytes(32).toString("base64")}`;
const pollMs = 100;

export type TestCompliance = {
  readonly database: Database;
  /** Starts another service on the same database, and connects to it. */
  start(): Promise<Rpc>;
  /** Stops all of it and removes the database. */
  end(): Promise<void>;
};

export async function testCompliance(): Promise<TestCompliance> {
  const name = freshDatabase("compliance");
  const database = await connectDatabase(mongodbUri(name), name);
  const ends: (() => Promise<void> | void)[] = [
    async () => {
      await database.db.dropDatabase();
      await database.close();
    },
  ];
  return {
    database,
    start: async () => {
      const service = await start({
        DISBURSE_MODE: "sandbox",
        PORT: "0",
        MONGODB_URI: mongodbUri(name),
        DATABASE: name,
        SERVICE_TOKEN: serviceToken,
        ENCRYPTION_KEYS: encryptionKeys,
        LISTS_POLL_MS: String(pollMs),
        LOG_LEVEL: "silent",
      });
      ends.push(service.stop);
      const client = connect(service.url);
      ends.push(client.close);
      return client.rpc;
    },
    end: async () => {
      for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
    },
  };
}

function connect(url: string) {
  return connectService(ComplianceService, url, {
    caller: "test",
    serviceToken,
    timeoutMs: 50_000,
  });
}
export type Rpc = ReturnType<typeof connect>["rpc"];

export const subject = { merchantId: "mer_1", recordId: "ben_1" };
export const mutation = (operationId: string = randomUUID()) =>
  serviceMutation("test", operationId);

type Header = { list?: string; version?: string; format?: ListFormat; acceptDropReason?: string };

/** Files by their names, each in pieces, as an operator. */
export function importFiles(
  rpc: Rpc,
  header: Header,
  files: Record<string, string | Uint8Array>,
  operationId: string = randomUUID(),
) {
  const asked = { operationId, actor: { kind: Actor_Kind.OPERATOR, id: "ada" } } as const;
  async function* requests() {
    const value = { mutation: asked, list: "sandbox", version: "1", ...header };
    yield { part: { case: "header" as const, value } };
    for (const [name, content] of Object.entries(files)) {
      if (name !== "") yield { part: { case: "file" as const, value: { name } } };
      const bytes = Buffer.from(content);
      for (let at = 0; at < bytes.length; at += 65_536) {
        yield { part: { case: "lines" as const, value: bytes.subarray(at, at + 65_536) } };
      }
    }
  }
  return rpc.importList(requests());
}

export function importLines(rpc: Rpc, lines: string | Buffer, version = "1", operationId?: string) {
  return importFiles(rpc, { version }, { "": lines }, operationId);
}

export async function screenName(rpc: Rpc, name: string, more: object = {}, operationId?: string) {
  const party = { type: Party_Type.INDIVIDUAL, name, ...more };
  const request = { mutation: mutation(operationId), subject, parties: [party] };
  return (await rpc.screenParty(request)).screening;
}

export async function screenAddress(rpc: Rpc, address: string, networks: string[] = []) {
  const request = { mutation: mutation(), subject, networks, address };
  return (await rpc.screenWallet(request)).screening;
}

export const refusalOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => readRefusal(error),
  );

/** One line of a list: a person. */
export const personLine = (uid: string, name: string): string =>
  `${JSON.stringify({ uid, type: "individual", names: [{ name }] })}\n`;

export const listedName = listedParties[0]?.name ?? "";
