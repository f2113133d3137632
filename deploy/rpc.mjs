// An operator's call of an internal RPC, from inside the service's own container (docs/operators/commands.md):
//   node rpc.mjs payout.PayoutOperatorService/ListRails '{}'
//   node rpc.mjs payout.PayoutOperatorService/SetRailPaused '{ "rail": "…" }' --change
// --change is for RPCs that change something. It sends the operation id of --operation, or a new one.
// TOKEN identifies the actor. With --to SERVICE, it calls that service with the SERVICE_KEY of this
// container, at the address in this container's settings. This requires --as and --reason, which the
// called service's audit trail records. It prints the response, and exits with 1 on an error. It
// imports only Node's own modules.
import { createPrivateKey, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { request as requestPlain } from "node:http";
import { request as requestSecurely } from "node:https";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";

const usage =
  "usage: node rpc.mjs PACKAGE.SERVICE/METHOD [JSON] [--change] [--operation ID] " +
  "[--to SERVICE --as PERSON --reason TEXT] [--token-from-stdin]";
const options = {
  change: { type: "boolean" },
  operation: { type: "string" },
  to: { type: "string" },
  as: { type: "string" },
  reason: { type: "string" },
  "token-from-stdin": { type: "boolean" },
};
const { values, positionals } = parseArgs({ options, allowPositionals: true });
const [method = "", body = "{}"] = positionals;
const [, name, service] = /^(\w+)\.(\w+\/\w+)$/.exec(method) ?? [];
const isNamed = Boolean(values.as && values.reason);
const isAnonymous = values.as === undefined && values.reason === undefined;
if (service === undefined || !(values.to === undefined ? isAnonymous : isNamed)) {
  throw new Error(usage);
}

/** The address of the RPCs: RPC_URL, or by default this container's service. */
const port = process.env.RPC_PORT || process.env.PORT;
const { TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE } = process.env;
/** With mutual TLS it uses the container's own certificate, which every service accepts. */
const tls = TLS_CERT_FILE && {
  cert: readFileSync(TLS_CERT_FILE),
  key: readFileSync(TLS_KEY_FILE),
  ca: readFileSync(TLS_CA_FILE),
  // The authority signs only for services, and their names are not host names.
  checkServerIdentity: () => undefined,
};
const [toUrl] = (values.to && process.env[`${values.to.toUpperCase()}_URL`]?.split(",")) || [];
const url = toUrl || process.env.RPC_URL || `${tls ? "https" : "http"}://127.0.0.1:${port}`;
/** Returns a token of this container's service for another one, as services use for each call. */
function serviceToken(to) {
  const { SERVICE_KEY, SERVICE_KEY_FILE, TRUST_DOMAIN = "disburse" } = process.env;
  const jwk = JSON.parse(SERVICE_KEY_FILE ? readFileSync(SERVICE_KEY_FILE, "utf8") : SERVICE_KEY);
  const idOf = (service) => `spiffe://${TRUST_DOMAIN}/${service}`;
  const self = idOf(jwk.kid.slice(0, jwk.kid.lastIndexOf(".")));
  const usedBy = { act: { sub: values.as }, reason: values.reason };
  const iat = Math.floor(Date.now() / 1_000);
  const parts = [
    { alg: "EdDSA", typ: "JWT", kid: jwk.kid },
    { iss: self, sub: self, aud: idOf(to), iat, exp: iat + 60, ...usedBy },
  ];
  const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
  const key = createPrivateKey({ key: jwk, format: "jwk" });
  const signature = sign(null, Buffer.from(signed.join(".")), key).toString("base64url");
  return [...signed, signature].join(".");
}
/** A person's access token. A sandbox has one. Standard input keeps it out of the arguments. */
const token =
  (values.to && serviceToken(values.to)) ||
  (values["token-from-stdin"] && (await text(process.stdin)).trim()) ||
  process.env.TOKEN ||
  JSON.parse(readFileSync("/data/sandbox.json", "utf8")).grpc_token;
const isChange = values.change === true || values.operation !== undefined;
const operationId = values.operation ?? `ops-${crypto.randomUUID()}`;
const mutation = isChange ? { mutation: { operationId } } : {};

const response = await new Promise((resolve, reject) => {
  const request = url.startsWith("https:") ? requestSecurely : requestPlain;
  const sent = request(`${url}/disburse.${name}.v1.${service}`, {
    method: "POST",
    ...tls,
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    // All RPCs except list imports respond within seconds.
    signal: AbortSignal.timeout(30_000),
  });
  sent.on("response", resolve).on("error", reject);
  sent.end(JSON.stringify({ ...JSON.parse(body), ...mutation }));
});
process.stdout.write(`${JSON.stringify(JSON.parse(await text(response)), null, 2)}\n`);
process.exitCode = response.statusCode === 200 ? 0 : 1;
