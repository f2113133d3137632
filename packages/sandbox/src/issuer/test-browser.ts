/** The browser's current page, or the address of a redirect to another site. */
type Shown = {
  readonly status: number;
  readonly html: string;
  readonly location: string | undefined;
  readonly retryAfter: string | null;
};

/** Emulates a browser as far as the provider needs: redirects, cookies and forms. */
export type Browser = ReturnType<typeof createBrowser>;

const redirectsMax = 10;

/** Creates a browser that stops at the first redirect to another site. */
export function createBrowser(site: string) {
  const cookies = new Map<string, { readonly value: string; readonly path: string }>();
  let at = site;
  let html = "";

  const keepCookies = (response: Response) => {
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      const path = /;\s*path=([^;]*)/i.exec(line)?.[1] ?? "/";
      const key = `${name} ${path}`;
      if (value === "" || /expires=Thu, 01 Jan 1970/i.test(line)) cookies.delete(key);
      else cookies.set(key, { value, path });
    }
  };
  const cookieHeader = (path: string): string =>
    [...cookies]
      .filter(([, { path: of }]) => path.startsWith(of))
      .map(([key, { value }]) => `${key.split(" ")[0]}=${value}`)
      .join("; ");

  const load = async (url: string, body?: URLSearchParams): Promise<Shown> => {
    let next = { url, body };
    for (let redirects = 0; redirects < redirectsMax; redirects += 1) {
      const { pathname, origin } = new URL(next.url);
      const gone = { status: 303, html: "", location: next.url, retryAfter: null };
      if (origin !== new URL(site).origin) return gone;
      const response = await fetch(next.url, {
        redirect: "manual",
        headers: { cookie: cookieHeader(pathname) },
        ...(next.body === undefined ? {} : { method: "POST", body: next.body }),
      });
      keepCookies(response);
      const location = response.headers.get("location");
      if (location !== null) {
        await response.body?.cancel();
        next = { url: new URL(location, next.url).href, body: undefined };
        continue;
      }
      at = next.url;
      html = await response.text();
      const { status, headers } = response;
      return { status, html, location: undefined, retryAfter: headers.get("retry-after") };
    }
    throw new Error(`more than ${redirectsMax} redirects from ${url}`);
  };

  return {
    open: (url: string) => load(url),
    /** Fills in and submits the page's form, including hidden fields. */
    submit: (fields: Record<string, string>) => {
      const action = /<form[^>]* action="([^"]*)"/.exec(html)?.[1] ?? at;
      const hidden = [...html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(
        ([, name = "", value = ""]) => [name, value] as const,
      );
      const body = new URLSearchParams({ ...Object.fromEntries(hidden), ...fields });
      return load(new URL(action, at).href, body);
    },
  };
}
