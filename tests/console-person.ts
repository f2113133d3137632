import { createBrowser } from "@disburse/sandbox/issuer/test-browser.ts";

export type SessionAnswer = {
  readonly person: { readonly id: string; readonly name: string; readonly email: string };
  readonly kind: string;
  readonly merchant: { readonly id: string; readonly name: string } | null;
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
  /** For a member: current teams and open invitations. */
  readonly merchants?: readonly { readonly id: string; readonly merchant: object }[];
  readonly invitations?: readonly { readonly id: string; readonly merchant: object }[];
  /** For an operator: the names of operators by id. */
  readonly operators?: Readonly<Record<string, string>>;
  readonly csrf_token: string;
  readonly expires_at: string;
  readonly signed_in_at: string;
  readonly mode: string;
};

/** Emulates a person's browser on one of the console's two ports. */
export function createPerson(origin: string, issuer: string) {
  const cookies = new Map<string, string>();
  const atIssuer = createBrowser(issuer);
  const load = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { cookie, ...(init.headers as Record<string, string>) };
    const response = await fetch(new URL(url, origin), { ...init, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };
  const toProvider = async (query: string) => {
    const begun = await load(`/console/session/login${query}`);
    return atIssuer.open(begun.headers.get("location") ?? "");
  };
  const back = async (location: string | undefined) => load(location ?? "");
  return {
    cookies,
    load,
    /** Signs in with name and password. Returns the gateway's response. */
    signIn: async (name: string, password: string, query = "?return_to=/console/payouts") => {
      const shown = await toProvider(query);
      // If already signed in, the provider redirects back immediately.
      if (shown.location !== undefined) return back(shown.location);
      return back((await atIssuer.submit({ name, password })).location);
    },
    /** Returns the provider's first response: a page or a redirect. */
    toProvider,
    session: async (): Promise<SessionAnswer | undefined> => {
      const { status, headers, ...answer } = await read(await load("/console/session"));
      return status === 200 ? (answer.json.data as SessionAnswer) : undefined;
    },
    /** Calls with the session's cookie, and with a CSRF token if given. */
    call: async (method: string, path: string, body?: unknown, csrfToken?: string) => {
      const headers: Record<string, string> = {
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(csrfToken !== undefined && { "x-csrf-token": csrfToken }),
      };
      const text = body === undefined ? undefined : JSON.stringify(body);
      return read(await load(path, { method, headers, ...(text !== undefined && { body: text }) }));
    },
  };
}

async function read(response: Response) {
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") ?? false;
  const json = (isJson ? JSON.parse(text) : {}) as Record<string, unknown>;
  return { status: response.status, headers: response.headers, text, json };
}
