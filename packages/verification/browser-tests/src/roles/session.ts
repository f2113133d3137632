import type { Page } from "playwright-core";
import type { BrowserTest } from "../browser-test.ts";
import { expectThat } from "../expect.ts";
import type { Visitor } from "../visitor.ts";

/** Alma's session ends while she works, and requests fail. */
export const session: BrowserTest = {
  name: "session",
  about: "keeps a form while its session ends, recovers from failures, stays in the frame",
  run: async ({ sandbox, arrive }) => {
    const alma = await arrive("alma");
    const { password = "" } = sandbox.people.find(({ name }) => name === "alma") ?? {};
    await keepsForm(alma, password);
    await triesAgain(alma);
    await readsAgainLater(alma);
    await readsAfterSignIn(alma, password);
    await showsTheOthers(alma);
    await keepsRefusal(alma);
    await staysInFrame(alma);
  },
};

async function endSession({ page }: Visitor): Promise<void> {
  const { origin } = new URL(page.url());
  const session = await page.request.get(`${origin}/console/session`);
  const { data } = (await session.json()) as { data: { csrf_token: string } };
  const headers = { "x-csrf-token": data.csrf_token };
  const ended = await page.request.post(`${origin}/console/session/logout`, { headers });
  expectThat(ended.ok(), "the session ends");
}

async function keepsForm(alma: Visitor, password: string): Promise<void> {
  const { page, open, checkPage } = alma;
  const streaming = page.waitForResponse(/\/console\/events$/);
  await open("webhooks/new");
  await page.locator("[name=url]").fill("http://127.0.0.1:9/kept");
  // Tasks are counted again when the stream opens. The end of the session would refuse that.
  await streaming;
  await page.waitForTimeout(1_000);
  await endSession(alma);
  alma.willBeRefused("/endpoints");
  alma.willBeRefused("/console/events");
  await page.getByRole("button", { name: "Create the endpoint" }).click();
  const dialog = page.getByRole("dialog");
  await checkPage("session-ended", dialog.getByText("Your session has ended"));
  await alma.signInOver("alma", password, dialog.getByRole("button", { name: "Sign in" }));
  await dialog.waitFor({ state: "detached" });
  const kept = await page.locator("[name=url]").inputValue();
  expectThat(kept === "http://127.0.0.1:9/kept", `the form keeps its input: ${kept}`);
  await page.getByRole("button", { name: "Create the endpoint" }).click();
  await dialog.getByText("Secrets of the endpoint").waitFor();
  await page.getByRole("button", { name: "I have copied them" }).click();
}

/** Answers requests to these addresses with an error until the returned function is called. */
async function failing(visitor: Visitor, path: RegExp, ending: string, status = 503) {
  visitor.willBeRefused(ending);
  const json = { code: "SERVICE_UNAVAILABLE", message: "The service is not available." };
  await visitor.page.route(path, (route) => route.fulfill({ status, json }));
  return () => visitor.page.unroute(path);
}

const inFrame = (page: Page) => page.getByRole("navigation", { name: "Pages" }).waitFor();

async function triesAgain(alma: Visitor): Promise<void> {
  const { page, open } = alma;
  const path = /\/webhooks\/deliveries\?/;
  const listed = await failing(alma, path, "/deliveries?");
  await open("deliveries");
  await page.getByRole("button", { name: "Try again" }).waitFor();
  await inFrame(page);
  await listed();
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText(/^\d+ of \d+|Nothing here yet/).waitFor({ timeout: 3_000 });

  const recovered = await failing(alma, path, "/deliveries?");
  await open("deliveries");
  await page.getByText("The service is not available.").waitFor();
  await recovered();
  await page.getByText(/^\d+ of \d+|Nothing here yet/).waitFor();
}

const linkTo = ({ page }: Visitor, name: string) =>
  page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name });

/** The next visit of a page reads a list that failed for a reason which doesn't pass by itself. */
async function readsAgainLater(alma: Visitor): Promise<void> {
  const { page, open } = alma;
  await open("keys");
  const listed = await failing(alma, /\/webhooks\/deliveries\?/, "/deliveries?", 409);
  await linkTo(alma, "Webhook deliveries").click();
  await page.getByText("The service is not available.").waitFor();
  await listed();
  await linkTo(alma, "API keys").click();
  await page.getByRole("heading", { name: "API keys" }).waitFor();
  await linkTo(alma, "Webhook deliveries").click();
  await page.getByText(/^\d+ of \d+|Nothing here yet/).waitFor({ timeout: 3_000 });
}

async function readsAfterSignIn(alma: Visitor, password: string): Promise<void> {
  const { page, open } = alma;
  await open("keys");
  await page.getByRole("table").waitFor();
  await endSession(alma);
  alma.willBeRefused("/api/v1/");
  await linkTo(alma, "Depositors").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Your session has ended").waitFor();
  await alma.signInOver("alma", password, dialog.getByRole("button", { name: "Sign in" }));
  await page.getByText(/^\d+ of \d+|No depositor yet/).waitFor();
}

/** One list that can't be read hides no others in the queue of approvals. */
async function showsTheOthers(alma: Visitor): Promise<void> {
  const { page, open } = alma;
  const path = /\/transfer\/batches\?/;
  const recovered = await failing(alma, path, "/batches?");
  await open("payouts/waiting");
  await page.getByText("Some items can't be read now, and are missing here.").waitFor();
  await recovered();
}

const keysRead = /\/api\/v1\/keys\?/;

/** A refusal stays in its dialog. The list, which may have a newer state, is read afterwards. */
async function keepsRefusal(alma: Visitor): Promise<void> {
  const { page, open } = alma;
  const json = { code: "INVALID_STATE", message: "The key is revoked already." };
  await open("keys");
  await page.getByRole("button", { name: "Revoke" }).first().click();
  await page.route(/\/api\/v1\/keys\/[^/?]+/, (route) =>
    route.request().method() === "GET" ? route.continue() : route.fulfill({ status: 409, json }),
  );
  alma.willBeRefused("/keys/");
  let reads = 0;
  page.on("request", (request) => {
    if (request.method() === "GET" && keysRead.test(request.url())) reads += 1;
  });
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await dialog.getByText("The key is revoked already.").waitFor();
  expectThat(reads === 0, `nothing is read under the refusal: ${reads}`);
  const read = page.waitForRequest(keysRead);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await read;
}

async function staysInFrame(alma: Visitor): Promise<void> {
  const { page, open, checkPage } = alma;
  await open("nowhere");
  await checkPage("not-found", page.getByRole("heading", { name: "Page not found" }));
  await inFrame(page);
  await open("webhooks");
  const file = /\/assets\/requests-[^/]*\.js$/;
  await page.route(file, (route) => route.abort());
  alma.willBeRefused(".js");
  await page.getByRole("link", { name: "Requests" }).click();
  const retry = page.getByRole("button", { name: "Try again" });
  await retry.waitFor();
  await inFrame(page);
  await page.unroute(file);
  await retry.click();
  await page.getByRole("heading", { name: "Requests" }).waitFor();
}
