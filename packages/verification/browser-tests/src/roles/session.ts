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
async function failing(visitor: Visitor, path: RegExp, ending: string) {
  visitor.willBeRefused(ending);
  const json = { code: "SERVICE_UNAVAILABLE", message: "The service is not available." };
  await visitor.page.route(path, (route) => route.fulfill({ status: 503, json }));
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
