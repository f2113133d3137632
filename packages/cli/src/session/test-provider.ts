import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { tokenOf } from "../test-world.ts";

/**
 * Starts an OpenID provider with the device flow of RFC 8628; `requests` records the forms it gets.
 */
export async function startProvider() {
  const requests: URLSearchParams[] = [];
  const state = { pendingFor: 1, refused: "", expiresIn: 900, refreshes: 0 };
  const answer = (form: URLSearchParams): readonly [number, object] => {
    if (form.has("scope") && !form.has("grant_type")) {
      const device = {
        device_code: "device-1",
        user_code: "ABCD-EFGH",
        expires_in: 600,
        interval: 1,
      };
      return [200, { ...device, verification_uri: `${url}/device` }];
    }
    if (state.refused !== "")
      return [400, { error: state.refused, error_description: "by a test" }];
    if (form.get("grant_type")?.endsWith("device_code") && state.pendingFor > 0) {
      state.pendingFor -= 1;
      return [400, { error: "authorization_pending" }];
    }
    state.refreshes += 1;
    const access_token = tokenOf({
      sub: "ada",
      roles: ["treasury"],
      token_number: state.refreshes,
    });
    const rest = { token_type: "bearer", expires_in: state.expiresIn };
    return [200, { access_token, refresh_token: `refresh-${state.refreshes}`, ...rest }];
  };
  const server = createServer(async (request, response) => {
    const reply = (status: number, body: object) => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    if (request.url?.startsWith("/.well-known/")) return reply(200, metadata());
    const form = new URLSearchParams(await text(request));
    requests.push(form);
    if (request.url === "/revoke") return void response.writeHead(200).end();
    reply(...answer(form));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const metadata = () => ({
    ...{ issuer: url, token_endpoint: `${url}/token`, revocation_endpoint: `${url}/revoke` },
    device_authorization_endpoint: `${url}/device/auth`,
    ...{ authorization_endpoint: `${url}/auth`, jwks_uri: `${url}/jwks` },
  });
  return {
    ...{ url, requests, state },
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
