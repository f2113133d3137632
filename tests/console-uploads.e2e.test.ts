import { request } from "node:http";
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { silentLog } from "@disburse/chassis/log.ts";
import {
  ImportListRequestSchema,
  ImportListResponseSchema,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { startIssuer } from "@disburse/sandbox/issuer/server.ts";
import { passwordOf } from "@disburse/sandbox/people.ts";
import { startTestPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createPerson } from "./console-person.ts";

/** Tests the upload of lists, as the console sends them: a stream of messages in one body. */

let platform: TestPlatform;
let issuer: Awaited<ReturnType<typeof startIssuer>>;

beforeAll(async () => {
  platform = await startTestPlatform();
  const { issuerKey } = platform.secrets;
  issuer = await startIssuer({ port: platform.issuerPort, issuerKey, log: silentLog });
});
afterAll(async () => {
  await issuer?.stop();
  await platform?.stop();
});

const path = "/console/rpc/disburse.compliance.v1.ComplianceService/ImportList";
type Part = NonNullable<MessageInitShape<typeof ImportListRequestSchema>["part"]>;

function envelope(part: Part): Buffer {
  const message = toBinary(ImportListRequestSchema, create(ImportListRequestSchema, { part }));
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

const entry = (uid: number) =>
  `${JSON.stringify({ uid: String(uid), type: "entity", names: [{ name: `Uploaded Party ${uid}` }] })}\n`;

const listed = (header: object): Part => ({
  case: "header",
  value: { list: "uploaded", version: "1", ...header },
});
const end = envelope({ case: "end", value: true });

function bodyOf(header: object, text: string): Buffer {
  const lines = envelope({ case: "lines", value: Buffer.from(text) });
  return Buffer.concat([envelope(listed(header)), lines, end]);
}

/** A body of `count` pieces of blank lines, each of 512 KiB, that is made while it is sent. */
function* pieces(header: object, text: string, count: number) {
  yield envelope(listed(header));
  yield envelope({ case: "lines", value: Buffer.from(text) });
  const blank = envelope({ case: "lines", value: Buffer.alloc(524_288, "\n") });
  for (let at = 0; at < count; at += 1) yield blank;
  yield end;
}

/** Reads the envelopes of a response: a message, and the end with its error. */
async function read(response: Response) {
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.headers.get("content-type")?.startsWith("application/json")) {
    return { status: response.status, error: JSON.parse(bytes.toString()) };
  }
  let message: unknown;
  let error: unknown;
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at + 1);
    const data = bytes.subarray(at + 5, at + 5 + length);
    if (((bytes[at] ?? 0) & 2) === 2) ({ error } = JSON.parse(data.toString()));
    else message = fromBinary(ImportListResponseSchema, data);
    at += 5 + length;
  }
  return { status: response.status, message, error };
}

async function operator(name: string) {
  const person = createPerson(platform.operatorsUrl, issuer.url);
  await person.signIn(name, passwordOf(platform.secrets.issuerKey, name));
  const token = (await person.session())?.csrf_token ?? "";
  const headers = (csrf: string) => ({
    "content-type": "application/connect+proto",
    "connect-protocol-version": "1",
    "x-csrf-token": csrf,
  });
  return {
    headers: {
      ...headers(token),
      cookie: [...person.cookies].map((each) => each.join("=")).join("; "),
    },
    upload: async (body: Buffer | Iterable<Buffer>, csrf = token) => {
      const sent = Buffer.isBuffer(body) ? body : ReadableStream.from(body);
      const init = { method: "POST", headers: headers(csrf), body: sent, duplex: "half" };
      return read(await person.load(path, init as RequestInit));
    },
    imports: async () => {
      const list = "/console/rpc/disburse.compliance.v1.ComplianceService/ListImports";
      return (await person.call("POST", list, { list: "uploaded" }, token)).json.imports ?? [];
    },
  };
}

it("an officer compares and imports a list; a repeat of the operation imports it once", async () => {
  const carol = await operator("carol");
  const text = entry(1) + entry(2);
  const compared = await carol.upload(
    bodyOf({ mutation: { operationId: "upload-compare" }, compareOnly: true }, text),
  );
  expect(compared).toMatchObject({
    ...{ status: 200, error: undefined },
    message: { change: { added: 2, changed: 0, removed: 0 }, problem: "" },
  });
  expect(await carol.imports()).toEqual([]);
  const body = bodyOf({ mutation: { operationId: "upload-1" } }, text);
  for (const _ of [1, 2]) {
    expect(await carol.upload(body)).toMatchObject({
      message: { version: { list: "uploaded", entries: 2 }, change: { added: 2 } },
    });
  }
  expect(await carol.imports()).toMatchObject([{ state: "in_force", actor: { id: "carol" } }]);
});

it("a large list passes through; the largest one is refused while it is sent", async () => {
  const carol = await operator("carol");
  const header = { mutation: { operationId: "upload-large" }, compareOnly: true };
  expect(await carol.upload(pieces(header, entry(1) + entry(2), 24))).toMatchObject({
    message: { change: { added: 0, changed: 0, removed: 0 } },
  });
  expect(await carol.upload(pieces(header, entry(1), 256))).toMatchObject({
    error: { code: "invalid_argument", message: /^files: must be at most 134217728 bytes/ },
  });
});

it("is refused without the session's CSRF token, and to another role", async () => {
  const carol = await operator("carol");
  const body = bodyOf({ mutation: { operationId: "upload-refused" } }, entry(3));
  expect(await carol.upload(body, "wrong")).toMatchObject({
    ...{ status: 403, error: { code: "permission_denied" } },
  });
  const ada = await operator("ada");
  expect(await ada.upload(body)).toMatchObject({ error: { code: "permission_denied" } });
});

it("an upload that breaks off leaves nothing", async () => {
  const carol = await operator("carol");
  const before = await carol.imports();
  const body = bodyOf({ mutation: { operationId: "upload-cut" } }, entry(1) + entry(4));
  await new Promise<void>((resolve) => {
    const sent = request(`${platform.operatorsUrl}${path}`, {
      method: "POST",
      headers: { ...carol.headers, "content-length": body.length },
    });
    sent.on("error", () => resolve());
    // The last message is missing, so that the messages before it are whole.
    sent.write(body.subarray(0, -end.length), () => setTimeout(() => sent.destroy(), 200));
  });
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await carol.imports()).toEqual(before);
});
