import { randomBytes, randomUUID } from "node:crypto";
import { fromBinary } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import { createMemoryBus } from "@disburse/chassis/bus/bus.ts";
import type { ClientIdentity } from "@disburse/chassis/identity/service-tokens.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { connectService } from "@disburse/chassis/rpc/client.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import type { Environment } from "@disburse/chassis/settings.ts";
import {
  ApprovalService,
  ProposalState,
} from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import {
  type ScreeningChanged,
  ScreeningChangedSchema,
} from "@disburse/contracts/disburse/compliance/v1/compliance_events_pb.ts";
import {
  ComplianceService,
  type ListFormat,
  Party_Type,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { ComplianceReviewService } from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { listedParties } from "@disburse/sandbox/sandbox-list.ts";
import { callAsNamed } from "@disburse/testkit/callers.ts";
import { migratedDatabase, mongodbUri } from "@disburse/testkit/engine.ts";
import { testTrust } from "@disburse/testkit/identity.ts";
import { start } from "./main.ts";
import { migrations } from "./migrations.ts";

/** Helpers for this service's integration tests: services on one new database, and calls. */
const encryptionKeys = `k1:${randomBytes(32).toString("base64")}`;
const pollMs = 100;

export type TestCompliance = {
  readonly database: Database;
  /** The events that the services published, each once. */
  readonly events: readonly ScreeningChanged[];
  /** Starts another service on the same database, and connects to it. */
  start(settings?: Environment): Promise<Rpc>;
  /**
   * Connects to the last started service. Each call is authenticated as the officer that it names.
   */
  officers(): ReviewRpc;
  /** Connects to the last started service with another identity. */
  as(identity: ClientIdentity): Rpc;
  /** Approves all pending proposals as another person, and returns their number. */
  approveAll(): Promise<number>;
  stopServices(): Promise<void>;
  /** Sets whether the bus accepts events. By default, it does. */
  listen(takes: boolean): void;
  /** Stops everything and removes the database. */
  end(): Promise<void>;
};

export async function testCompliance(): Promise<TestCompliance> {
  const { bus, events, listen } = await listeningBus();
  const database = await migratedDatabase("compliance", migrations);
  const name = database.db.databaseName;
  const services: Ends = [];
  let lastUrl = "";
  const environment = {
    DISBURSE_MODE: "sandbox",
    PORT: "0",
    MONGODB_URI: mongodbUri(name),
    DATABASE: name,
    ...testTrust.settings("compliance"),
    ENCRYPTION_KEYS: encryptionKeys,
    LISTS_POLL_MS: String(pollMs),
    PAYOUT_URL: "http://127.0.0.1:1",
    LOG_LEVEL: "silent",
  };
  return {
    database,
    events,
    listen,
    officers: () => {
      const connectReview = (identity: ClientIdentity) =>
        connectService(ComplianceReviewService, lastUrl, optionsOf(identity));
      const client = callAsNamed(connectReview, testTrust.person, "ada");
      services.push(client.close);
      return client.rpc;
    },
    as: (identity) => {
      const client = connect(lastUrl, identity);
      services.push(client.close);
      return client.rpc;
    },
    approveAll: async (): Promise<number> => {
      const identity = testTrust.person("approver");
      const { rpc, close } = connectService(ApprovalService, lastUrl, { identity });
      services.push(close);
      const { proposals } = await rpc.listProposals({ state: ProposalState.OPEN });
      for (const { id: proposalId, contentDigest } of proposals) {
        await rpc.approveProposal({ mutation: mutation(), proposalId, contentDigest });
      }
      return proposals.length;
    },
    stopServices: () => endAll(services),
    start: async (settings = {}) => {
      const service = await start({ ...environment, ...settings }, { bus });
      services.push(service.stop);
      lastUrl = service.url;
      const officer = connect(service.url);
      const owner = connect(service.url, testTrust.service("beneficiary"));
      services.push(officer.close, owner.close);
      // Screenings are called as the service that owns the records.
      return { ...officer.rpc, screenParty: owner.rpc.screenParty };
    },
    end: async () => {
      await endAll(services);
      await database.db.dropDatabase();
      await database.close();
    },
  };
}

type Ends = (() => unknown)[];

async function endAll(ends: Ends): Promise<void> {
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
}

async function listeningBus() {
  const bus = createMemoryBus();
  const events: ScreeningChanged[] = [];
  let takes = true;
  await bus.subscribe({
    queue: "test",
    events: [{ keys: ["screening.*"], publishers: ["compliance"] }],
    handle: async (batch) => {
      if (!takes) throw new Error("the test consumer is set to reject events");
      for (const { id, body } of batch) {
        const event = fromBinary(ScreeningChangedSchema, body);
        if (id !== event.eventId) throw new Error("the message id differs from the event id");
        if (events.every(({ eventId }) => eventId !== id)) events.push(event);
      }
      return batch.map(() => "stored");
    },
  });
  const listen = (next: boolean): void => {
    takes = next;
  };
  return { bus, events, listen };
}

const optionsOf = (identity: ClientIdentity) => ({ identity, timeoutMs: 600_000 });

function connect(url: string, identity: ClientIdentity = testTrust.person("ada")) {
  return connectService(ComplianceService, url, optionsOf(identity));
}
export type ReviewRpc = Client<typeof ComplianceReviewService>;
export type Rpc = ReturnType<typeof connect>["rpc"];

export const subject = { merchantId: "mer_1", recordId: "ben_1" };
export const mutation = (operationId: string = randomUUID()) => ({ operationId });

type Header = {
  list?: string;
  version?: string;
  format?: ListFormat;
  formatName?: string;
  acceptDropReason?: string;
  compareOnly?: boolean;
};

/** Sends files by their names, each in pieces. */
export function importFiles(
  rpc: Rpc,
  header: Header,
  files: Record<string, string | Uint8Array>,
  operationId: string = randomUUID(),
) {
  const mutation = { operationId };
  async function* requests() {
    const value = { mutation, list: "sandbox", version: "1", ...header };
    yield { part: { case: "header" as const, value } };
    for (const [name, content] of Object.entries(files)) {
      if (name !== "") yield { part: { case: "file" as const, value: { name } } };
      const bytes = Buffer.from(content);
      for (let at = 0; at < bytes.length; at += 65_536) {
        yield { part: { case: "lines" as const, value: bytes.subarray(at, at + 65_536) } };
      }
    }
    yield { part: { case: "end" as const, value: true } };
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

export const personLine = (uid: string, name: string): string =>
  `${JSON.stringify({ uid, type: "individual", names: [{ name }] })}\n`;

export const listedName = listedParties[0]?.name ?? "";
