import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

type Call = {
  readonly KeyId: string;
  readonly Plaintext?: string;
  readonly CiphertextBlob?: string;
  readonly EncryptionContext?: Readonly<Record<string, string>>;
};

/** Starts a server that implements Encrypt and Decrypt of AWS KMS with random keys. */
export async function startKms(keyIds: readonly string[]) {
  const keys = new Map(keyIds.map((id) => [id, randomBytes(32)]));
  const calls: string[] = [];
  const additional = ({ KeyId, EncryptionContext = {} }: Call) =>
    Buffer.from(`${KeyId} ${JSON.stringify(EncryptionContext)}`);
  const encrypt = (call: Call, key: Buffer) => {
    const nonce = randomBytes(12);
    const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(additional(call));
    const body = Buffer.concat([
      cipher.update(Buffer.from(call.Plaintext ?? "", "base64")),
      cipher.final(),
    ]);
    return { CiphertextBlob: Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64") };
  };
  const decrypt = (call: Call, key: Buffer) => {
    const packed = Buffer.from(call.CiphertextBlob ?? "", "base64");
    const decipher = createDecipheriv("aes-256-gcm", key, packed.subarray(0, 12));
    decipher.setAAD(additional(call)).setAuthTag(packed.subarray(12, 28));
    const plain = Buffer.concat([decipher.update(packed.subarray(28)), decipher.final()]);
    return { Plaintext: plain.toString("base64") };
  };
  const server = createServer(async (request, response) => {
    const action = String(request.headers["x-amz-target"]).replace("TrentService.", "");
    const call = JSON.parse(await text(request)) as Call;
    calls.push(action);
    const key = keys.get(call.KeyId);
    const answer = (status: number, body: object) =>
      response
        .writeHead(status, { "content-type": "application/x-amz-json-1.1" })
        .end(JSON.stringify(body));
    if (!String(request.headers.authorization).startsWith("AWS4-HMAC-SHA256 ")) {
      return answer(400, { __type: "MissingAuthenticationTokenException" });
    }
    if (key === undefined) return answer(400, { __type: "NotFoundException" });
    try {
      const done = action === "Encrypt" ? encrypt(call, key) : decrypt(call, key);
      return answer(200, { KeyId: call.KeyId, ...done });
    } catch {
      return answer(400, { __type: "InvalidCiphertextException" });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: calls as readonly string[],
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}
