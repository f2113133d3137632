import type { ConnectRouter } from "@connectrpc/connect";

const header = "grpc-message";
const percent = 0x25;

/**
 * The text of a status as gRPC sends it: bytes of UTF-8, those outside of printable ASCII and `%`
 * as `%XX` (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md).
 */
export function percentEncoded(text: string): string {
  let encoded = "";
  for (const byte of Buffer.from(text, "utf8")) {
    const isPlain = byte >= 0x20 && byte <= 0x7e && byte !== percent;
    encoded += isPlain
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return encoded;
}

/**
 * Sends the messages of gRPC's statuses in gRPC's own encoding. connect encodes as for a URI, and
 * clients that decode less, grpc-js among them, show `%3A` for a colon.
 */
export function encodeMessages(router: ConnectRouter): void {
  for (const [at, handler] of router.handlers.entries()) {
    const encoding: typeof handler = Object.assign(
      async (request: Parameters<typeof handler>[0]) => {
        const response = await handler(request);
        const { body, trailer } = response;
        if (body === undefined || trailer === undefined) return response;
        return { ...response, body: thenEncode(body, trailer) };
      },
      handler,
    );
    router.handlers[at] = encoding;
  }
}

async function* thenEncode(body: AsyncIterable<Uint8Array>, trailer: Headers) {
  yield* body;
  const message = trailer.get(header);
  if (message !== null) trailer.set(header, percentEncoded(decodeURIComponent(message)));
}
