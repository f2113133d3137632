import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";

export type CollectedSpan = {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string;
  readonly name: string;
  readonly kind: (typeof kinds)[number];
  readonly attributes: Readonly<Record<string, string>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly isError: boolean;
};

/** A span collector for tests: OTLP over HTTP with protobuf. */
export type Collector = Awaited<ReturnType<typeof startCollector>>;

export async function startCollector() {
  const spans: CollectedSpan[] = [];
  const bodies: Buffer[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer(async (request, response) => {
    const body = await read(request);
    bodies.push(body);
    headers.push(request.headers);
    spans.push(...spansOf(body));
    response.writeHead(200, { "content-type": "application/x-protobuf" }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    /** The value of `OTEL_EXPORTER_OTLP_ENDPOINT`. */
    url: `http://127.0.0.1:${port}`,
    spans: spans as readonly CollectedSpan[],
    /** Returns all received data as text, to check that spans contain no secrets. */
    text: () => Buffer.concat(bodies).toString("latin1"),
    headers: () => headers as readonly IncomingHttpHeaders[],
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Names of span kinds, indexed by their numbers in `opentelemetry/proto/trace/v1/trace.proto`. */
const kinds = ["unspecified", "internal", "server", "client", "producer", "consumer"] as const;
const statusError = 2;

type Field = Uint8Array | number;

/**
 * Returns a function that reads a message's fields by their number. Skips 64-bit numbers, because
 * no test needs them.
 */
function fieldsOf(message: Uint8Array): (number: number) => Field[] {
  const fields: { number: number; value: Field }[] = [];
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    if (type === WireType.LengthDelimited) fields.push({ number, value: reader.bytes() });
    else if (type === WireType.Varint) fields.push({ number, value: Number(reader.int64()) });
    else reader.skip(type, number);
  }
  return (number) => fields.filter((each) => each.number === number).map(({ value }) => value);
}

const messagesOf = (message: Uint8Array, number: number) =>
  fieldsOf(message)(number).filter((value) => typeof value !== "number");
const textOf = (bytes: Field | undefined) =>
  bytes instanceof Uint8Array ? Buffer.from(bytes).toString() : "";
const hexOf = (bytes: Field | undefined) =>
  bytes instanceof Uint8Array ? Buffer.from(bytes).toString("hex") : "";

function spansOf(request: Uint8Array): CollectedSpan[] {
  return messagesOf(request, 1).flatMap((ofResource) => {
    const [resource = new Uint8Array()] = messagesOf(ofResource, 1);
    const { "service.name": service = "" } = attributesOf(resource, 1);
    const scopes = messagesOf(ofResource, 2);
    const spans = scopes.flatMap((scope) => messagesOf(scope, 2));
    return spans.map((span) => spanOf(service, span));
  });
}

function spanOf(service: string, span: Uint8Array): CollectedSpan {
  const field = fieldsOf(span);
  const [status = new Uint8Array()] = messagesOf(span, 15);
  return {
    service,
    traceId: hexOf(field(1)[0]),
    spanId: hexOf(field(2)[0]),
    parentId: hexOf(field(4)[0]),
    name: textOf(field(5)[0]),
    kind: kinds[Number(field(6)[0] ?? 0)] ?? "unspecified",
    attributes: attributesOf(span, 9),
    links: messagesOf(span, 13).map((link) => {
      const of = fieldsOf(link);
      return { traceId: hexOf(of(1)[0]), spanId: hexOf(of(2)[0]) };
    }),
    isError: fieldsOf(status)(3)[0] === statusError,
  };
}

function attributesOf(message: Uint8Array, number: number): Record<string, string> {
  const pairs = messagesOf(message, number).map((pair) => {
    const [value = new Uint8Array()] = messagesOf(pair, 2);
    const of = fieldsOf(value);
    const [text, whole] = [of(1)[0], of(3)[0]];
    return [textOf(fieldsOf(pair)(1)[0]), text === undefined ? String(whole ?? "") : textOf(text)];
  });
  return Object.fromEntries(pairs);
}
