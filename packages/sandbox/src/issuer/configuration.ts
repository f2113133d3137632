import { LRUCache } from "lru-cache";
import {
  type Adapter,
  type AdapterFactory,
  type AdapterPayload,
  type Configuration,
  errors,
  interactionPolicy,
  type KoaContextWithOIDC,
} from "oidc-provider";
import {
  accessTokenSeconds,
  derivedSecret,
  emailOf,
  type Person,
  passwordAcr,
  type SandboxMember,
} from "../people.ts";
import { escapeHtml, messagePage, page } from "./pages.ts";

/**
 * The maximum number of stored sessions, codes and refresh tokens together. A sandbox has few
 * users.
 */
const entriesMax = 10_000;
/** The lifetime of entries without an expiry of their own. */
const secondsDefault = 86_400;

/** The value of `resource` in token requests. Tokens for it have the audience `disburse`. */
export const resource = "urn:disburse";
const audience = "disburse";
/** The resource's only scope. Permissions are in the claim `roles` instead. */
const scope = "disburse";

/**
 * The resource that the merchants' console requests. Services don't accept its tokens as an
 * operator's.
 */
const membersResource = "urn:disburse:console";
const membersAudience = "disburse-console";
const membersClient = "disburse-merchants";

/** An account that can sign in. A merchant's member has an email and no operator role. */
export type Account = Person & { readonly email?: string };

export function memberAccount(member: SandboxMember): Account {
  return { id: member.id, name: member.name, email: emailOf(member), roles: [] };
}

const minute = 60;
const workday = 8 * 60 * minute;

/** Redirect URIs may use any port of this machine (RFC 8252, 7.3). */
const consoleRedirects = ["127.0.0.1", "localhost"].map(
  (host) => `http://${host}/console/session/callback`,
);

/**
 * All clients are public, which means that they have no secret. PKCE or the device code protects
 * them.
 */
const clients: Configuration["clients"] = [
  {
    client_id: "disburse-console",
    client_name: "the console",
    application_type: "native",
    token_endpoint_auth_method: "none",
    redirect_uris: consoleRedirects,
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    require_auth_time: true,
  },
  {
    client_id: membersClient,
    client_name: "the merchants' console",
    application_type: "native",
    token_endpoint_auth_method: "none",
    redirect_uris: consoleRedirects,
    grant_types: ["authorization_code"],
    response_types: ["code"],
    require_auth_time: true,
  },
  {
    client_id: "disburse-cli",
    client_name: "the command line",
    application_type: "native",
    token_endpoint_auth_method: "none",
    redirect_uris: [],
    response_types: [],
    grant_types: ["urn:ietf:params:oauth:grant-type:device_code", "refresh_token"],
  },
];

/**
 * Configures the provider. It supports the authorization code flow with PKCE, and the device flow.
 * Access tokens are JWTs that are valid for 15 minutes and contain a person's roles (RFC 9068).
 */
export function issuerConfiguration(
  issuerKey: string,
  personOf: (id: string) => Account | undefined,
): Configuration {
  return {
    adapter: createStore(),
    clients,
    clientDefaults: { id_token_signed_response_alg: "EdDSA" },
    enabledJWA: { idTokenSigningAlgValues: ["EdDSA"] },
    jwks: { keys: [{ ...JSON.parse(issuerKey), alg: "EdDSA", use: "sig" }] },
    cookies: { keys: [derivedSecret(issuerKey, "cookies").toString("base64url")] },
    scopes: ["openid", "offline_access", "profile", "email"],
    claims: {
      openid: ["sub", "roles"],
      profile: ["name"],
      email: ["email", "email_verified"],
      acr: null,
      auth_time: null,
    },
    // Puts claims into the id token, so that the gateway needs no further request.
    conformIdTokenClaims: false,
    acrValues: [passwordAcr],
    pkce: { required: () => true },
    ttl: {
      AccessToken: accessTokenSeconds,
      AuthorizationCode: minute,
      DeviceCode: 10 * minute,
      Grant: workday,
      IdToken: accessTokenSeconds,
      Interaction: 10 * minute,
      RefreshToken: workday,
      Session: workday,
    },
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed("refresh_token"),
    findAccount: (_ctx, id) => {
      const person = personOf(id);
      if (person === undefined) return undefined;
      const { name = id, email, roles } = person;
      const verified = email === undefined ? {} : { email, email_verified: true };
      const claims = { sub: id, name, ...verified, roles: [...roles] };
      return { accountId: id, claims: async () => claims };
    },
    extraTokenClaims: (ctx, token) => ({
      roles: [...((token.kind === "AccessToken" && personOf(token.accountId)?.roles) || [])],
      ...signInOf(ctx),
    }),
    interactions: {
      policy: policyWithoutConsent(),
      url: (_ctx, { uid }) => `/interaction/${uid}`,
    },
    loadExistingGrant: grantAll,
    renderError,
    features: {
      devInteractions: { enabled: false },
      deviceFlow: { enabled: true, ...devicePages },
      resourceIndicators: {
        enabled: true,
        defaultResource: (_ctx, client) => resourceOf(client.clientId),
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx, indicator, client) => {
          if (indicator !== resourceOf(client.clientId)) throw new errors.InvalidTarget();
          return {
            scope,
            accessTokenTTL: accessTokenSeconds,
            audience: indicator === resource ? audience : membersAudience,
            accessTokenFormat: "jwt",
            jwt: { sign: { alg: "EdDSA" } },
          };
        },
      },
      revocation: { enabled: true },
      rpInitiatedLogout: { enabled: false },
    },
  };
}

const resourceOf = (clientId: string) => (clientId === membersClient ? membersResource : resource);

/** Returns the time and method of the token's sign-in. A refreshed token keeps them. */
function signInOf({ oidc: { entities } }: KoaContextWithOIDC) {
  const { AuthorizationCode, DeviceCode, RefreshToken } = entities;
  const { authTime, acr } = AuthorizationCode ?? DeviceCode ?? RefreshToken ?? {};
  return { auth_time: authTime, acr };
}

/** All clients are ours, so consent is not needed. */
function policyWithoutConsent() {
  const policy = interactionPolicy.base();
  policy.remove("consent");
  return policy;
}

async function grantAll({ oidc }: KoaContextWithOIDC) {
  const { client, session, provider } = oidc;
  const accountId = session?.accountId;
  if (client === undefined || accountId === undefined) return undefined;
  const grant = new provider.Grant({ clientId: client.clientId, accountId });
  grant.addOIDCScope("openid offline_access profile email");
  grant.addResourceScope(resourceOf(client.clientId), scope);
  await grant.save();
  return grant;
}

const renderError: Configuration["renderError"] = (ctx, { error, error_description = "" }) => {
  ctx.type = "html";
  ctx.body = messagePage("Sign-in failed", `${error}: ${error_description}`);
};

type DeviceFlow = NonNullable<NonNullable<Configuration["features"]>["deviceFlow"]>;

/**
 * Pages that ask a person for the code that the command line shows. `form` comes from the provider
 * library.
 */
const devicePages: DeviceFlow = {
  userCodeInputSource: (ctx, form, _out, error) => {
    const problem =
      error === undefined ? "" : '<p role="alert">This code does not exist or has expired.</p>';
    const submit = '<button type="submit" form="op.deviceInputForm">Continue</button>';
    ctx.body = page("Enter the code", `${problem}${form}${submit}`);
  },
  userCodeConfirmSource: (ctx, form, client, _device, userCode) => {
    const text = `<p>${escapeHtml(client.clientName ?? client.clientId)} shows this code:</p>
<p><strong>${escapeHtml(userCode)}</strong></p><p>If it does not, somebody else asks: stop here.</p>`;
    const submit = '<button type="submit" form="op.deviceConfirmForm">It shows this code</button>';
    ctx.body = page("Is it yours?", `${text}${form}${submit}`);
  },
  successSource: (ctx) => {
    ctx.body = messagePage("Signed in", "You can go back to the command line.");
  },
};

/**
 * Stores the provider's entries in memory until they expire. After a restart, people must sign in
 * again with the same passwords. The keys stay the same too.
 */
function createStore(): AdapterFactory {
  const entries = new LRUCache<string, AdapterPayload>({ max: entriesMax });
  const keys = new LRUCache<string, string>({ max: entriesMax });
  return (model): Adapter => {
    const keyOf = (id: string) => `${model} ${id}`;
    const found = (name: string, value: string) => {
      const key = keys.get(`${model} ${name} ${value}`);
      return key === undefined ? undefined : entries.get(key);
    };
    return {
      upsert: async (id, payload, expiresIn) => {
        const options = { ttl: (expiresIn || secondsDefault) * 1_000 };
        const { uid, userCode } = payload;
        entries.set(keyOf(id), payload, options);
        if (uid !== undefined) keys.set(`${model} uid ${uid}`, keyOf(id), options);
        if (userCode !== undefined) keys.set(`${model} code ${userCode}`, keyOf(id), options);
      },
      find: async (id) => entries.get(keyOf(id)),
      findByUid: async (uid) => found("uid", uid),
      findByUserCode: async (userCode) => found("code", userCode),
      destroy: async (id) => void entries.delete(keyOf(id)),
      consume: async (id) => {
        const entry = entries.get(keyOf(id));
        if (entry !== undefined) entry.consumed = Math.floor(Date.now() / 1_000);
      },
      revokeByGrantId: async (grantId) => {
        for (const [key, entry] of entries.entries()) {
          if (entry.grantId === grantId) entries.delete(key);
        }
      },
    };
  };
}
